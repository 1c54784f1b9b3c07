#include "attributes/global_writes.h"

#include <algorithm>

namespace slimgrad {

GlobalWrites::Written GlobalWrites::written_by(const Effects& effects) {
    Written written{!effects.unknown.empty(), {}};
    for (const auto& [root, site] : effects.writes) {
        written.anything |= !root.is_global;
        written.names.insert(root.name);
    }
    return written;
}

const GlobalWrites::Written& GlobalWrites::written_by(Index function, bool with_derivatives) {
    const auto [entry, is_new] = written_.try_emplace({function, with_derivatives});
    if (is_new)
        entry->second = written_by(with_derivatives ? effects_.of_derivatives(function)
                                                    : effects_.of_function(function));
    return entry->second;
}

bool GlobalWrites::may_write(const Written& written, Index global) const {
    const std::string& name = effects_.tracer().binding_of(model_.globals[global]).name;
    return written.anything ||
           std::any_of(written.names.begin(), written.names.end(), [&](const std::string& root) {
               return root == name || root.starts_with(name + ".");
           });
}

bool GlobalWrites::may_write(const Call& call, Index global) {
    if (const auto lambda = effects_.of_lambda(call))
        return may_write(written_by(*lambda), global);
    const auto callees = model_.callees(call);
    const bool is_known = call.callee_kind != CalleeKind::macro &&
                          call.callee_kind != CalleeKind::value && !callees.empty();
    return !is_known || std::any_of(callees.begin(), callees.end(), [&](Index callee) {
        return may_write(written_by(callee, call.kind != CallKind::plain), global);
    });
}

} // namespace slimgrad
