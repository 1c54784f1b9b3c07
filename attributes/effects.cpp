#include "attributes/effects.h"

#include "attributes/entry_point.h"
#include "attributes/expression_text.h"

#include <algorithm>

namespace slimgrad {

EffectAnalysis::EffectAnalysis(const ModuleModel& model)
    : model_(model), tracer_(model), implicit_(model, tracer_) {
    const std::size_t count = model.functions.size();
    calls_of_.resize(count);
    accesses_of_.resize(count);
    callees_.resize(count);
    differentiated_.resize(count);
    for (Index i = 0; i < count; ++i) {
        for (const ImplicitCode::Part& part : implicit_.of(i))
            callees_[i].insert(part.callees.begin(), part.callees.end());
    }
    std::vector<std::vector<Index>> accessors(count); ///< per function: calls of them
    for (Index i = 0; i < model.calls.size(); ++i) {
        const Call& call = model.calls[i];
        if (call.function == none)
            continue;
        const auto callees = model.callees(call);
        calls_of_[call.function].push_back(i);
        callees_[call.function].insert(callees.begin(), callees.end());
        if (call.form == CallForm::subscript || call.form == CallForm::property)
            accessors[call.function].push_back(i);
        if (call.kind != CallKind::plain)
            differentiated_[call.function].insert(callees.begin(), callees.end());
    }
    for (Index i = 0; i < model.accesses.size(); ++i) {
        const Access& access = model.accesses[i];
        if (access.function == none)
            continue;
        accesses_of_[access.function].push_back(i);
        // What is written may have more accessors than the call names: `f(s.p)` for an `out`
        // parameter.
        for (Index accessor : accessors[access.function]) {
            const Call& call = model.calls[accessor];
            // `x.p = 1` runs the setter alone.
            const bool only_set = access.kind == AccessKind::write && access.argument_of == none &&
                                  access.site == call.site && call.target != none &&
                                  model.functions[call.target].name == "set";
            if (access.kind != AccessKind::read && access.site.file == call.site.file &&
                access.site.range.contains(call.site.range) && !only_set)
                add_siblings(call);
        }
        const GlobalVariable* global =
            access.local == none ? model.find_global(access.name, access.function) : nullptr;
        const auto add_initializer = [&](const GlobalVariable& variable) {
            if (variable.kind != GlobalKind::mutable_static)
                return;
            for (const std::string& name : names_in(variable.initializer.value_or("")))
                callees_[access.function].insert(tracer_.named(name).begin(),
                                                 tracer_.named(name).end());
        };
        if (global)
            add_initializer(*global);
        if (const auto member =
                tracer_.static_member(access.function, access.name, access.members, access.local)) {
            for (Index named : member->globals)
                add_initializer(model.globals[named]);
        }
        // A function that is named without being called, as in `apply(f, x)`, may be called there.
        if (!tracer_.names_variable(access)) {
            const auto& named = tracer_.named(access.name);
            callees_[access.function].insert(named.begin(), named.end());
        }
    }
}

/// All accessors of the property or subscript that a call may run.
void EffectAnalysis::add_siblings(const Call& call) {
    for (Index callee : model_.callees(call)) {
        const auto property = [&](Index function) {
            const std::string& name = model_.functions[function].qualified_name;
            return std::string_view(name).substr(0, name.rfind('.'));
        };
        for (Index i = 0; i < model_.functions.size(); ++i) {
            if (property(i) == property(callee))
                callees_[call.function].insert(i);
        }
    }
}

std::set<Index> EffectAnalysis::reachable(Index function, bool with_derivatives) const {
    // A function whose derivative is called runs its custom derivatives, and so does all that it
    // calls.
    std::set<std::pair<Index, bool>> reached;
    std::vector<std::pair<Index, bool>> work;
    const auto visit = [&](const std::set<Index>& next, bool differentiated) {
        for (Index i : next) {
            if (reached.emplace(i, differentiated).second)
                work.emplace_back(i, differentiated);
        }
    };
    visit({function}, with_derivatives);
    while (!work.empty()) {
        const auto [current, differentiated] = work.back();
        work.pop_back();
        visit(callees_[current], differentiated);
        visit(differentiated_[current], true);
        visit(tracer_.custom_derivatives().substitutes(current), differentiated);
        if (differentiated)
            visit(tracer_.custom_derivatives().derivatives(current), true);
    }
    std::set<Index> functions;
    for (const auto& [index, differentiated] : reached)
        functions.insert(index);
    return functions;
}

bool EffectAnalysis::is_run_backwards(Index function) const {
    for (const Call& call : model_.calls) {
        if (call.kind != CallKind::backward_derivative)
            continue;
        for (Index callee : model_.callees(call)) {
            if (reachable(callee, false).contains(function))
                return true;
        }
    }
    for (Index i = 0; i < model_.functions.size(); ++i) {
        if (is_entry_point(model_.functions[i]) && model_.functions[i].is_differentiable() &&
            reachable(i, false).contains(function))
            return true;
    }
    return false;
}

Effects EffectAnalysis::of_all(const std::set<Index>& functions) const {
    Effects effects;
    for (Index i : functions)
        add_function(i, effects);
    return effects;
}

Effects EffectAnalysis::of_function(Index function) const {
    return of_all(reachable(function, false));
}

Effects EffectAnalysis::of_derivatives(Index function) const {
    return of_all(reachable(function, true));
}

Effects EffectAnalysis::of_dispatches(Index function) const {
    std::set<Index> reached;
    for (Index i = 0; i < model_.functions.size(); ++i) {
        if (!is_entry_point(model_.functions[i]))
            continue;
        const auto from_entry = reachable(i, true);
        // A function with a syntax error may call any other.
        const bool may_reach = from_entry.contains(function) ||
                               std::any_of(from_entry.begin(), from_entry.end(), [&](Index callee) {
                                   return model_.is_broken(model_.functions[callee].site);
                               });
        if (may_reach)
            reached.insert(from_entry.begin(), from_entry.end());
    }
    if (reached.empty()) {
        for (Index i = 0; i < model_.functions.size(); ++i)
            reached.insert(i);
    }
    Effects effects = of_all(reached);
    // Text outside functions that could not be read may hold an entry point.
    for (std::uint32_t file = 0; file < model_.files.size(); ++file) {
        for (const ByteRange& error : model_.trees[file].errors()) {
            if (model_.function_at(file, error.begin) == none)
                effects.unknown.emplace("may run what a syntax error hides", Site{file, error});
        }
    }
    return effects;
}

} // namespace slimgrad
