#include "rewriter/type_alias.h"

#include <algorithm>

namespace slimgrad {

namespace {

constexpr int deepest = 16; ///< aliases of aliases

/// Whether a generic parameter of the module has the name: a field's type may be that.
bool is_generic(const ModuleModel& model, std::string_view name) {
    const auto has = [&](const std::vector<GenericParameter>& generics) {
        return std::any_of(generics.begin(), generics.end(),
                           [&](const GenericParameter& generic) { return generic.name == name; });
    };
    return std::any_of(
               model.functions.begin(), model.functions.end(),
               [&](const Function& f) { return has(f.generics) || has(f.outer_generics); }) ||
           std::any_of(model.types.begin(), model.types.end(), [&](const TypeDeclaration& type) {
               const std::string_view text = model.text(type.site);
               const std::string_view head = text.substr(0, text.find('{'));
               const auto generics = head.find('<');
               return generics != std::string_view::npos &&
                      head.find(name, generics) != std::string_view::npos;
           });
}

/// Null where there is none, or where the module has several of this name: which one holds depends
/// on the place.
const TypeAlias* find_alias(const ModuleModel& model, std::string_view name) {
    const TypeAlias* found = nullptr;
    for (const TypeAlias& alias : model.aliases) {
        if (alias.name != name)
            continue;
        if (found && found->type != alias.type)
            return nullptr;
        found = &alias;
    }
    return found && !model.find_type(name) && !is_generic(model, name) ? found : nullptr;
}

} // namespace

std::string type_behind_alias(const ModuleModel& model, std::string_view type) {
    std::string result(type);
    for (int depth = 0; depth < deepest; ++depth) {
        const TypeAlias* alias = find_alias(model, result);
        if (!alias || alias->type.empty())
            return result;
        result = alias->type;
    }
    return result;
}

} // namespace slimgrad
