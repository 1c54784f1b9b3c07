#include "attributes/loop_form.h"

#include "attributes/attribute_edit.h"
#include "attributes/syntax_error.h"
#include "attributes/trip_count.h"
#include "rewriter/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

const Attribute* find_attribute(const Loop& loop, std::string_view name) {
    const auto found = std::find_if(loop.attributes.begin(), loop.attributes.end(),
                                    [&](const Attribute& a) { return a.name == name; });
    return found == loop.attributes.end() ? nullptr : &*found;
}

SourceEdit add_attribute(const ModuleModel& model, const Loop& loop, const std::string& text) {
    return insert_line_above(model.files[loop.site.file], loop.keyword, "[" + text + "]");
}

/// The attribute with its brackets and what is blank up to what follows.
SourceEdit remove(const ModuleModel& model, const Attribute& attribute) {
    const SourceFile& file = model.files[attribute.site.file];
    ByteRange range = attribute.group;
    while (range.end < file.text().size() && is_space(file.text()[range.end]))
        ++range.end;
    return {file.path(), range, ""};
}

} // namespace

std::string loop_name(const ModuleModel& model, Index loop) {
    const Loop& l = model.loops[loop];
    const auto is_alike = [&](const Loop& other) {
        return other.counter == l.counter && other.function != none &&
               model.functions[other.function].qualified_name ==
                   model.functions[l.function].qualified_name;
    };
    const auto number =
        std::count_if(model.loops.begin(), model.loops.begin() + loop + 1, is_alike);
    return fmt::format("the {}loop{} of '{}'",
                       number == 1   ? ""
                       : number == 2 ? "2nd "
                       : number == 3 ? "3rd "
                                     : fmt::format("{}th ", number),
                       l.counter.empty() ? "" : fmt::format(" over '{}'", l.counter),
                       model.functions[l.function].qualified_name);
}

bool is_unrolled(const Loop& loop) {
    return loop.kind == LoopKind::compile_time_for || find_attribute(loop, "ForceUnroll");
}

std::string why_head_is_kept(const RuleInput& input, const Loop& loop) {
    const ModuleModel& model = input.model;
    const Site head{loop.site.file, {loop.with_attributes.begin, loop.body.begin}};
    const std::string& path = model.files[loop.site.file].path();
    if (!input.editable(path))
        return fmt::format("it stands in {}, which is outside the project", path);
    if (loop.kind == LoopKind::compile_time_for)
        return "it is a $for, which is always unrolled";
    if (loop.from_macro || model.is_macro(head) || has_macro_attribute(loop))
        return "the loop comes from a macro, which is not edited";
    if (touches_syntax_error(model, loop.site))
        return "the loop stands in a syntax error";
    return "";
}

std::string why_form_is_kept(const ModuleModel& model, const Loop& loop) {
    const Attribute* unrolled = find_attribute(loop, "ForceUnroll");
    const Attribute* bound = bound_attribute(loop);
    for (const Attribute* attribute : {unrolled, bound}) {
        if (attribute && holds_more_than_code(model, *attribute))
            return "a comment or a preprocessor line stands within its attribute";
    }
    if (unrolled && bound && unrolled->group == bound->group)
        return "[ForceUnroll] and [MaxIters] share one pair of brackets";
    return "";
}

SourceEdit unroll(const ModuleModel& model, const Loop& loop) {
    if (const Attribute* bound = bound_attribute(loop))
        return {model.files[loop.site.file].path(), bound->site.range, "ForceUnroll"};
    return add_attribute(model, loop, "ForceUnroll");
}

SourceEdit replay(const ModuleModel& model, const Loop& loop, const std::string& bound) {
    const Attribute* unrolled = find_attribute(loop, "ForceUnroll");
    const std::string text = fmt::format("MaxIters({})", bound);
    if (unrolled && bound_attribute(loop))
        return remove(model, *unrolled);
    if (unrolled)
        return {model.files[loop.site.file].path(), unrolled->site.range, text};
    return add_attribute(model, loop, text);
}

} // namespace slimgrad
