#include "rewriter/call_derivative.h"

#include "rewriter/called_value.h"
#include "rewriter/core_derivatives.h"
#include "rewriter/core_writes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace slimgrad {

namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_output(const Parameter& parameter) {
    return has(parameter.modifiers, "out") || is_in_and_out(parameter);
}

bool has_any(const Function& function, std::initializer_list<std::string_view> attributes) {
    return std::any_of(attributes.begin(), attributes.end(), [&](std::string_view attribute) {
        return function.has_attribute(attribute);
    });
}

/// The name that `N::g<T>` or `bwd_diff(g)` ends with.
std::string_view last_word(std::string_view text) {
    text = text.substr(0, text.find('<'));
    while (!text.empty() && (text.back() == ')' || text.back() == ' '))
        text.remove_suffix(1);
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    std::size_t begin = text.size();
    while (begin > 0 && is_word(text[begin - 1]))
        --begin;
    return text.substr(begin);
}

/// By the types of its parameters and of its object.
bool uses_tensors(const ModuleModel& model, Index index) {
    const Function& function = model.functions[index];
    const DerivativeTypes types(model, index);
    return types.holds_gradient_tensor(function.parent_type) ||
           std::any_of(function.parameters.begin(), function.parameters.end(),
                       [&](const Parameter& p) { return types.holds_gradient_tensor(p.type); });
}

/// All callees have to agree; else it is not known.
DerivativeAnswer merged(const DerivativeAnswer& a, const DerivativeAnswer& b,
                        std::string_view callee) {
    if (a.use == b.use)
        return a;
    return DerivativeAnswer::unknown(
        fmt::format("which function '{}' is called is not known", callee));
}

/// The derivative at the arguments of one callee.
class OneCallee {
  public:
    OneCallee(const ModuleModel& model, const OwnDerivatives& own, const Call& call, Index callee)
        : model_(model), call_(call), callee_(model.functions[callee]),
          differentiable_(is_differentiable(model, own, callee)), may_run_own_(own.may_run(callee)),
          types_(model, callee), caller_types_(model, call.function) {}

    CallDerivative read(const DerivativeAnswer& result) const {
        // What the callee gives out: its value, what it writes to parameters and to `this`.
        DerivativeAnswer out = both(result, type_answer(result_type(), model_.type_of(call_.site)));
        for (std::size_t i = 0; i < call_.arguments.size() && i < callee_.parameters.size(); ++i) {
            if (is_output(callee_.parameters[i]))
                out = either(parameter(i), out);
        }
        const bool mutating = callee_.has_attribute("mutating");
        if (mutating)
            out = either(object(), out);
        // A derivative of the module may give its arguments one that comes from elsewhere.
        if (may_run_own_)
            out = either(out, DerivativeAnswer::unknown(fmt::format(
                                  "'{}' may take a derivative from elsewhere", callee_.name)));

        CallDerivative derivative;
        for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
            CallDerivative::Argument argument;
            if (i < callee_.parameters.size()) {
                const Parameter& p = callee_.parameters[i];
                argument.derivative = both(differentiable_, both(parameter(i), out));
                argument.is_read = !has(p.modifiers, "out");
                argument.may_be_written = argument.is_replaced = is_output(p);
            } else {
                argument.derivative = DerivativeAnswer::unknown("it has no parameter");
            }
            derivative.arguments.push_back(std::move(argument));
        }
        derivative.receiver.derivative = both(differentiable_, both(object(), out));
        derivative.receiver.may_be_written = mutating || callee_.name == "set";
        return derivative;
    }

  private:
    DerivativeAnswer type_answer(std::string_view declared, std::string_view of_expression) const {
        const DerivativeAnswer answer = types_.of(declared);
        return answer.use == DerivativeUse::unknown && !of_expression.empty()
                   ? caller_types_.of(of_expression)
                   : answer;
    }

    const std::string& result_type() const {
        return callee_.name == "__init" ? callee_.parent_type : callee_.return_type;
    }

    DerivativeAnswer parameter(std::size_t i) const {
        const Parameter& p = callee_.parameters[i];
        if (has(p.modifiers, "no_diff"))
            return DerivativeAnswer::does_not("no_diff");
        return type_answer(p.type, model_.type_of(call_.arguments[i]));
    }

    DerivativeAnswer object() const {
        if (callee_.parent_type.empty() || has(callee_.modifiers, "static"))
            return DerivativeAnswer::does_not("it is no method of an object");
        if (callee_.has_attribute("NoDiffThis"))
            return DerivativeAnswer::does_not("NoDiffThis");
        return types_.of(callee_.parent_type);
    }

    const ModuleModel& model_;
    const Call& call_;
    const Function& callee_;
    DerivativeAnswer differentiable_;
    const bool may_run_own_;
    DerivativeTypes types_, caller_types_;
};

CallDerivative all_arguments(const Call& call, const DerivativeAnswer& answer) {
    CallDerivative derivative;
    derivative.arguments.resize(call.arguments.size());
    for (auto& argument : derivative.arguments)
        argument.derivative = answer;
    derivative.receiver.derivative = answer;
    return derivative;
}

