#include "attributes/global_writes.h"

#include <algorithm>

namespace slimgrad {

const GlobalWrites::Written& GlobalWrites::written_by(Index function, bool with_derivatives) {
    const auto [entry, is_new] = written_.try_emplace({function, with_derivatives});
    if (!is_new)
        return entry->second;
    const Effects effects =
        with_derivatives ? effects_.of_derivatives(function) : effects_.of_function(function);
    entry->second.anything = !effects.unknown.empty();
    for (const auto& [root, site] : effects.writes) {
        entry->second.anything |= !root.is_global;
        entry->second.names.insert(root.name);
    }
    return entry->second;
}

bool GlobalWrites::may_write(const Call& call, Index global) {
    const auto callees = model_.callees(call);
    const bool is_known = call.callee_kind != CalleeKind::macro &&
                          call.callee_kind != CalleeKind::value && !callees.empty();
    if (!is_known)
        return true;
    const std::string& name = effects_.tracer().binding_of(model_.globals[global]).name;
    return std::any_of(callees.begin(), callees.end(), [&](Index callee) {
        const Written& written = written_by(callee, call.kind != CallKind::plain);
        return written.anything || std::any_of(written.names.begin(), written.names.end(),
                                               [&](const std::string& root) {
                                                   return root == name ||
                                                          root.starts_with(name + ".");
                                               });
    });
}

} // namespace slimgrad
