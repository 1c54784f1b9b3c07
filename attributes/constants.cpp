#include "attributes/constants.h"

#include "attributes/expression_text.h"
#include "attributes/function_names.h"

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

std::optional<ConstantName> named_constant(const ModuleModel& model, Index function,
                                           const std::string& name, std::string_view use) {
    if (function != none && model.functions[function].hidden_names.contains(name))
        return ConstantName{true, ""};
    if (const GlobalVariable* global = model.find_global(name)) {
        const auto count = std::count_if(model.globals.begin(), model.globals.end(),
                                         [&](const auto& g) { return g.name == name; });
        if (global->kind != GlobalKind::constant || !global->initializer || count > 1)
            return ConstantName{true, ""};
        if (use.empty())
            return ConstantName{true, *global->initializer, global->type};
        const auto element = array_constant(use, global->type, *global->initializer);
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

} // namespace

std::optional<ConstantName> array_constant(std::string_view name, std::string_view type,
                                           std::string_view initializer) {
    const auto open = type.find('[');
    if (open == std::string_view::npos || type.find('[', open + 1) != std::string_view::npos)
        return std::nullopt;
    const auto elements = elements_of(initializer);
    if (name.ends_with(".getCount()")) {
        const std::string_view size = trimmed(type.substr(open + 1, type.find(']') - open - 1));
        if (size.empty() && elements.empty())
            return std::nullopt;
        return ConstantName{true,
                            size.empty() ? std::to_string(elements.size()) : std::string(size)};
    }
    const std::string_view digits = name.substr(name.find('[') + 1);
    std::size_t at = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), at);
    if (code != std::errc{} || *end != ']' || at >= elements.size())
        return std::nullopt;
    return ConstantName{true, std::string(elements[at]),
                        std::string(trimmed(type.substr(0, open)))};
}

std::optional<ConstantName> global_constant(const ModuleModel& model, Index function,
                                            std::string_view name, ConstantTraits& traits) {
    const auto known = [&](std::optional<ConstantName> constant, const std::string& declaration) {
        const bool is_known = constant && !constant->expression.empty();
        if (is_known)
            traits.constants.insert(declaration);
        return is_known ? std::move(constant) : std::nullopt;
    };
    const std::string_view head = head_of(name), array = array_of(name);
    if (is_generic(model, function, head))
        return std::nullopt;
    if (model.find_macro(head) && !model.find_only_macro(head))
        return std::nullopt; // what it means depends on the place
    const std::string declared(array.empty() ? name : array);
    const std::string_view use = array.empty() ? std::string_view() : name;
    if (function != none) {
        // In `N.S.f` a name is one of N.S, of N, or of the file.
        std::string_view scope = model.functions[function].qualified_name;
        for (auto dot = scope.rfind('.'); dot != std::string_view::npos; dot = scope.rfind('.')) {
            scope = scope.substr(0, dot);
            const std::string member = std::string(scope) + "." + declared;
            if (auto constant = named_constant(model, function, member, use))
                return known(std::move(constant), member);
        }
        if (!model.functions[function].parent_type.empty() && may_be_member(model, head))
            return std::nullopt;
    }
    if (auto constant = named_constant(model, function, declared, use))
        return known(std::move(constant), declared);
    traits.has_macro = traits.has_macro || model.find_macro(name);
    const MacroDefinition* macro = model.find_only_macro(name);
    if (!macro || macro->function_like)
        return std::nullopt;
    return ConstantName{true, macro->body, "", true};
}

bool calls_own_function(const ModuleModel& model, std::string_view expression) {
    for (const std::string_view name : {"min", "max", "clamp", "abs"}) {
        if (expression.find(name) != std::string_view::npos &&
            (!model.find_functions(name).empty() || model.find_macro(name)))
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
    if (calls_own_function(model, text))
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
        if (is_generic(model, function, name) || model.find_type(name))
            continue; // `N`, or `T` and `S` of `T.count`, which only a constant can be
        ConstantTraits traits;
        const auto constant = constant_name(model, function, name, traits);
        // A local's initializer is not in scope of an attribute of its loop; only file-level
        // constants and macros are.
        if (!constant || is_local_name(model, function, name))
            return false;
        const bool is_integer =
            constant->type.empty() || constant->type == "let" || integer_type(constant->type);
        if (!is_integer || (constant->is_text && !is_operand(constant->expression)))
            return false;
    }
    return !expression.empty() && !calls_own_function(model, expression);
}

} // namespace slimgrad