/// `T(a, b)`: a cast, a vector from its parts, an object from its fields.
CallDerivative construction(const ModuleModel& model, const Call& call,
                            const DerivativeAnswer& result) {
    const DerivativeTypes types(model, call.function);
    std::string type(model.type_of(call.site));
    if (type.empty())
        type = call.callee;
    CallDerivative derivative = all_arguments(call, both(types.of(type), result));
    const TypeDeclaration* declared = model.find_type(call.callee);
    for (std::size_t i = 0; declared && i < call.arguments.size(); ++i) {
        auto& answer = derivative.arguments[i].derivative;
        if (call.arguments.size() != declared->fields.size()) {
            answer = both(answer, DerivativeAnswer::unknown("its field is not known"));
            continue;
        }
        DerivativeAnswer field;
        const std::string field_type = types.member(type, declared->fields[i].name, field);
        answer = both(both(field, types.of(field_type)), result);
    }
    return derivative;
}

CallDerivative core_function(const ModuleModel& model, const Call& call,
                             const DerivativeAnswer& result) {
    DerivativeAnswer answer = derivative_of_core_function(call.callee);
    if (const std::string_view type = model.type_of(call.site); !type.empty())
        answer = both(answer, DerivativeTypes(model, call.function).of(type));
    // One that is not known may take its derivative from memory, as DiffTensorView.storeOnce does.
    return all_arguments(call,
                         answer.use == DerivativeUse::unknown ? answer : both(answer, result));
}

void mark_writes(const ModuleModel& model, const Call& call, CallDerivative& derivative) {
    for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
        CallDerivative::Argument& argument = derivative.arguments[i];
        argument.may_be_written |= model.may_write_argument(call, i);
        argument.is_replaced = core_replaces_argument(model, call, i);
        argument.is_read = !argument.is_replaced;
    }
}

CallDerivative of_callees(const ModuleModel& model, const OwnDerivatives& own, const Call& call,
                          const std::vector<Index>& callees, const DerivativeAnswer& result) {
    CallDerivative derivative = OneCallee(model, own, call, callees[0]).read(result);
    for (std::size_t i = 1; i < callees.size(); ++i) {
        const CallDerivative other = OneCallee(model, own, call, callees[i]).read(result);
        const auto merge = [&](CallDerivative::Argument& a, const CallDerivative::Argument& b) {
            a.derivative = merged(a.derivative, b.derivative, call.callee);
            a.is_read |= b.is_read;
            a.may_be_written |= b.may_be_written;
            a.is_replaced &= b.is_replaced;
        };
        for (std::size_t k = 0; k < derivative.arguments.size(); ++k)
            merge(derivative.arguments[k], other.arguments[k]);
        merge(derivative.receiver, other.receiver);
    }
    if (call.callee_kind == CalleeKind::unresolved) {
        for (auto& argument : derivative.arguments) {
            argument.is_read = true;
            argument.is_replaced = false;
        }
    }
    return derivative;
}

} // namespace

bool is_in_and_out(const Parameter& parameter) {
    return has(parameter.modifiers, "inout") || has(parameter.modifiers, "__ref") ||
           has(parameter.modifiers, "ref");
}

DerivativeAnswer is_differentiable(const ModuleModel& model, const OwnDerivatives& own,
                                   Index index) {
    const Function& function = model.functions[index];
    if (function.has_attribute("TreatAsDifferentiable"))
        return DerivativeAnswer::does_not(
            fmt::format("the derivative of '{}' is taken for 0", function.name));
    if (has_any(function, {"Differentiable", "BackwardDifferentiable", "ForwardDifferentiable"}) ||
        own.has(index))
        return {};
    if (function.from_macro)
        return DerivativeAnswer::unknown(
            fmt::format("the head of '{}' comes from a macro", function.name));
    return DerivativeAnswer::does_not(
        fmt::format("callee '{}' is not differentiable", function.name));
}

OwnDerivatives::OwnDerivatives(const ModuleModel& model)
    : has_(model.functions.size(), false), may_run_(model.functions.size(), false) {
    std::set<std::string_view> named;
    for (const Function& function : model.functions) {
        if (function.name.ends_with(')')) // "bwd_diff(f)"
            named.insert(last_word(function.name));
        for (const Attribute& attribute : function.attributes) {
            if ((attribute.name.ends_with("DerivativeOf") ||
                 attribute.name == "PrimalSubstituteOf") &&
                !attribute.arguments.empty())
                named.insert(last_word(attribute.arguments[0]));
        }
    }
    std::vector<std::vector<Index>> callers(model.functions.size());
    std::vector<Index> work;
    const auto reach = [&](Index function) {
        if (function == none || may_run_[function])
            return;
        may_run_[function] = true;
        work.push_back(function);
    };
    for (Index i = 0; i < model.functions.size(); ++i) {
        const Function& function = model.functions[i];
        has_[i] =
            has_any(function, {"BackwardDerivative", "ForwardDerivative", "PrimalSubstitute"}) ||
            named.contains(function.name);
        if (has_[i] || uses_tensors(model, i))
            reach(i);
    }
    for (const Access& access : model.accesses) {
        const GlobalVariable* global =
            access.local == none ? model.find_global(access.name) : nullptr;
        if (global && DerivativeTypes(model, none).holds_gradient_tensor(global->type))
            reach(access.function);
    }
    for (const Call& call : model.calls) {
        const auto callees = model.callees(call);
        for (Index callee : callees) {
            if (call.function != none)
                callers[callee].push_back(call.function);
            // What an interface requires runs what implements it.
            if (call.callee_kind == CalleeKind::requirement && callee != call.target)
                callers[callee].push_back(call.target);
        }
        // What is not known may have one; of the core module's, those that are not known.
        const bool known = call.callee_kind == CalleeKind::construction ||
                           (call.callee_kind == CalleeKind::builtin &&
                            derivative_of_core_function(call.callee).use != DerivativeUse::unknown);
        if (callees.empty() && !known)
            reach(call.function);
    }
    while (!work.empty()) {
        const Index function = work.back();
        work.pop_back();
        for (Index caller : callers[function])
            reach(caller);
    }
}

