#include "rewriter/file_reader.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace slimgrad {

namespace {

bool may_be_written(const ModuleModel& model, const Access& access) {
    if (access.kind != AccessKind::read)
        return true;
    if (access.as_argument)
        return model.may_write_argument(model.calls[access.argument_of], access.argument_index);
    if (access.receiver_of == none)
        return false;
    const auto methods = model.callees(model.calls[access.receiver_of]);
    return std::any_of(methods.begin(), methods.end(), [&](Index method) {
        return model.functions[method].has_attribute("mutating");
    });
}

/// `*p = x` and `p[i] = x` leave a pointer as it is.
bool writes_pointee(const ModuleModel& model, const Access& access) {
    std::string_view type;
    if (access.local != none) {
        type = model.locals[access.local].type;
    } else if (access.function != none) {
        for (const Parameter& parameter : model.functions[access.function].parameters) {
            if (parameter.name == access.name)
                type = parameter.type;
        }
    }
    return type.ends_with('*') && (access.subscript || !access.members.empty() ||
                                   model.text(access.site).starts_with('*'));
}

/// Gives loops whose counter is declared before them their start: its initial value, if it comes to
/// every run of the loop with that.
void find_starts(ModuleModel& model) {
    std::vector<std::uint32_t> first_write(model.locals.size(), UINT32_MAX);
    for (const Access& access : model.accesses) {
        if (access.local != none && access.kind != AccessKind::read)
            first_write[access.local] =
                std::min(first_write[access.local], access.site.range.begin);
    }
    for (Loop& loop : model.loops) {
        if (loop.counter_local == none || !loop.start.empty() || loop.comparison.empty())
            continue;
        const LocalVariable& local = model.locals[loop.counter_local];
        // Declared outside the loop around this one, it would start where it ended the last time.
        if (local.initializer && !local.is_static && local.loop == loop.parent &&
            first_write[loop.counter_local] >= loop.site.range.begin)
            loop.start = model.text(*local.initializer);
    }
}

} // namespace

void mark_writes(ModuleModel& model) {
    for (Access& access : model.accesses) {
        if (!may_be_written(model, access))
            continue;
        if (access.kind == AccessKind::read)
            access.kind = AccessKind::read_write;
        if (access.local != none)
            model.locals[access.local].reassigned = true;
        for (Index index = access.loop; index != none; index = model.loops[index].parent) {
            Loop& loop = model.loops[index];
            if (access.name == loop.counter && access.local == loop.counter_local &&
                !writes_pointee(model, access) &&
                !(loop.update && loop.update->contains(access.site.range)))
                loop.counter_written_in_body = true;
        }
    }
    find_starts(model);
}

} // namespace slimgrad
