#include "attributes/memory_types.h"

#include "attributes/builtins.h"
#include "attributes/expression_text.h"

#include <algorithm>

namespace slimgrad {

namespace {

constexpr int deepest = 12; ///< types in types; what nests deeper counts as memory

bool is_memory_type(const ModuleModel& model, std::string_view type, int depth) {
    type = trimmed(type);
    if (depth > deepest)
        return true;
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
        for (const std::string& base : declaration->bases) {
            const TypeDeclaration* known = model.find_type(first_name(base));
            if (known && !known->is_interface && is_memory_type(model, base, depth + 1))
                return true;
        }
        return std::any_of(declaration->fields.begin(), declaration->fields.end(),
                           [&](const TypeDeclaration::Field& field) {
                               return is_memory_type(model, field.type, depth + 1);
                           });
    }
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
