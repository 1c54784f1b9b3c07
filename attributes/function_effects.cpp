#include "attributes/effects.h"

#include "attributes/builtins.h"
#include "attributes/expression_text.h"
#include "attributes/memory_types.h"
#include "attributes/memory_values.h"
#include "rewriter/core_writes.h"
#include "rewriter/macro_text.h"
#include "rewriter/unread_macros.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// Globals that are memory themselves, so that naming one reads or writes it.
bool is_memory_by_name(GlobalKind kind) {
    return kind == GlobalKind::groupshared || kind == GlobalKind::mutable_static;
}

/// Methods that write what they are called on without a look at it.
bool only_writes(std::string_view method) {
    return method.starts_with("Store") || method.starts_with("store") || method == "Append";
}

/// `discard;`
bool holds_discard(std::string_view text) {
    constexpr std::string_view word = "discard";
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::string_view rest = trimmed(text.substr(at + word.size()));
        if ((at == 0 || !is_name(text[at - 1])) && rest.starts_with(';'))
            return true;
    }
    return false;
}

} // namespace

void EffectAnalysis::add_macro(const std::string& name, Site site, Effects& effects,
                               int depth) const {
    // Defined again, it may mean any of its definitions.
    for (const MacroDefinition& macro : model_.macros) {
        if (macro.name == name)
            add_macro_body(macro, site, effects, depth);
    }
}

void EffectAnalysis::add_macro_body(const MacroDefinition& macro, Site site, Effects& effects,
                                    int depth) const {
    const std::string& name = macro.name;
    const std::string& body = macro.body;
    const auto not_known = [&] {
        effects.unknown.emplace(fmt::format("uses the macro {}, which is not looked into", name),
                                site);
    };
    if (depth > 4 || body.find("++") != std::string::npos || body.find("--") != std::string::npos)
        return not_known();
    for (std::size_t i = 0; i < body.size(); ++i) {
        const bool shift =
            i > 1 && (body[i - 1] == '<' || body[i - 1] == '>') && body[i - 2] == body[i - 1];
        const bool comparison =
            i > 0 && !shift && std::string_view("=<>!").find(body[i - 1]) != std::string_view::npos;
        if (body[i] == '=' && !comparison && body.substr(i + 1, 1) != "=")
            return not_known();
        if (is_digit(body[i])) { // "2.f": its suffix is no name
            while (i + 1 < body.size() && (is_name(body[i + 1]) || body[i + 1] == '.'))
                ++i;
            continue;
        }
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
        else if ((called && builtin_effect(word) != BuiltinEffect::pure) ||
                 !tracer_.named(word).empty() || (global && global->kind != GlobalKind::constant))
            return not_known();
        i = end - 1;
    }
}

