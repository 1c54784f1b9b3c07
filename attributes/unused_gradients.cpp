#include "attributes/unused_gradients.h"

#include "attributes/differentiated_functions.h"
#include "attributes/entry_point.h"

#include <algorithm>

namespace slimgrad {
namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_written_to(const Parameter& parameter) {
    return has(parameter.modifiers, "out") || has(parameter.modifiers, "inout") ||
           has(parameter.modifiers, "ref") || has(parameter.modifiers, "__ref");
}

bool is_pair_type(std::string_view type) {
    return type.starts_with("DifferentialPair<");
}

/// The local variable that stands alone as an argument of the call, or none.
Index local_argument(const ModuleModel& model, Site argument) {
    for (const Access& access : model.accesses)
        if (access.site == argument && access.members.empty() && !access.subscript)
            return access.local;
    return none;
}

} // namespace

UnusedGradients::UnusedGradients(const RuleInput& input)
    : input_(input), model_(input.model), effects_(model_), flows_(model_), paths_(model_, flows_),
      own_(model_), differentiated_(find_differentiated(
                        model_, effects_.tracer(),
                        [&](Index i) -> const FunctionFlow& { return flows_.of(i); })) {}

std::string UnusedGradients::why_seen_in_part(Index function) {
    const Function& callee = model_.functions[function];
    const auto stands_for_requirement = [&](Index other) {
        const TypeDeclaration* type = model_.find_type(model_.functions[other].parent_type);
        return other != function && type && type->is_interface;
    };
    const std::vector<Index> namesakes = model_.find_functions(callee.name);
    if (std::any_of(namesakes.begin(), namesakes.end(), stands_for_requirement))
        return "it may stand for what an interface requires";
    for (Index other : namesakes)
        if (other != function && model_.functions[other].qualified_name == callee.qualified_name &&
            (!model_.functions[other].body ||
             model_.functions[other].parameters.size() == callee.parameters.size()))
            return "it is declared several times";
    if (flows_.has_unseen_callers(function))
        return "it is named where slimgrad sees no call of it";
    const auto starts_here = [](const Function& f) {
        return f.site.file == 0 && is_entry_point(f);
    };
    if (callee.site.file != 0 || has(callee.modifiers, "public") ||
        has(callee.modifiers, "export") ||
        std::none_of(model_.functions.begin(), model_.functions.end(), starts_here))
        return "shaders that are not looked at may call it";
    return "";
}

bool UnusedGradients::is_candidate(Index function, const Parameter& parameter) const {
    const DerivativeTypes types(model_, function);
    return !has(parameter.modifiers, "no_diff") && !is_written_to(parameter) &&
           types.of(parameter.type).carries() && !types.holds_gradient_tensor(parameter.type);
}

/// Whether the call's function passes a pair whose derivative it never looks at.
bool UnusedGradients::is_pair_without_reader(const Call& call, Index parameter) {
    const Site argument = call.arguments[parameter];
    const Index local = local_argument(model_, argument);
    if (local == none || model_.locals[local].is_static || model_.is_macro(argument) ||
        model_.is_broken(argument) || !is_pair_type(model_.type_of(argument)) ||
        !flows_.of(call.function).incomplete.empty())
        return false;
    return std::all_of(model_.accesses.begin(), model_.accesses.end(), [&](const Access& access) {
        if (access.local != local)
            return true;
        if (!access.members.empty())
            return access.members.front() == "p";
        if (access.kind == AccessKind::write)
            return true;
        if (!access.as_argument || access.argument_of == none)
            return false;
        const Call& other = model_.calls[access.argument_of];
        return other.kind == CallKind::backward_derivative && other.target != none &&
               access.argument_index < model_.functions[other.target].parameters.size() &&
               !is_written_to(model_.functions[other.target].parameters[access.argument_index]);
    });
}

bool UnusedGradients::is_dropped_by(const Call& call, Index parameter) {
    if (model_.callees(call).size() != 1 || call.target == none || call.function == none)
        return false;
    if (call.kind == CallKind::backward_derivative)
        return parameter < call.arguments.size() && is_pair_without_reader(call, parameter);
    if (call.kind == CallKind::forward_derivative)
        return false;
    // What is differentiable may be differentiated where no call of it is seen.
    if (parameter >= call.arguments.size() ||
        is_differentiable(model_, own_, call.function).use == DerivativeUse::does_not)
        return true;
    return call.form == CallForm::call &&
           !paths_.may_take_gradient(call.function, call.arguments[parameter]);
}

std::vector<Index> UnusedGradients::of(Index function) {
    const Function& callee = model_.functions[function];
    std::vector<Index> unused;
    for (Index i = 0; i < callee.parameters.size(); ++i) {
        const bool is_dropped =
            is_candidate(function, callee.parameters[i]) &&
            std::all_of(model_.calls.begin(), model_.calls.end(), [&](const Call& call) {
                const std::vector<Index> callees = model_.callees(call);
                return std::find(callees.begin(), callees.end(), function) == callees.end() ||
                       is_dropped_by(call, i);
            });
        if (is_dropped)
            unused.push_back(i);
    }
    return unused;
}

std::vector<Site> UnusedGradients::pairs(Index function, Index parameter) const {
    std::vector<Site> found;
    for (const Call& call : model_.calls)
        if (call.kind == CallKind::backward_derivative && call.target == function)
            found.push_back(call.arguments[parameter]);
    return found;
}

} // namespace slimgrad
