#include "attributes/constants.h"

#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "rewriter/enclosing_namespace.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace slimgrad {

namespace {

/// The first of "K[2]", "K.getCount()", "S.N".
std::string_view head_of(std::string_view name) {
    return name.substr(0, name.find_first_of(".["));
}

/// "K" of "S.K[2]" and "S.K.getCount()".
std::string_view array_of(std::string_view name) {
    if (name.ends_with(".getCount()"))
        return name.substr(0, name.rfind('.'));
    return name.ends_with(']') ? name.substr(0, name.find('[')) : std::string_view();
}

/// "S" of "S.y" and "S.g".
std::string_view vector_of(std::string_view name) {
    const bool is_component = name.size() > 2 && name[name.size() - 2] == '.' &&
                              std::string_view("xyzwrgba").find(name.back()) != name.npos;
    return is_component ? name.substr(0, name.size() - 2) : std::string_view();
}

/// "1", "{2, 3}" and "f(4, 5)" of "{1, {2, 3}, f(4, 5)}".
std::vector<std::string_view> elements_of(std::string_view list) {
    std::vector<std::string_view> elements;
    list = trimmed(list);
    if (!list.starts_with('{') || !list.ends_with('}'))
        return elements;
    int depth = 0;
    std::size_t begin = 1;
    for (std::size_t i = 1; i < list.size(); ++i) {
        const char c = list[i];
        if ((c == ',' && depth == 0) || i + 1 == list.size()) {
            const std::string_view element = trimmed(list.substr(begin, i - begin));
            if (!element.empty())
                elements.push_back(element);
            begin = i + 1;
        }
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    }
    return elements;
}

std::string without_space(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (!std::isspace(static_cast<unsigned char>(c)))
            result += c;
    }
    return result;
}

/// Whether a member of some type, which is not one of the constants, may have this name.
bool may_be_member(const ModuleModel& model, std::string_view name) {
    const std::string end = "." + std::string(name), accessor = end + ".get";
    return std::any_of(model.types.begin(), model.types.end(),
                       [&](const TypeDeclaration& type) {
                           return std::any_of(type.fields.begin(), type.fields.end(),
                                              [&](const auto& f) { return f.name == name; });
                       }) ||
           std::any_of(model.globals.begin(), model.globals.end(),
                       [&](const GlobalVariable& g) { return g.name.ends_with(end); }) ||
           std::any_of(model.functions.begin(), model.functions.end(),
                       [&](const Function& f) { return f.qualified_name.ends_with(accessor); });
}

/// Globals that "N", "S.N" of a type's member or "A.N" of a namespace's may be.
std::vector<const GlobalVariable*> globals_named(const ModuleModel& model, std::string_view name) {
    std::vector<const GlobalVariable*> found;
    const auto dot = name.rfind('.');
    const std::string_view last = name.substr(dot == name.npos ? 0 : dot + 1);
    for (const GlobalVariable& global : model.globals) {
        if (global.name == name || (dot != name.npos && global.name == last &&
                                    enclosing_namespace(model, global.site) == name.substr(0, dot)))
            found.push_back(&global);
    }
    return found;
}

/// Whether names in what a constant is declared with may mean something else where it is used.
bool has_ambiguous_names(const ModuleModel& model, std::string_view initializer) {
    const auto names = names_in(initializer);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        const std::string member = "." + name;
        return std::count_if(model.globals.begin(), model.globals.end(), [&](const auto& global) {
                   return global.name == name || global.name.ends_with(member);
               }) > 1;
    });
}

/// From its name to the end of its declaration.
bool is_broken(const ModuleModel& model, const GlobalVariable& global) {
    const std::string& text = model.files[global.site.file].text();
    const std::size_t end = std::min(text.find(';', global.site.range.begin), text.size());
    return model.is_broken(
        {global.site.file, {global.site.range.begin, static_cast<std::uint32_t>(end)}});
}

std::optional<ConstantName> named_constant(const ModuleModel& model, Index function,
                                           const std::string& name, std::string_view use) {
    if (function != none && model.functions[function].hidden_names.contains(name))
        return ConstantName{true, ""};
    if (const auto globals = globals_named(model, name); !globals.empty()) {
        const GlobalVariable& global = *globals[0];
        if (globals.size() > 1 || global.kind != GlobalKind::constant || !global.initializer ||
            is_broken(model, global) || has_ambiguous_names(model, *global.initializer))
            return ConstantName{true, ""};
        if (use.empty())
            return ConstantName{true, *global.initializer, global.type};
        const auto element = array_constant(use, global.type, *global.initializer);
        return element ? element : ConstantName{true, ""};
    }
    const EnumConstant* found = nullptr;
    for (const EnumConstant& constant : model.enum_constants) {
        if (constant.name != name)
            continue;
        if (found)
            return ConstantName{true, ""};
        found = &constant;
    }
    return found && use.empty() ? std::optional(ConstantName{true, found->value, found->type})
                                : std::nullopt;
}

