#include "attributes/effects.h"

#include "attributes/builtins.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace slimgrad {

namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Globals that are memory themselves, so that naming one reads or writes it.
bool is_memory_by_name(GlobalKind kind) { return kind == GlobalKind::groupshared || kind == GlobalKind::mutable_static; }

} // namespace

EffectAnalysis::EffectAnalysis(const ModuleModel& model) : model_(model), tracer_(model) {
    const std::size_t count = model.functions.size();
    calls_of_.resize(count);
    accesses_of_.resize(count);
    callees_.resize(count);
    for (Index i = 0; i < count; ++i) {
        const Function& function = model.functions[i];
        constexpr std::string_view accessors[] = {"get", "set", "ref", "modify", "__subscript"};
        const bool accessor = std::find(std::begin(accessors), std::end(accessors), function.name) != std::end(accessors);
        if (function.name.starts_with("operator") || (accessor && !function.parent_type.empty()))
            implicit_.insert(i);
    }
    for (Index i = 0; i < model.calls.size(); ++i) {
        const Call& call = model.calls[i];
        if (call.function == none)
            continue;
        calls_of_[call.function].push_back(i);
        const auto& callees = tracer_.named(call.callee);
        callees_[call.function].insert(callees.begin(), callees.end());
        // `S(a)` runs an initializer of S.
        for (Index initializer : tracer_.named("__init")) {
            if (model.functions[initializer].parent_type == call.callee)
                callees_[call.function].insert(initializer);
        }
    }
    for (Index i = 0; i < model.accesses.size(); ++i) {
        const Access& access = model.accesses[i];
        if (access.function == none)
            continue;
        accesses_of_[access.function].push_back(i);
        // A function that is named without being called, as in `apply(f, x)`, may be called there.
        if (access.local == none && !model.find_global(access.name)) {
            const auto& named = tracer_.named(access.name);
            callees_[access.function].insert(named.begin(), named.end());
        }
    }
}

std::set<Index> EffectAnalysis::reachable(Index function, bool with_derivatives) const {
    std::set<Index> reached = implicit_;
    std::vector<Index> work(implicit_.begin(), implicit_.end());
    if (reached.insert(function).second)
        work.push_back(function);
    while (!work.empty()) {
        const Index current = work.back();
        work.pop_back();
        const auto visit = [&](const std::set<Index>& next) {
            for (Index i : next) {
                if (reached.insert(i).second)
                    work.push_back(i);
            }
        };
        visit(callees_[current]);
        if (with_derivatives)
            visit(tracer_.derivatives(current));
    }
    return reached;
}

bool EffectAnalysis::is_differentiated(Index function) const {
    for (const Call& call : model_.calls) {
        if (call.kind != CallKind::backward_derivative)
            continue;
        for (Index callee : tracer_.named(call.callee)) {
            if (reachable(callee, false).contains(function))
                return true;
        }
    }
    for (Index i = 0; i < model_.functions.size(); ++i) {
        if (tracer_.is_entry_point(i) && model_.functions[i].is_differentiable() && reachable(i, false).contains(function))
            return true;
    }
    return false;
}

void EffectAnalysis::add_macro(const std::string& name, Site site, Effects& effects, int depth) const {
    const MacroDefinition* macro = model_.find_macro(name);
    if (!macro)
        return;
    const std::string& body = macro->body;
    const auto not_known = [&] { effects.unknown.emplace(fmt::format("uses the macro {}, which is not looked into", name), site); };
    if (depth > 4 || body.find("++") != std::string::npos || body.find("--") != std::string::npos)
        return not_known();
    for (std::size_t i = 0; i < body.size(); ++i) {
        const bool comparison = i > 0 && std::string_view("=<>!").find(body[i - 1]) != std::string_view::npos;
        if (body[i] == '=' && !comparison && body.substr(i + 1, 1) != "=")
            return not_known();
        if (!is_name_start(body[i]) || (i > 0 && is_name(body[i - 1])))
            continue;
        std::size_t end = i;
        while (end < body.size() && is_name(body[end]))
            ++end;
        const std::string word = body.substr(i, end - i);
        const bool called = end < body.size() && body[end] == '(';
        const GlobalVariable* global = model_.find_global(word);
        if (model_.find_macro(word) && word != name)
            add_macro(word, site, effects, depth + 1);
        else if ((called && builtin_effect(word) != BuiltinEffect::pure) || !tracer_.named(word).empty() ||
                 (global && global->kind != GlobalKind::constant))
            return not_known();
        i = end - 1;
    }
}

