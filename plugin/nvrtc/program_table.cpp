#include "plugin/nvrtc/program_table.h"

#include <utility>

namespace slimgrad::nvrtc {

void ProgramTable::add(Program program, ProgramRecord record) {
    auto shared = std::make_shared<ProgramRecord>(std::move(record));
    const std::lock_guard lock(mutex_);
    records_[program] = std::move(shared);
}

std::shared_ptr<ProgramRecord> ProgramTable::find(Program program) const {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(program);
    return found == records_.end() ? nullptr : found->second;
}

std::shared_ptr<ProgramRecord> ProgramTable::remove(Program program) {
    const std::lock_guard lock(mutex_);
    const auto node = records_.extract(program);
    return node.empty() ? nullptr : node.mapped();
}

Program ProgramTable::compiled(Program program) const {
    const std::shared_ptr<ProgramRecord> record = find(program);
    return record != nullptr && record->replacement != nullptr ? record->replacement : program;
}

ProgramTable& program_table() {
    static auto* const table = new ProgramTable;
    return *table;
}

} // namespace slimgrad::nvrtc