DerivativeAnswer body_is_differentiated(const ModuleModel& model, const OwnDerivatives& own,
                                        Index index) {
    const Function& function = model.functions[index];
    const DerivativeAnswer differentiable = is_differentiable(model, own, index);
    if (differentiable.carries() && own.has(index))
        return DerivativeAnswer::unknown(
            fmt::format("'{}' has a derivative of its own", function.name));
    if (differentiable.use == DerivativeUse::does_not &&
        !function.has_attribute("TreatAsDifferentiable"))
        return DerivativeAnswer::does_not(fmt::format("'{}' is not differentiable", function.name));
    return differentiable;
}

CallDerivative derivative_of_call(const ModuleModel& model, const OwnDerivatives& own,
                                  const Call& call, const DerivativeAnswer& result) {
    const auto not_known = [&] {
        CallDerivative derivative = all_arguments(
            call,
            DerivativeAnswer::unknown(fmt::format("what '{}' calls is not known", call.callee)));
        for (auto& argument : derivative.arguments)
            argument.may_be_written = true;
        derivative.receiver.may_be_written = true;
        return derivative;
    };
    if (call.kind != CallKind::plain) {
        CallDerivative derivative = all_arguments(
            call, DerivativeAnswer::unknown(fmt::format("derivative of '{}'", call.callee)));
        mark_writes(model, call, derivative);
        return derivative;
    }
    std::vector<Index> callees = model.callees(call);
    switch (call.callee_kind) {
    case CalleeKind::requirement:
        // What implements it is as differentiable as it is: E38105.
        callees = {call.target};
        break;
    case CalleeKind::construction:
        return construction(model, call, result);
    case CalleeKind::builtin: {
        CallDerivative derivative = core_function(model, call, result);
        mark_writes(model, call, derivative);
        derivative.receiver.may_be_written = !core_reads_only(call.callee);
        return derivative;
    }
    case CalleeKind::macro:
        return not_known();
    case CalleeKind::value: {
        CallDerivative derivative = not_known();
        for (auto& argument : derivative.arguments)
            argument.may_be_written = !takes_values(model, call);
        return derivative;
    }
    case CalleeKind::unresolved:
        // Then the candidates are not all.
        if (model.hidden_names.contains(call.callee) ||
            (call.function != none &&
             model.functions[call.function].hidden_names.contains(call.callee)))
            return not_known();
        break;
    case CalleeKind::function:
    case CalleeKind::method:
    case CalleeKind::static_method:
    case CalleeKind::constructor:
        break;
    }
    return callees.empty() ? not_known() : of_callees(model, own, call, callees, result);
}

CallDerivative derivative_of_tensor_call(const Call& call, std::string_view tensor,
                                         const DerivativeAnswer& result) {
    CallDerivative derivative =
        all_arguments(call, DerivativeAnswer::unknown(fmt::format(
                                "whether '{}' is differentiable is not known", call.callee)));
    const std::string_view name = call.callee;
    const bool loads = name == "load" || name == "loadOnce";
    const bool stores = name == "store" || name == "storeOnce";
    auto& receiver = derivative.receiver;
    receiver.is_memory = true;
    receiver.may_be_written = !core_reads_only(name);
    if (loads) {
        DerivativeAnswer added;
        added.reason = fmt::format("added to {}'s gradient", tensor);
        receiver.derivative = both(added, result);
    } else if (stores) {
        receiver.derivative = DerivativeAnswer::does_not("only written");
    } else if (core_reads_only(name)) {
        receiver.derivative = DerivativeAnswer::does_not("integer"); // sizes
    }
    for (std::size_t i = 0; i < derivative.arguments.size(); ++i) {
        auto& argument = derivative.arguments[i].derivative;
        if (loads || (stores && i == 0) || receiver.derivative.reason == "integer")
            argument = DerivativeAnswer::does_not("index");
        else if (stores)
            argument = {}; // from the tensor's gradient
    }
    return derivative;
}

} // namespace slimgrad
