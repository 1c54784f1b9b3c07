#include "attributes/receiver_type.h"

#include "attributes/expression_text.h"

#include <algorithm>

namespace slimgrad {

namespace {

/// As the local variable that the call's receiver is was declared: "Layer<IN, 8>", where IN is a
/// macro. "" where it is none.
std::string declared_type(const ModuleModel& model, Index call) {
    for (const Access& access : model.accesses) {
        if (access.receiver_of == call && access.local != none && access.members.empty() &&
            !access.subscript)
            return model.locals[access.local].type;
    }
    return "";
}

/// The type stands in another one, whose generic arguments its own name does not say.
bool is_nested(const ModuleModel& model, const Function& function) {
    std::string_view outer = function.qualified_name;
    const auto drop_last = [&] {
        const auto dot = outer.rfind('.');
        outer = outer.substr(0, dot == outer.npos ? 0 : dot);
    };
    drop_last(); // the function
    drop_last(); // its type
    return !outer.empty() && model.find_type(last_name(outer));
}

} // namespace

std::optional<std::vector<std::string>> receiver_arguments(const ModuleModel& model, Index index,
                                                           const Function& function) {
    const Call& call = model.calls[index];
    if (is_nested(model, function))
        return std::nullopt;
    if (call.callee == function.parent_type && function.name == "__init")
        return call.generic_arguments;
    std::string type;
    if (call.receiver_site)
        type = model.type_of(*call.receiver_site);
    // "_" is an argument that is not known.
    const auto known = type_arguments(type);
    if (type.empty() || std::find(known.begin(), known.end(), "_") != known.end())
        type = declared_type(model, index);
    if (type.empty())
        type = call.receiver;
    if (last_name(type.substr(0, type.find('<'))) != function.parent_type)
        return std::nullopt;
    std::vector<std::string> arguments;
    for (const std::string_view argument : type_arguments(type))
        arguments.emplace_back(argument);
    return arguments;
}

} // namespace slimgrad
