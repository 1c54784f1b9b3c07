#include "attributes/memory_types.h"

#include "attributes/builtins.h"
#include "attributes/expression_text.h"
#include "rewriter/type_alias.h"

#include <algorithm>
#include <iterator>

namespace slimgrad {

namespace {

constexpr int deepest = 12; ///< types in types; what nests deeper counts as memory

/// "float" of "float[W * W][2]": an array is what its elements are.
std::string without_sizes(std::string_view type) {
    std::string result;
    int depth = 0;
    for (char c : type) {
        depth += c == '[';
        if (depth == 0)
            result += c;
        depth -= c == ']';
    }
    return std::string(trimmed(result));
}

/// "A" and "W" of `struct Net<A, let W : int = 4> where ..`.
std::vector<std::string> generic_parameters(std::string_view declaration) {
    const std::string_view head = declaration.substr(0, declaration.find_first_of("{:"));
    const auto open = head.find('<');
    std::vector<std::string> names;
    if (open == std::string_view::npos)
        return names;
    int depth = 0;
    std::size_t begin = open + 1;
    const std::string_view rest = declaration.substr(0, declaration.find('{'));
    for (std::size_t i = open; i < rest.size(); ++i) {
        depth += rest[i] == '<' ? 1 : rest[i] == '>' ? -1 : 0;
        if (depth != 0 && !(depth == 1 && rest[i] == ','))
            continue;
        std::string_view parameter = trimmed(rest.substr(begin, i - begin));
        for (std::string_view word : {"let ", "each ", "typename "})
            if (parameter.starts_with(word))
                parameter = trimmed(parameter.substr(word.size()));
        names.push_back(first_name(parameter));
        begin = i + 1;
        if (depth == 0)
            break;
    }
    return names;
}

/// The type with arguments in the place of parameters, word by word.
std::string substituted(std::string_view type, const std::vector<std::string>& parameters,
                        const std::vector<std::string_view>& arguments) {
    std::string result;
    for (std::size_t i = 0; i < type.size();) {
        std::size_t end = i;
        while (end < type.size() && is_name(type[end]))
            ++end;
        const std::string_view word = type.substr(i, std::max(end, i + 1) - i);
        const auto found = std::find(parameters.begin(), parameters.end(), word);
        const auto index = std::size_t(found - parameters.begin());
        result += index < arguments.size() ? arguments[index] : word;
        i += word.size();
    }
    return result;
}

bool is_enum(const ModuleModel& model, std::string_view type) {
    return std::any_of(model.enum_constants.begin(), model.enum_constants.end(),
                       [&](const EnumConstant& constant) {
                           const auto end = constant.name.rfind('.');
                           return std::string_view(constant.name).substr(0, end) == type;
                       });
}

bool is_memory_type(const ModuleModel& model, std::string_view written, int depth) {
    if (depth > deepest)
        return true;
    const std::string without = without_sizes(written);
    const std::string_view type = without;
    for (std::string_view word : {"Buffer", "Texture", "TensorView", "Tensor", "Ptr", "*",
                                  "ParameterBlock", "Image", "Atomic", "Ref<"}) {
        if (type.find(word) != std::string_view::npos)
            return true;
    }
    const std::string name = first_name(type);
    if (const TypeDeclaration* declaration = model.find_type(name)) {
        // Who implements an interface may hold anything. Bases that the module does not declare are
        // the core module's interfaces.
        if (declaration->is_interface)
            return true;
        const auto parameters = generic_parameters(model.text(declaration->site));
        const auto arguments = type_arguments(type);
        const auto is_memory = [&](std::string_view part) {
            return is_memory_type(model, substituted(part, parameters, arguments), depth + 1);
        };
        for (const std::string& base : declaration->bases) {
            const TypeDeclaration* known = model.find_type(first_name(base));
            if (known && !known->is_interface && is_memory(base))
                return true;
        }
        return std::any_of(
            declaration->fields.begin(), declaration->fields.end(),
            [&](const TypeDeclaration::Field& field) { return is_memory(field.type); });
    }
    if (const MacroDefinition* macro = model.find_only_macro(name);
        macro && !macro->function_like && name == type && !macro->body.empty())
        return is_memory_type(model, macro->body, depth + 1);
    if (is_enum(model, type))
        return false;
    if (const std::string meant = type_behind_alias(model, type); meant != type)
        return is_memory_type(model, meant, depth + 1);
    if (!is_builtin_type(name))
        return true;
    // "Array<T, N>", "Tuple<A, B>", "vector<float, N>": N is a number.
    for (std::string_view argument : type_arguments(type)) {
        const std::string inner = first_name(argument);
        const GlobalVariable* constant = model.find_global(inner);
        const bool number = inner.empty() || constant || model.find_macro(inner) ||
                            (argument.size() == inner.size() && inner.size() == 1);
        if (!number && is_memory_type(model, argument, depth + 1))
            return true;
    }
    return false;
}

} // namespace

bool is_inferred_type(std::string_view type) {
    return type == "var" || type == "let" || type == "auto" || type.empty();
}

bool is_pointer_type(std::string_view type) {
    return type.find('*') != std::string_view::npos || type.find("Ptr") != std::string_view::npos ||
           type.find("Ref<") != std::string_view::npos;
}

bool is_binding_type(std::string_view type) {
    if (is_pointer_type(type) || type.find("Handle") != std::string_view::npos)
        return false;
    return type.find("Buffer") != std::string_view::npos ||
           type.find("Texture") != std::string_view::npos ||
           type.find("Image") != std::string_view::npos;
}

bool is_memory_type(const ModuleModel& model, std::string_view type) {
    return is_memory_type(model, type, 0);
}

bool is_memory_type(const ModuleModel& model, std::string_view type,
                    const std::vector<GenericParameter>& generics) {
    const std::string name = without_sizes(type);
    for (const GenericParameter& parameter : generics) {
        if (parameter.name != name || parameter.is_value)
            continue;
        constexpr std::string_view of_values[] = {"__BuiltinArithmeticType",
                                                  "__BuiltinFloatingPointType",
                                                  "__BuiltinIntegerType",
                                                  "__BuiltinRealType",
                                                  "__BuiltinSignedArithmeticType",
                                                  "IArithmetic",
                                                  "IDifferentiable",
                                                  "IFloat",
                                                  "IInteger"};
        const auto interfaces = names_in(parameter.constraint);
        const bool is_value =
            std::any_of(interfaces.begin(), interfaces.end(), [&](const std::string& interface) {
                return !model.find_type(interface) &&
                       std::find(std::begin(of_values), std::end(of_values), interface) !=
                           std::end(of_values);
            });
        return !is_value ||
               std::any_of(model.types.begin(), model.types.end(), [&](const TypeDeclaration& t) {
                   return !t.is_interface && is_memory_type(model, t.name);
               });
    }
    return is_memory_type(model, type);
}

std::string member_type(const ModuleModel& model, std::string type,
                        const std::vector<std::string>& members) {
    for (const std::string& member : members) {
        std::string name = first_name(type);
        if (name == "ConstantBuffer" || name == "ParameterBlock") {
            const auto arguments = type_arguments(type);
            name = arguments.empty() ? "" : first_name(arguments[0]);
        }
        const TypeDeclaration* declaration = model.find_type(name);
        if (!declaration)
            return type;
        const auto field =
            std::find_if(declaration->fields.begin(), declaration->fields.end(),
                         [&](const TypeDeclaration::Field& f) { return f.name == member; });
        if (field == declaration->fields.end())
            return type;
        type = field->type;
    }
    return type;
}

} // namespace slimgrad
