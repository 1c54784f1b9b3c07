#include "rewriter/requirements.h"

#include <set>
#include <string>
#include <string_view>

namespace slimgrad {

namespace {

/// "Box" of "geometry::Box<T, 4>".
std::string plain_name(std::string_view type) {
    type = type.substr(0, type.find('<'));
    while (!type.empty() && type.back() == ' ')
        type.remove_suffix(1);
    const auto qualifier = type.find_last_of(".:");
    return std::string(qualifier == std::string_view::npos ? type : type.substr(qualifier + 1));
}

void add_bases(const ModuleModel& model, const std::string& type, std::set<std::string>& bases) {
    const auto add = [&](const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            if (bases.insert(plain_name(name)).second)
                add_bases(model, plain_name(name), bases);
        }
    };
    for (const TypeDeclaration& declaration : model.types) {
        if (plain_name(declaration.name) == type)
            add(declaration.bases);
    }
    for (const TypeExtension& extension : model.extensions) {
        if (plain_name(extension.type) == type)
            add(extension.bases);
    }
}

bool is_interface(const ModuleModel& model, const std::string& type) {
    for (const TypeDeclaration& declaration : model.types) {
        if (declaration.is_interface && plain_name(declaration.name) == type)
            return true;
    }
    return false;
}

} // namespace

std::vector<Index> requirements_of(const ModuleModel& model, Index function) {
    std::vector<Index> requirements;
    const Function& method = model.functions[function];
    if (method.parent_type.empty())
        return requirements;
    std::set<std::string> bases;
    add_bases(model, plain_name(method.parent_type), bases);
    for (Index i = 0; i < model.functions.size(); ++i) {
        const Function& other = model.functions[i];
        const std::string type = plain_name(other.parent_type);
        if (i != function && other.name == method.name && !other.parent_type.empty() &&
            other.parameters.size() == method.parameters.size() && bases.contains(type) &&
            is_interface(model, type))
            requirements.push_back(i);
    }
    return requirements;
}

} // namespace slimgrad
