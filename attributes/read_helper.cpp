#include "attributes/read_helper.h"

#include "attributes/builtins.h"
#include "attributes/conditional_text.h"
#include "attributes/expression_text.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// "float" of "StructuredBuffer<float>"; `standard` where there is no argument list.
std::string element_type(const std::string& type, const std::string& standard) {
    const auto open = type.find('<'), close = type.rfind('>');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return standard;
    // "Buffer<float, 4>" style arguments after the first are not part of the element.
    int depth = 0;
    std::size_t end = open + 1;
    while (end < close && !(depth == 0 && type[end] == ',')) {
        depth += type[end] == '<' ? 1 : type[end] == '>' ? -1 : 0;
        ++end;
    }
    return std::string(trimmed(std::string_view(type).substr(open + 1, end - open - 1)));
}

struct Source {
    std::string type;
    bool is_parameter = false;
};

std::optional<Source> source_of(const ModuleModel& model, const DirectRead& read) {
    for (const Parameter& parameter : model.functions[read.function].parameters) {
        if (parameter.name == read.base)
            return Source{parameter.type, true};
    }
    for (const LocalVariable& local : model.locals) {
        if (local.function == read.function && local.name == read.base)
            return std::nullopt;
    }
    if (const GlobalVariable* global = model.find_global(read.base))
        return Source{global->type, false};
    return std::nullopt;
}

/// The type of an index expression, where the text says it: a declared name or a constructor like
/// uint2(a, b).
std::string index_type(const ModuleModel& model, const DirectRead& read) {
    const std::string text(trimmed(model.text(read.index)));
    const auto paren = text.find('(');
    const std::string head = text.substr(0, paren);
    if (paren != std::string::npos && text.back() == ')' && is_builtin_type(head))
        return head;
    for (const LocalVariable& local : model.locals) {
        if (local.function == read.function && local.name == text && is_builtin_type(local.type))
            return local.type;
    }
    for (const Parameter& parameter : model.functions[read.function].parameters) {
        if (parameter.name == text && is_builtin_type(parameter.type))
            return parameter.type;
    }
    return "";
}

/// What a subscript of this buffer type takes, or "" where it depends on the index.
std::string subscript_type(const std::string& type) {
    for (std::string_view prefix : {"StructuredBuffer<", "RWStructuredBuffer<",
                                    "RasterizerOrderedStructuredBuffer<", "Buffer<"}) {
        if (type.starts_with(prefix))
            return "uint";
    }
    return "";
}

/// The function above which the helper stands: the first of the file that names what is read, the
/// same for all that do, so that their fixes bring one helper when they are made together.
/// What stands under another #if than the read is no place: some builds would lack the helper.
Index first_user(const ModuleModel& model, const DirectRead& read, const Source& source) {
    const ConditionalText conditions(model);
    const auto names_it = [&](const Site& code) {
        const std::vector<Site> names = names_of(model, code);
        return std::any_of(names.begin(), names.end(),
                           [&](const Site& name) { return model.text(name) == read.base; });
    };
    const auto is_user = [&](Index index) {
        const Function& function = model.functions[index];
        const Site head{function.site.file,
                        {function.site.range.begin, function.name_site.range.end}};
        if (function.site.file != read.site.file || !function.body ||
            !function.parent_type.empty() || function.from_macro || model.is_macro(head) ||
            model.is_broken(head) || conditions.deciding(function.site, read.site))
            return false;
        const bool has_parameter = std::any_of(
            function.parameters.begin(), function.parameters.end(),
            [&](const Parameter& p) { return p.name == read.base && p.type == source.type; });
        return source.is_parameter ? has_parameter && function.generics.empty()
                                   : names_it({function.site.file, *function.body});
    };
    Index first = read.function;
    for (Index index = 0; index < model.functions.size(); ++index)
        if (is_user(index) &&
            model.functions[index].site.range.begin < model.functions[first].site.range.begin)
            first = index;
    return first;
}

bool is_tensor(const std::string& type) {
    return type.starts_with("DiffTensorView") || type.starts_with("TensorView");
}

} // namespace

