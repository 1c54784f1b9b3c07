#include "plugin/verify/captured_calls.h"

#include <algorithm>

namespace slimgrad::verify {

CapturedCalls::CapturedCalls(const KernelRun& run, const InputPlan& plan, std::uint64_t base,
                             std::uint64_t words_per_call, std::uint32_t samples)
    : words_per_call_(words_per_call), made_(samples), words_(samples) {
    const std::uint64_t words = most_recorded_calls * words_per_call;
    for (const BufferChanges& changes : run.changes) {
        if (plan.buffers[changes.buffer].name != "slimgrad_records" || changes.sample >= samples)
            continue;
        std::vector<std::uint32_t>& record = words_[changes.sample];
        for (const Change& change : changes.changes) {
            if (change.index < base || change.index > base + words)
                continue;
            const std::uint64_t at = change.index - base;
            if (at == 0) {
                made_[changes.sample] = change.after;
            } else {
                record.resize(std::max<std::uint64_t>(record.size(), at));
                record[at - 1] = static_cast<std::uint32_t>(change.after);
            }
        }
    }
    for (std::uint32_t sample = 0; sample < samples; ++sample)
        words_[sample].resize(recorded(sample) * words_per_call); // zeros at the end are no changes
}

std::uint64_t CapturedCalls::recorded(std::uint32_t sample) const {
    return std::min<std::uint64_t>(made_[sample], most_recorded_calls);
}

std::vector<double> CapturedCalls::packed() const {
    std::vector<double> result(words_.size());
    for (std::uint32_t sample = 0; sample < words_.size(); ++sample) {
        result[sample] = static_cast<double>(result.size());
        result.push_back(static_cast<double>(recorded(sample)));
        result.insert(result.end(), words_[sample].begin(), words_[sample].end());
    }
    return result;
}

} // namespace slimgrad::verify