/// A constant with the qualified name of its declaration.
struct Declared {
    std::string name;
    ConstantName constant;
};

/// Of what stands in `outer`, "N.S." or "": a constant, an element of one, a component of one.
std::optional<Declared> constant_in(const ModuleModel& model, Index function,
                                    std::string_view outer, std::string_view name) {
    const std::string_view array = array_of(name), vector = vector_of(name);
    for (const std::string_view part : {array.empty() ? name : array, vector}) {
        std::string declared = std::string(outer).append(part);
        const std::string_view use = part == name ? std::string_view() : name;
        if (part.empty())
            continue;
        if (auto constant = named_constant(model, function, declared, use))
            return Declared{std::move(declared), *std::move(constant)};
    }
    return std::nullopt;
}

/// `T.hits` of a static member that may be written.
bool names_mutable_member(const ModuleModel& model, std::string_view expression) {
    return std::any_of(
        model.globals.begin(), model.globals.end(), [&](const GlobalVariable& global) {
            const auto dot = global.name.rfind('.');
            if (dot == std::string::npos || global.kind == GlobalKind::constant)
                return false;
            const std::string_view member = std::string_view(global.name).substr(dot);
            for (auto at = expression.find(member); at != std::string_view::npos;
                 at = expression.find(member, at + 1)) {
                const std::size_t end = at + member.size();
                if (end == expression.size() || !is_name(expression[end]))
                    return true;
            }
            return false;
        });
}

std::optional<ConstantName> local_constant(const ModuleModel& model, Index function,
                                           std::string_view name) {
    const std::string_view head = head_of(name);
    const LocalVariable* local = find_local(model, function, head);
    // Scopes are not followed: a name that also means something outside the function may mean
    // that here.
    if (!local || !local->initializer || local->reassigned || model.find_global(head) ||
        model.find_macro(head))
        return std::nullopt;
    const std::string_view initializer = model.text(*local->initializer);
    return head == name ? ConstantName{true, std::string(initializer), local->type}
                        : array_constant(name, local->type, initializer);
}

/// One word, or all of it in parentheses: it means the same wherever it stands.
bool is_operand(std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_name) || compact(text) != without_space(text);
}

std::optional<ConstantName> constant_name(const ModuleModel& model, Index function,
                                          std::string_view name, ConstantTraits& traits) {
    const std::string_view head = head_of(name);
    std::uint32_t index = 0;
    if (find_parameter(model, function, head, index))
        return std::nullopt;
    if (is_local_name(model, function, head))
        return local_constant(model, function, name);
    return global_constant(model, function, name, traits);
}

/// 2 of "K[2]".
std::optional<std::size_t> subscript_of(std::string_view name) {
    const std::string_view digits = name.substr(name.find('[') + 1); // npos + 1 is 0
    std::size_t at = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), at);
    const bool is_all = code == std::errc{} && std::string_view(end, digits.end()) == "]";
    return is_all ? std::optional(at) : std::nullopt;
}

/// "4" for "S.y" and "S[1]" of an int2 that is `int2(3, 4)`, `{3, 4}` or `int2(4)`.
std::optional<ConstantName> component(std::string_view name, std::string_view type,
                                      std::string_view initializer) {
    const std::string_view scalar = type.substr(0, std::max<std::size_t>(type.size(), 1) - 1);
    if (!integer_type(scalar) || type.back() < '2' || type.back() > '4')
        return std::nullopt;
    const std::size_t size = std::size_t(type.back() - '0');
    std::string list(trimmed(initializer));
    const bool is_constructed = list.starts_with(std::string(type) + "(") && list.ends_with(')');
    if (is_constructed)
        list = "{" + list.substr(type.size() + 1, list.size() - type.size() - 2) + "}";
    const auto elements = elements_of(list);
    const auto subscript = subscript_of(name);
    if (!subscript && vector_of(name).empty())
        return std::nullopt;
    std::size_t at = subscript ? *subscript : std::string_view("xyzwrgba").find(name.back()) % 4;
    if (at >= size)
        return std::nullopt;
    if (is_constructed && elements.size() == 1)
        at = 0; // all are that
    else if (elements.size() != size)
        return std::nullopt; // some are vectors
    return ConstantName{true, std::string(elements[at]), std::string(scalar)};
}

} // namespace

