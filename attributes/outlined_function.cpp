#include "attributes/outlined_function.h"

#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/loop_twice.h"
#include "attributes/memory_types.h"
#include "attributes/outlined_variables.h"
#include "attributes/syntax_error.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// "simulateInnerLoop" or "simulate_inner_loop", as the module's functions are named.
std::string name_for(const ModuleModel& model, const Function& function, const std::string& what) {
    const auto has_underscore = [](const Function& f) {
        return f.name.find('_', 1) != std::string::npos;
    };
    const auto has_hump = [](const Function& f) {
        return std::any_of(f.name.begin() + 1, f.name.end(),
                           [](unsigned char c) { return std::isupper(c); });
    };
    const auto count = [&](auto is) {
        return std::count_if(model.functions.begin(), model.functions.end(),
                             [&](const Function& f) { return !f.name.empty() && is(f); });
    };
    const bool snake = has_underscore(function) ||
                       (!has_hump(function) && count(has_underscore) > count(has_hump));
    std::string name = function.name;
    bool begins_word = true;
    for (char c : what) {
        if (c == ' ') {
            begins_word = true;
            continue;
        }
        if (begins_word && snake)
            name += '_';
        name += begins_word && !snake ? char(std::toupper(static_cast<unsigned char>(c))) : c;
        begins_word = false;
    }
    return free_name(model, name);
}

bool has_directive(const ModuleModel& model, Site site) {
    const auto overlaps = [&](ByteRange range) {
        return range.begin < site.range.end && site.range.begin < range.end;
    };
    const auto& inactive = model.inactive[site.file];
    return std::any_of(inactive.begin(), inactive.end(), overlaps);
}

/// Why nothing can be moved out of the function, whatever it is.
std::string why_function_is_kept(const RuleInput& input, const Function& function) {
    const ModuleModel& model = input.model;
    const SourceFile& file = model.files[function.site.file];
    if (!function.body || !input.editable(file.path()))
        return fmt::format("'{}' stands outside the project", function.name);
    const Site head{function.site.file, {function.site.range.begin, function.body->begin}};
    if (function.from_macro || model.is_macro(head))
        return fmt::format("the head of '{}' comes from a macro", function.name);
    if (touches_syntax_error(model, function.site))
        return fmt::format("'{}' stands in a syntax error", function.name);
    if (!is_identifier(function.name) || function.name.starts_with("__") ||
        function.name.starts_with("operator"))
        return fmt::format("'{}' is no plain function", function.name);
    const TypeDeclaration* parent = model.find_type(function.parent_type);
    if (parent && parent->is_interface)
        return fmt::format("'{}' belongs to an interface", function.name);
    if (!begins_line(file, function.site.range.begin) || has_directive(model, head))
        return fmt::format("there is no line of its own for a function beside '{}'", function.name);
    if (declares_type(model, {function.site.file, *function.body}))
        return fmt::format("'{}' declares a type", function.name);
    for (const MacroDefinition& macro : model.macros)
        if (macro.file == function.site.file && function.site.range.contains(macro.range))
            return fmt::format("a macro is defined in '{}'", function.name);
    return "";
}

/// "<let N : int>" and "<N>"; nothing where the generic parameters do not stand behind the name.
struct Generics {
    std::string declared, arguments, where;
};

std::optional<Generics> generics_of(const ModuleModel& model, const Function& function) {
    const SourceFile& file = model.files[function.site.file];
    const std::string head =
        without_comments(file.slice({function.name_site.range.end, function.body->begin}));
    const auto open = head.find('(');
    Generics generics;
    generics.declared = std::string(trimmed(std::string_view(head).substr(0, open)));
    if (open == head.npos || generics.declared.empty() != function.generics.empty() ||
        generics.declared.find('\n') != head.npos)
        return std::nullopt;
    if (has_word(head, "where")) {
        const auto where = head.rfind("where");
        generics.where = " " + std::string(trimmed(std::string_view(head).substr(where)));
        if (generics.where.find('\n') != head.npos || head.find("where") != where)
            return std::nullopt;
    }
    for (const GenericParameter& parameter : function.generics) {
        if (!is_identifier(parameter.name) || has_word(generics.declared, "each"))
            return std::nullopt;
        generics.arguments += (generics.arguments.empty() ? "<" : ", ") + parameter.name;
    }
    generics.arguments += generics.arguments.empty() ? "" : ">";
    return generics;
}