Result<ReadHelper> read_helper(const RuleInput& input, const std::vector<DirectRead>& reads) {
    const ModuleModel& model = input.model;
    const DirectRead& first = reads.front();
    const Place place = model.place(first.site);
    if (first.function == none)
        return fail("the read stands outside a function", place);
    const Function& function = model.functions[first.function];
    const SourceFile& file = model.files[first.site.file];
    if (!input.editable(file.path()))
        return fail(fmt::format("it stands in {}, which is outside the project", file.path()),
                    place);
    if (!function.parent_type.empty())
        return fail(fmt::format("'{}' is a member of '{}': no place for a helper", function.name,
                                function.parent_type),
                    place);
    if (!function.generics.empty() && source_of(model, first) &&
        source_of(model, first)->is_parameter)
        return fail(fmt::format("'{}' is generic: the helper's types are not known", function.name),
                    place);
    const Site head{function.site.file, {function.site.range.begin, function.name_site.range.end}};
    if (function.from_macro || model.is_macro(head) || model.is_broken(head))
        return fail(fmt::format("the head of '{}' comes from a macro or stands in a syntax error",
                                function.name),
                    place);
    for (const DirectRead& read : reads) {
        if (model.is_macro(read.site) || model.is_broken(read.site))
            return fail("the read comes from a macro or stands in a syntax error",
                        model.place(read.site));
    }

    const auto source = source_of(model, first);
    if (!source)
        return fail(fmt::format("'{}' is neither a global buffer nor a parameter", first.base),
                    place);
    std::string index = subscript_type(source->type);
    if (index.empty() && is_tensor(source->type))
        index = index_type(model, first);
    if (index.empty())
        return fail(fmt::format("the types of a helper for '{}' ({}) cannot be told from the text",
                                first.base, source->type),
                    place);
    const std::string element = element_type(source->type, "float");

    const std::string access = first.method.empty()
                                   ? fmt::format("{}[i]", first.base)
                                   : fmt::format("{}.{}(i)", first.base, first.method);
    const std::string parameters = source->is_parameter
                                       ? fmt::format("{} {}, {} i", source->type, first.base, index)
                                       : fmt::format("{} i", index);
    ReadHelper helper;
    helper.name =
        fmt::format("slimgrad_{}_{}", first.method.empty() ? "read" : first.method, first.base);
    const auto present = model.find_functions(helper.name);
    const bool reuse =
        present.size() == 1 && model.functions[present.front()].has_attribute("PreferRecompute") &&
        model.functions[present.front()].parameters.size() == (source->is_parameter ? 2u : 1u);
    if (!present.empty() && !reuse)
        return fail(fmt::format("the name '{}' is taken", helper.name), place);
    if (!reuse) {
        const std::uint32_t head_start =
            model.functions[first_user(model, first, *source)].site.range.begin;
        const std::uint32_t start = above_comments(file, head_start);
        const std::string before(file.slice({file.line_start(head_start), head_start}));
        const bool own_line = before.find_first_not_of(" \t") == std::string::npos;
        const std::string next = std::string(file.line_ending()) + (own_line ? before : "");
        const std::string text =
            fmt::format("[PreferRecompute(SideEffectBehavior.Allow)]{0}[Differentiable]{0}{1} "
                        "{2}({3}) {{ return {4}; }}{5}",
                        next, element, helper.name, parameters, access, file.line_ending());
        if (own_line)
            helper.edits.push_back({file.path(),
                                    {file.line_start(start), file.line_start(start)},
                                    before + text + std::string(file.line_ending())});
        else
            helper.edits.push_back(insert_line_above(file, head_start, text));
    }
    for (const DirectRead& read : reads) {
        const std::string argument(model.text(read.index));
        helper.edits.push_back({file.path(), read.site.range,
                                source->is_parameter
                                    ? fmt::format("{}({}, {})", helper.name, read.base, argument)
                                    : fmt::format("{}({})", helper.name, argument)});
    }
    return helper;
}

} // namespace slimgrad