void EffectAnalysis::add_access(Index function, const Access& access, Effects& effects) const {
    const bool is_own = access.local != none ||
                        std::any_of(model_.functions[function].parameters.begin(), model_.functions[function].parameters.end(),
                                    [&](const Parameter& p) { return p.name == access.name; });
    if (!is_own) {
        if (const MacroDefinition* macro = model_.find_macro(access.name); macro && !macro->function_like)
            add_macro(access.name, access.site, effects, 0);
    }
    const GlobalVariable* global = is_own ? nullptr : model_.find_global(access.name);
    const bool by_name = (global && is_memory_by_name(global->kind)) || tracer_.is_pointer(function, access.name, access.local);
    // A buffer that is only named is no access: what is done with it stands at the call or the subscript.
    if (!access.subscript && !by_name && !(access.kind != AccessKind::read && !is_own))
        return;
    // A pointer that is only passed on is followed through the callee's parameter.
    if (!access.subscript && access.as_argument && access.kind == AccessKind::read && !(global && is_memory_by_name(global->kind)))
        return;
    const Roots roots = tracer_.trace(function, access.name, access.members, access.local);
    for (const std::string& name : roots.unknown)
        effects.unknown.emplace(fmt::format("uses '{}', whose memory cannot be traced", name), access.site);
    for (const MemoryRoot& root : roots.roots) {
        if (access.kind != AccessKind::read)
            effects.writes.emplace(root, access.site);
        if (access.kind != AccessKind::write)
            effects.reads.emplace(root, access.site);
    }
}

void EffectAnalysis::add_call(Index function, const Call& call, Effects& effects) const {
    if (const MacroDefinition* macro = model_.find_macro(call.callee)) {
        add_macro(macro->name, call.site, effects, 0);
        return;
    }
    if (!tracer_.named(call.callee).empty() || model_.find_type(call.callee))
        return;
    const BuiltinEffect effect = builtin_effect(call.callee);
    switch (effect) {
    case BuiltinEffect::pure:
        return;
    case BuiltinEffect::reads_receiver:
    case BuiltinEffect::writes: {
        // `InterlockedAdd(gWG[i], ..)`: its argument is an access of its own, which the model marks as written.
        if (call.receiver.empty() || call.receiver == "this")
            return;
        const Roots roots = tracer_.trace_expression(function, call.receiver);
        for (const std::string& name : roots.unknown)
            effects.unknown.emplace(fmt::format("uses '{}', whose memory cannot be traced", name), call.site);
        for (const MemoryRoot& root : roots.roots)
            (effect == BuiltinEffect::writes ? effects.writes : effects.reads).emplace(root, call.site);
        return;
    }
    case BuiltinEffect::impure:
        effects.impure.emplace(fmt::format("calls {}", call.callee), call.site);
        return;
    case BuiltinEffect::unknown:
        effects.unknown.emplace(fmt::format("calls '{}', whose effects are not known", call.callee), call.site);
        return;
    }
}

void EffectAnalysis::add_function(Index index, Effects& effects) const {
    const Function& function = model_.functions[index];
    if (!function.body && function.parent_type.empty())
        effects.unknown.emplace(fmt::format("calls '{}', which has no body here", function.name), function.name_site);
    for (Index i : accesses_of_[index])
        add_access(index, model_.accesses[i], effects);
    for (Index i : calls_of_[index])
        add_call(index, model_.calls[i], effects);
}

Effects EffectAnalysis::of_function(Index function) const {
    Effects effects;
    for (Index i : reachable(function, false))
        add_function(i, effects);
    return effects;
}

Effects EffectAnalysis::of_dispatches(Index function) const {
    Effects effects;
    std::set<Index> reached;
    for (Index i = 0; i < model_.functions.size(); ++i) {
        if (!tracer_.is_entry_point(i))
            continue;
        const auto from_entry = reachable(i, true);
        if (from_entry.contains(function))
            reached.insert(from_entry.begin(), from_entry.end());
    }
    if (reached.empty()) {
        for (Index i = 0; i < model_.functions.size(); ++i)
            reached.insert(i);
    }
    for (Index i : reached)
        add_function(i, effects);
    return effects;
}

} // namespace slimgrad