void EffectAnalysis::add_access(Index function, const Access& access, Effects& effects) const {
    if (access.name.empty()) {
        effects.unknown.emplace("writes or follows something that has no name", access.site);
        return;
    }
    const bool is_static = access.local != none && model_.locals[access.local].is_static;
    const bool is_own = (access.local != none && !is_static) ||
                        std::any_of(model_.functions[function].parameters.begin(),
                                    model_.functions[function].parameters.end(),
                                    [&](const Parameter& p) { return p.name == access.name; });
    if (!is_own) {
        if (const MacroDefinition* macro = model_.find_macro(access.name);
            macro && !macro->function_like)
            add_macro(access.name, access.site, effects, 0);
    }
    if (!is_own && model_.functions[function].hidden_names.contains(access.name)) {
        effects.unknown.emplace(fmt::format("uses '{}', which a macro declares", access.name),
                                access.site);
        return;
    }
    // Of all namespaces: one that is memory makes the name memory.
    const auto member = tracer_.static_member(function, access.name, access.members, access.local);
    const bool static_memory =
        member && std::any_of(member->globals.begin(), member->globals.end(),
                              [&](Index i) { return is_memory_by_name(model_.globals[i].kind); });
    const bool global_memory =
        static_memory ||
        (!is_own &&
         std::any_of(model_.globals.begin(), model_.globals.end(), [&](const GlobalVariable& g) {
             return g.name == access.name && is_memory_by_name(g.kind);
         }));
    const bool by_name = is_static || global_memory || has_pointer(model_, access);
    // A buffer that is only named is no access: what is done with it stands at the call or the
    // subscript.
    if (!access.subscript && !by_name && !(access.kind != AccessKind::read && !is_own))
        return;
    // A pointer that is only passed on is followed through the callee's parameter.
    if (!access.subscript && access.as_argument && access.kind == AccessKind::read &&
        !global_memory)
        return;
    Roots roots =
        tracer_.trace(function, access.name, members_to_pointer(function, access), access.local);
    if (model_.text(access.site).find("::") != std::string_view::npos) { // of some scope
        for (Index i : tracer_.static_members().named(access.name)) {
            if (is_memory_by_name(model_.globals[i].kind))
                roots.roots.insert({true, model_.globals[i].name});
        }
    }
    for (const std::string& name : roots.unknown)
        effects.unknown.emplace(fmt::format("uses '{}', whose memory cannot be traced", name),
                                access.site);
    for (const MemoryRoot& root : roots.roots) {
        if (access.kind != AccessKind::read)
            effects.writes.emplace(root, access.site);
        if (access.kind != AccessKind::write)
            effects.reads.emplace(root, access.site);
    }
}

void EffectAnalysis::add_call(Index function, const Call& call, Effects& effects) const {
    const auto callees = model_.callees(call);
    switch (call.callee_kind) {
    case CalleeKind::macro:
        return add_macro(call.callee, call.site, effects, 0);
    case CalleeKind::construction:
        return;
    case CalleeKind::value:
        if (!local_lambda(call))
            effects.unknown.emplace(
                fmt::format("calls '{}', whose effects are not known", call.callee), call.site);
        return;
    case CalleeKind::builtin:
        return add_core_call(function, call, effects);
    case CalleeKind::unresolved:
        if (const std::string name = last_name(call.callee);
            model_.hidden_names.contains(name) ||
            model_.find_macro(first_name(model_.text(call.site))) ||
            model_.functions[function].hidden_names.contains(name))
            effects.unknown.emplace(
                fmt::format("calls '{}', which a macro or broken text declares", call.callee),
                call.site);
        else if (callees.empty())
            return add_core_call(function, call, effects);
        break;
    case CalleeKind::function:
    case CalleeKind::method:
    case CalleeKind::static_method:
    case CalleeKind::constructor:
    case CalleeKind::requirement:
        break;
    }
    // As the call has it; else as each of them declares it.
    const std::string_view known = model_.type_of(call.site);
    if (!known.empty() && !is_memory_type(model_, known))
        return;
    for (Index callee : callees) {
        const Function& called = model_.functions[callee];
        // What implements an interface says what its result is.
        if (call.callee_kind == CalleeKind::requirement && !called.body && callees.size() > 1)
            continue;
        if (called.return_type != "void" &&
            is_memory_type(model_, called.return_type, called.generics))
            effects.unknown.emplace(fmt::format("uses memory that '{}' returns", called.name),
                                    call.site);
    }
}

/// The variable that holds a lambda expression from its declaration on, where the call is one of
/// it: its body is read as a part of the function around it.
const LocalVariable* EffectAnalysis::local_lambda(const Call& call) const {
    const LocalVariable* found = nullptr;
    for (const LocalVariable& local : model_.locals) {
        if (local.function != call.function || local.name != call.callee)
            continue;
        const std::string_view value =
            local.initializer ? model_.text(*local.initializer) : std::string_view();
        if (found || local.reassigned || !value.starts_with('(') ||
            value.find("=>") == std::string_view::npos)
            return nullptr;
        found = &local;
    }
    return found;
}

