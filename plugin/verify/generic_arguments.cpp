#include "plugin/verify/generic_arguments.h"

#include "attributes/expression_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace slimgrad::verify {
namespace {

constexpr int deepest = 8; ///< of variables that stand for others

bool is_inferred(std::string_view type) {
    return type == "var" || type == "let" || type == "auto";
}

/// Reads what the text says of the types of expressions in one function.
class WrittenTypes {
  public:
    WrittenTypes(const ModuleModel& model, const Function& function)
        : model_(model), function_(function) {}

    /// "" where it is not written.
    std::string of(Site expression, int depth = 0) const {
        const std::string text = compact(model_.text(expression));
        if (depth > deepest || text.empty())
            return "";
        for (const Access& access : model_.accesses)
            if (access.site == expression && access.members.empty())
                return of_variable(access, depth);
        for (const Call& call : model_.calls)
            if (call.site == expression && call.receiver.empty())
                return of_call(call, depth);
        return "";
    }

  private:
    std::string of_variable(const Access& access, int depth) const {
        std::string type;
        if (access.local != none) {
            const LocalVariable& local = model_.locals[access.local];
            type = local.type;
            if (is_inferred(type))
                type = local.initializer ? of(*local.initializer, depth + 1) : "";
        } else if (const auto own =
                       std::find_if(function_.parameters.begin(), function_.parameters.end(),
                                    [&](const Parameter& p) { return p.name == access.name; });
                   own != function_.parameters.end()) {
            type = own->type;
        } else if (const GlobalVariable* global = model_.find_global(access.name)) {
            type = global->type;
        }
        if (!access.subscript)
            return compact(type);
        const std::vector<std::string_view> element = type_arguments(type);
        return type.find("StructuredBuffer<") != std::string::npos && element.size() == 1
                   ? compact(element[0])
                   : "";
    }

    std::string of_call(const Call& call, int depth) const {
        if (call.callee == "diffPair" && !call.arguments.empty()) {
            const std::string primal = of(call.arguments[0], depth + 1);
            return primal.empty() ? "" : "DifferentialPair<" + primal + ">";
        }
        return model_.find_type(call.callee) && call.generic_arguments.empty() ? call.callee : "";
    }

    const ModuleModel& model_;
    const Function& function_;
};

/// What stands in `type` where the parameter's type has the name, if the rest is the same: "8" for
/// `float[N]` and `float[8]`.
std::optional<std::string> matched(const std::string& parameter, const std::string& name,
                                   const std::string& type) {
    for (std::size_t at = parameter.find(name); at != std::string::npos;
         at = parameter.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at > 0 && is_name(parameter[at - 1])) ||
            (end < parameter.size() && is_name(parameter[end])))
            continue;
        const std::string_view before = std::string_view(parameter).substr(0, at),
                               after = std::string_view(parameter).substr(end);
        if (type.size() <= before.size() + after.size() || !type.starts_with(before) ||
            !type.ends_with(after))
            return std::nullopt;
        return type.substr(before.size(), type.size() - before.size() - after.size());
    }
    return std::nullopt;
}

} // namespace

std::string generic_arguments(const ModuleModel& model, const Call& call) {
    const std::vector<Index> candidates = model.find_functions(call.callee);
    if (candidates.size() != 1 || call.function == none || !call.generic_arguments.empty())
        return "";
    const Function& generic = model.functions[candidates.front()];
    const bool only_out = std::any_of(
        generic.parameters.begin(), generic.parameters.end(), [](const Parameter& parameter) {
            return std::find(parameter.modifiers.begin(), parameter.modifiers.end(), "out") !=
                   parameter.modifiers.end();
        });
    if (generic.generics.empty() || !generic.parent_type.empty() || only_out)
        return "";
    const WrittenTypes types(model, model.functions[call.function]);
    std::map<std::string, std::string> found;
    for (std::size_t i = 0; i < generic.parameters.size() && i < call.arguments.size(); ++i) {
        std::string type = types.of(call.arguments[i]);
        if (type.starts_with("DifferentialPair<") && type.ends_with(">"))
            type = type.substr(17, type.size() - 18);
        const std::string parameter = compact(generic.parameters[i].type);
        for (const GenericParameter& name : generic.generics)
            if (const auto argument = matched(parameter, name.name, type))
                found.emplace(name.name, *argument);
    }
    std::string text;
    for (const GenericParameter& name : generic.generics) {
        if (!found.contains(name.name))
            return "";
        text += (text.empty() ? "<" : ", ") + found[name.name];
    }
    return text + ">";
}

} // namespace slimgrad::verify