std::optional<ConstantName> array_constant(std::string_view name, std::string_view type,
                                           std::string_view initializer) {
    if (type.find('[') == std::string_view::npos)
        return component(name, type, initializer);
    const auto open = type.find('[');
    if (type.find('[', open + 1) != std::string_view::npos || !vector_of(name).empty())
        return std::nullopt;
    const auto elements = elements_of(initializer);
    if (name.ends_with(".getCount()")) {
        const std::string_view size = trimmed(type.substr(open + 1, type.find(']') - open - 1));
        if (size.empty() && elements.empty())
            return std::nullopt;
        return ConstantName{true,
                            size.empty() ? std::to_string(elements.size()) : std::string(size)};
    }
    const auto at = subscript_of(name);
    if (!at || *at >= elements.size())
        return std::nullopt;
    return ConstantName{true, std::string(elements[*at]),
                        std::string(trimmed(type.substr(0, open)))};
}

std::optional<ConstantName> global_constant(const ModuleModel& model, Index function,
                                            std::string_view name, ConstantTraits& traits) {
    const auto known = [&](Declared found) -> std::optional<ConstantName> {
        if (found.constant.expression.empty())
            return std::nullopt;
        // The model has the members of namespaces without these.
        traits.constants.insert(last_name(found.name));
        traits.constants.insert(std::move(found.name));
        return std::move(found.constant);
    };
    const std::string_view head = head_of(name);
    if (is_generic(model, function, head))
        return std::nullopt;
    if (model.find_macro(head) && !model.find_only_macro(head))
        return std::nullopt; // what it means depends on the place
    if (function != none) {
        // In `N.S.f` a name is one of N.S, of N, or of the file.
        std::string_view scope = model.functions[function].qualified_name;
        for (auto dot = scope.rfind('.'); dot != std::string_view::npos; dot = scope.rfind('.')) {
            if (auto found = constant_in(model, function, scope.substr(0, dot + 1), name))
                return known(*std::move(found));
            scope = scope.substr(0, dot);
        }
        if (!model.functions[function].parent_type.empty() && may_be_member(model, head))
            return std::nullopt;
    }
    if (auto found = constant_in(model, function, "", name))
        return known(*std::move(found));
    traits.has_macro = traits.has_macro || model.find_macro(name);
    const MacroDefinition* macro = model.find_only_macro(name);
    if (!macro || macro->function_like)
        return std::nullopt;
    return ConstantName{true, macro->body, "", true};
}

bool calls_own_function(const ModuleModel& model, Index function, std::string_view expression) {
    for (const std::string_view name : {"min", "max", "clamp", "abs"}) {
        if (expression.find(name) != std::string_view::npos &&
            (!model.find_functions(name).empty() || model.find_macro(name) ||
             is_variable_name(model, function, name)))
            return true;
    }
    return false;
}

std::string without_macro(const ModuleModel& model, const std::string& expression) {
    const MacroDefinition* macro = model.find_only_macro(trimmed(expression));
    const bool is_used = macro && !macro->function_like &&
                         macro->body.find_first_of("<>=&|^?,") == std::string::npos;
    return is_used ? macro->body : expression;
}

std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function,
                                           const std::string& expression, ConstantTraits& traits) {
    const auto lookup = [&](std::string_view name) {
        return constant_name(model, function, name, traits);
    };
    const std::string text = without_macro(model, expression);
    if (calls_own_function(model, function, text))
        return std::nullopt;
    traits.has_macro = traits.has_macro || text != expression;
    return evaluate_integer(text, lookup);
}

std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function,
                                           const std::string& expression) {
    ConstantTraits traits;
    return constant_value(model, function, expression, traits);
}

bool is_constant_expression(const ModuleModel& model, Index function, std::string_view expression) {
    if (names_mutable_member(model, expression))
        return false;
    for (const std::string& name : names_in(expression)) {
        if (name == "max" || name == "min" || integer_type(name))
            continue;
        if (is_variable_name(model, function, name))
            return false; // not in scope of an attribute of the loop
        if (is_generic(model, function, name) || model.find_type(name))
            continue; // `N`, or `T` and `S` of `T.count`, which only a constant can be
        ConstantTraits traits;
        const auto constant = constant_name(model, function, name, traits);
        if (!constant)
            return false;
        const bool is_integer =
            constant->type.empty() || constant->type == "let" || integer_type(constant->type);
        if (!is_integer || (constant->is_text && !is_operand(constant->expression)))
            return false;
    }
    return !expression.empty() && !calls_own_function(model, function, expression);
}

std::string constant_limit(const ModuleModel& model, Index function,
                           const std::string& expression) {
    const auto is_limit = [&](const std::string& text) {
        const auto names = names_in(text);
        return is_integer_text(text) && is_constant_expression(model, function, text) &&
               std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                   return is_generic(model, function, name);
               });
    };
    if (is_limit(expression))
        return expression;
    const auto arguments = call_arguments(compact(expression), "min");
    if (!arguments || calls_own_function(model, function, expression))
        return "";
    const auto limit = std::find_if(arguments->begin(), arguments->end(), is_limit);
    return limit == arguments->end() ? "" : *limit;
}

} // namespace slimgrad