std::optional<Effects> EffectAnalysis::of_lambda(const Call& call) const {
    const LocalVariable* lambda = call.callee_kind == CalleeKind::value && call.receiver.empty()
                                      ? local_lambda(call)
                                      : nullptr;
    if (!lambda)
        return std::nullopt;
    const auto is_inside = [&](const Site& site) {
        return site.file == lambda->initializer->file &&
               lambda->initializer->range.contains(site.range);
    };
    std::set<Index> called;
    Effects effects;
    for (Index i : calls_of_[call.function]) {
        const Call& inner = model_.calls[i];
        if (!is_inside(inner.site))
            continue;
        if (inner.callee_kind == CalleeKind::value)
            effects.unknown.emplace(
                fmt::format("calls '{}', whose effects are not known", inner.callee), inner.site);
        add_call(call.function, inner, effects);
        for (Index callee : model_.callees(inner))
            called.merge(reachable(callee, inner.kind != CallKind::plain));
    }
    for (Index i : called)
        add_function(i, effects);
    // A function that is named there may be called, and so may defaults and constructors.
    if (!implicit_.of(call.function).empty())
        effects.unknown.emplace("may run what is not written there", lambda->site);
    for (Index i : accesses_of_[call.function]) {
        const Access& access = model_.accesses[i];
        if (!is_inside(access.site))
            continue;
        add_access(call.function, access, effects);
        if (access.local == none && !model_.find_global(access.name) &&
            !tracer_.named(access.name).empty())
            effects.unknown.emplace(
                fmt::format("calls '{}', whose effects are not known", access.name), access.site);
    }
    return effects;
}

/// What is done with the memory that a method is called on, or is given.
void EffectAnalysis::add_object(Index function, const Call& call, std::string_view object,
                                bool writes, bool reads, Effects& effects) const {
    const Roots roots = tracer_.trace_expression(function, object);
    for (const std::string& name : roots.unknown)
        effects.unknown.emplace(fmt::format("uses '{}', whose memory cannot be traced", name),
                                call.site);
    for (const MemoryRoot& root : roots.roots) {
        if (writes)
            effects.writes.emplace(root, call.site);
        if (reads)
            effects.reads.emplace(root, call.site);
    }
}

void EffectAnalysis::add_core_call(Index function, const Call& call, Effects& effects) const {
    // `gN[0].max(i)` on an Atomic<T> is not the function of that name.
    const std::uint32_t begin = call.site.range.begin;
    const Site receiver{call.site.file,
                        {begin, begin + static_cast<std::uint32_t>(call.receiver.size())}};
    if (!call.receiver.empty() && model_.type_of(receiver).starts_with("Atomic<"))
        return add_object(function, call, call.receiver, call.callee != "load", true, effects);
    switch (builtin_effect(call.callee)) {
    case BuiltinEffect::pure:
        if (!call.receiver.empty() && call.receiver.find('(') == std::string::npos &&
            !model_.find_type(call.receiver) && !is_builtin_type(call.receiver)) {
            const Roots roots = tracer_.trace_expression(function, call.receiver);
            if (!roots.roots.empty() || !roots.unknown.empty())
                effects.unknown.emplace(
                    fmt::format("calls '{}' of '{}'", call.callee, call.receiver), call.site);
        }
        return;
    case BuiltinEffect::reads_receiver:
        if (!call.receiver.empty() && call.receiver != "this" && !gives_shape(call.callee))
            add_object(function, call, call.receiver, false, true, effects);
        return;
    case BuiltinEffect::writes:
        // What gives the old value, or adds to it, reads it, too.
        if (!call.receiver.empty() && call.receiver != "this")
            add_object(function, call, call.receiver, true, !only_writes(call.callee), effects);
        return add_written_arguments(function, call, effects);
    case BuiltinEffect::impure:
        effects.impure.emplace(fmt::format("calls {}", call.callee), call.site);
        return;
    case BuiltinEffect::unknown:
        effects.unknown.emplace(fmt::format("calls '{}', whose effects are not known", call.callee),
                                call.site);
        return;
    }
}

