#include "attributes/while_counter.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/loop_counter.h"
#include "attributes/loop_twice.h"
#include "attributes/macro_risk.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

bool has_directive(const ModuleModel& model, Site site) {
    const auto& inactive = model.inactive[site.file];
    return std::any_of(inactive.begin(), inactive.end(), [&](ByteRange range) {
        return range.begin < site.range.end && site.range.begin < range.end;
    });
}

std::string why_kept(const ModuleModel& model, const Loop& loop) {
    const Site head{loop.site.file, {loop.keyword, loop.body.begin}};
    if (has_directive(model, loop.site))
        return "a preprocessor line stands in it";
    if (!risky_macro(model, loop.site, &MacroRisk::continues).empty() ||
        !risky_macro(model, loop.site, &MacroRisk::writes).empty())
        return "a macro in it may change how it counts";
    if (loop.counter_written_in_body)
        return fmt::format("its body writes '{}'", loop.counter);
    if (without_comments(model.text(head)) != model.text(head))
        return "a comment stands in its head";
    return "";
}

/// Why the step at the end of the body cannot stand in the head instead, or "".
std::string why_step_stays(const ModuleModel& model, const Loop& loop) {
    const SourceFile& file = model.files[loop.site.file];
    if (has_word(without_comments(file.slice(loop.body)), "continue"))
        return "a `continue` may skip its step";
    const auto statements = statements_of(model, {loop.site.file, loop.body});
    const std::string step(file.slice(*loop.update));
    if (!file.slice(loop.body).starts_with('{') || statements.size() < 2 ||
        compact(model.text(statements.back().site)) != compact(step) + ";")
        return "its step is not the last that its body does";
    for (const std::string& name : names_in(loop.step + " " + loop.factor))
        for (const LocalVariable& local : model.locals)
            if (local.name == name && local.site.file == loop.site.file &&
                loop.body.contains(local.site.range))
                return fmt::format("its step rests on '{}', which its body declares", name);
    return "";
}

/// The edit that takes it from there, with its line where that holds nothing else.
SourceEdit without_step(const ModuleModel& model, const Loop& loop) {
    const SourceFile& file = model.files[loop.site.file];
    ByteRange last = statements_of(model, {loop.site.file, loop.body}).back().site.range;
    const std::string_view rest = std::string_view(file.text()).substr(last.end);
    const auto line_end = rest.find('\n');
    if (begins_line(file, last.begin) && line_end != rest.npos &&
        trimmed(rest.substr(0, line_end)).empty())
        last = {file.line_start(last.begin), last.end + std::uint32_t(line_end) + 1};
    else if (last.begin > 0 && file.text()[last.begin - 1] == ' ')
        --last.begin;
    return {file.path(), last, ""};
}

} // namespace

Result<std::vector<SourceEdit>> step_in_head(const ModuleModel& model, CheckpointedLoops& loops,
                                             Index index) {
    const Loop& loop = model.loops[index];
    const SourceFile& file = model.files[loop.site.file];
    const auto kept = [&](std::string why) { return fail(std::move(why), loops.place_of(index)); };
    if (std::string why = why_kept(model, loop); !why.empty())
        return kept(std::move(why));
    if (!loop.condition || !loop.update || !loop.body.contains(*loop.update) ||
        loop.steps_before_test || loop.condition->begin >= loop.body.begin)
        return kept("it does not test its counter before its body");
    if (!constant_value(model, loop.function, loop.start) &&
        !is_constant_expression(model, loop.function, loop.start))
        return kept("it starts at a run-time value: slangc's code for a counted loop of that "
                    "kind does not compile");
    if (std::string why = why_step_stays(model, loop); !why.empty())
        return kept(std::move(why));

    const std::string step(file.slice(*loop.update));
    const ByteRange before{loop.keyword, loop.condition->begin};
    const std::string_view after =
        std::string_view(file.text())
            .substr(loop.condition->end, loop.body.begin - loop.condition->end);
    std::vector<SourceEdit> edits;
    if (compact(file.slice(before)) != "while(" || compact(after) != ")")
        return kept("parentheses stand around its condition");
    edits.push_back({file.path(), before, "for (; "});
    edits.push_back({file.path(), {loop.condition->end, loop.condition->end}, "; " + step});
    edits.push_back(without_step(model, loop));
    return edits;
}

Result<std::vector<SourceEdit>> test_in_head(const ModuleModel& model, CheckpointedLoops& loops,
                                             Index index) {
    const Loop& loop = model.loops[index];
    const SourceFile& file = model.files[loop.site.file];
    const auto kept = [&](std::string why) { return fail(std::move(why), loops.place_of(index)); };
    if (std::string why = why_kept(model, loop); !why.empty())
        return kept(std::move(why));
    if (!loop.condition || !loop.update || !loop.body.contains(*loop.update) ||
        loop.condition->begin < loop.body.end || !loop.more_tests.empty() ||
        loop.has_other_conditions)
        return kept("its condition is more than a test of its counter");
    if (std::string why = why_step_stays(model, loop); !why.empty())
        return kept(std::move(why));
    ConstantTraits traits;
    const auto start = constant_value(model, loop.function, loop.start, traits);
    const auto end = constant_value(model, loop.function, loop.end, traits);
    const auto type = counter_type(model, loop);
    const std::string& test = loop.comparison;
    const bool begins = start && end && type && *start >= 0 && *end >= 0 && !traits.has_macro &&
                        (test == "<"    ? *start < *end
                         : test == "<=" ? *start <= *end
                         : test == ">"  ? *start > *end
                         : test == ">=" ? *start >= *end
                                        : false);
    if (!begins)
        return kept("a `for` may not run its first trip");
    const ByteRange tail{loop.body.end, loop.condition->end};
    const std::string condition(file.slice(*loop.condition));
    const std::string_view behind = std::string_view(file.text()).substr(tail.end);
    const auto close = behind.find(';');
    if (compact(file.slice(tail)) != compact("while(" + condition) || close == behind.npos ||
        compact(behind.substr(0, close)) != ")")
        return kept("what stands behind its body is not its condition alone");
    return std::vector<SourceEdit>{
        {file.path(),
         {loop.keyword, loop.keyword + 2},
         fmt::format("for (; {}; {})", condition, file.slice(*loop.update))},
        without_step(model, loop),
        {file.path(), {tail.begin, tail.end + std::uint32_t(close) + 1}, ""}};
}

} // namespace slimgrad