void set_layout(const ModuleModel& model, const Function& function, OutlinedFunction& outlined) {
    const SourceFile& file = model.files[function.site.file];
    outlined.indent = indentation(file, function.site.range.begin);
    outlined.unit = indent_unit(file, *function.body, outlined.indent);
    outlined.line = std::string(file.line_ending());
    outlined.opens_on_line = opens_on_line(model, function);
    outlined.place = file.line_start(above_comments(file, function.site.range.begin));
}

/// What the code is passed, and what it gives.
void set_parameters(const std::vector<OutlinedVariable>& variables, OutlinedFunction& outlined) {
    using Direction = OutlinedVariable::Direction;
    // What is changed stands behind what is read.
    for (const bool changed : {false, true}) {
        for (const OutlinedVariable& variable : variables) {
            if (variable.direction == Direction::result) {
                if (!changed)
                    outlined.results.push_back({variable.name, variable.type, variable.local});
                continue;
            }
            if ((variable.direction != Direction::in) != changed)
                continue;
            const std::string_view direction = variable.direction == Direction::in    ? ""
                                               : variable.direction == Direction::out ? "out "
                                                                                      : "inout ";
            outlined.parameters += fmt::format(
                "{}{}{}{} {}", outlined.parameters.empty() ? "" : ", ",
                variable.no_diff ? "no_diff " : "", direction, variable.type, variable.name);
            outlined.arguments += (outlined.arguments.empty() ? "" : ", ") + variable.name;
        }
    }
}

} // namespace

std::string free_name(const ModuleModel& model, const std::string& name) {
    const auto is_taken = [&](const std::string& candidate) {
        return std::any_of(model.files.begin(), model.files.end(), [&](const SourceFile& file) {
            return has_word(without_comments(file.text()), candidate);
        });
    };
    std::string free = name;
    for (int i = 2; is_taken(free); ++i)
        free = fmt::format("{}{}", name, i);
    return free;
}

Result<OutlinedFunction> outline(const RuleInput& input, FunctionFlows& flows,
                                 const CodeToOutline& wanted) {
    const ModuleModel& model = input.model;
    const Function& function = model.functions[wanted.function];
    const Place place = model.place(wanted.code.front());
    if (std::string why = why_function_is_kept(input, function); !why.empty())
        return fail(std::move(why), place);
    for (const Site& code : wanted.code) {
        if (code.file != function.site.file || !function.body->contains(code.range))
            return fail(fmt::format("it does not stand in '{}'", function.name), place);
        if (model.is_macro(code) || has_directive(model, code))
            return fail("a macro or a preprocessor line stands in it", model.place(code));
        if (std::string why = why_bound_to_place(model, code, wanted.inside_loop); !why.empty())
            return fail(std::move(why), model.place(code));
    }
    const auto generics = generics_of(model, function);
    if (!generics)
        return fail(
            fmt::format("the generic parameters of '{}' cannot be written again", function.name),
            place);
    const auto variables = outlined_variables(model, flows.of(wanted.function), wanted);
    if (!variables)
        return tl::unexpected(variables.error());

    OutlinedFunction outlined;
    outlined.name = name_for(model, function, wanted.what);
    outlined.generics = generics->declared;
    outlined.where = generics->where;
    outlined.call = outlined.name + generics->arguments;
    set_layout(model, function, outlined);
    set_parameters(*variables, outlined);
    if (function.has_attribute("NoDiffThis"))
        outlined.attributes = outlined.indent + "[NoDiffThis]" + outlined.line;
    if (std::find(function.modifiers.begin(), function.modifiers.end(), "static") !=
        function.modifiers.end())
        outlined.modifiers = "static ";
    return outlined;
}

std::string OutlinedFunction::call_with(const std::string& first) const {
    return fmt::format("{}({}{}{})", call, first, first.empty() || arguments.empty() ? "" : ", ",
                       arguments);
}

SourceEdit OutlinedFunction::declare(const SourceFile& file, const std::string& body,
                                     const std::string& first, const std::string& return_type,
                                     const std::string& mark) const {
    const std::string open = opens_on_line ? " {" : line + indent + "{";
    const std::string marked = mark.empty() ? "" : indent + "[" + mark + "]" + line;
    const std::string text = fmt::format(
        "{0}{1}{2}[Differentiable]{3}{2}{4}{5} {6}{7}({8}{9}{10}){11}{12}{3}{13}{2}}}{3}{3}",
        marked, attributes, indent, line, modifiers, return_type, name, generics, first,
        first.empty() || parameters.empty() ? "" : ", ", parameters, where, open, body);
    return {file.path(), {place, place}, text};
}

} // namespace slimgrad