/// `InterlockedAdd(gWG[i], ..)`: such an argument is an access of its own, which the model marks as
/// written. A buffer as a whole, `v.store(buffer, 0)`, is none.
void EffectAnalysis::add_written_arguments(Index function, const Call& call,
                                           Effects& effects) const {
    for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
        const std::string_view type = model_.type_of(call.arguments[i]);
        if (!type.empty() && is_memory_type(model_, type) &&
            core_may_write_argument(model_, call, i))
            add_object(function, call, model_.text(call.arguments[i]), true, true, effects);
    }
}

/// Of `p->next->v` the members up to the last pointer, `p->next`: what it points to is used.
std::vector<std::string> EffectAnalysis::members_to_pointer(Index function,
                                                            const Access& access) const {
    const std::string type = type_of_name(model_, function, access.name, access.local);
    std::vector<std::string> members = access.members;
    while (!members.empty() && !is_memory_type(model_, member_type(model_, type, members)))
        members.pop_back();
    return is_pointer_type(member_type(model_, type, members)) ? members : access.members;
}

void EffectAnalysis::add_function(Index index, Effects& effects) const {
    const Function& function = model_.functions[index];
    if (model_.is_broken(function.site))
        effects.unknown.emplace(fmt::format("runs '{}', {}", function.name,
                                            model_.has_included_text(function.site)
                                                ? "into which text is included"
                                                : "which holds a syntax error"),
                                function.name_site);
    if (!function.body && function.parent_type.empty())
        effects.unknown.emplace(fmt::format("calls '{}', which has no body here", function.name),
                                function.name_site);
    for (std::string_view word : {"__intrinsic_asm", "spirv_asm", "__target_intrinsic"}) {
        if (model_.text(function.site).find(word) != std::string_view::npos)
            effects.unknown.emplace(
                fmt::format("runs '{}', which holds target code", function.name),
                function.name_site);
    }
    if (function.name == "ref" && !function.parent_type.empty())
        effects.unknown.emplace(
            fmt::format("writes through a reference that '{}' gives", function.qualified_name),
            function.name_site);
    if (holds_discard(model_.text(function.site)))
        effects.impure.emplace("ends the thread (discard)", function.name_site);
    if (tracer_.custom_derivatives().has_unresolved(index))
        effects.unknown.emplace(
            fmt::format("has a derivative of '{}' that is not known", function.name),
            function.name_site);
    for (const ImplicitCode::Part& part : implicit_.of(index)) {
        for (const MemoryRoot& root : part.reads)
            effects.reads.emplace(root, part.site);
        if (!part.unknown.empty())
            effects.unknown.emplace(
                fmt::format("may run '{}', whose effects are not known", part.unknown), part.site);
    }
    for (Index i : accesses_of_[index])
        add_access(index, model_.accesses[i], effects);
    for (const UnreadMacro& use : model_.unread_macros) {
        if (use.function != index || !use.holds_statements)
            continue;
        // Its arguments are in the expansion alone.
        const MacroDefinition* macro = model_.find_macro(use.name);
        const auto expansion = expand_macros(model_, model_.text(use.site));
        if (sets_what_is_beside(model_, use))
            effects.unknown.emplace(
                fmt::format("uses the macro {}, which is not looked into", use.name), use.site);
        if (!macro || !expansion) {
            add_macro(use.name, use.site, effects, 0);
            continue;
        }
        MacroDefinition whole = *macro;
        whole.body = *expansion;
        add_macro_body(whole, use.site, effects, 0);
    }
    for (Index i : calls_of_[index])
        add_call(index, model_.calls[i], effects);
}

} // namespace slimgrad
