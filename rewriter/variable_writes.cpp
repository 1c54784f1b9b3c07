#include "rewriter/file_reader.h"

#include <algorithm>

namespace slimgrad {

namespace {

bool may_be_written(const ModuleModel& model, const Access& access) {
    if (access.kind != AccessKind::read)
        return true;
    if (access.as_argument)
        return model.may_write_argument(model.calls[access.argument_of], access.argument_index);
    if (access.receiver_of == none)
        return false;
    const auto methods = model.find_functions(model.calls[access.receiver_of].callee);
    return std::any_of(methods.begin(), methods.end(), [&](Index method) {
        return model.functions[method].has_attribute("mutating");
    });
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
                loop.body.contains(access.site.range))
                loop.counter_written_in_body = true;
        }
    }
}

} // namespace slimgrad
