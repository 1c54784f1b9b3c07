#include "plugin/trial/compared_change.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

Result<VerifyResult> check_gradients(TrialLab& lab, const Trial& trial) {
    const auto checked = lab.check(trial);
    if (!checked)
        return tl::unexpected(checked.error());
    VerifyResult worst;
    worst.verdict = checked->empty() ? Verdict::unverified : Verdict::right;
    for (const VerifyResult& result : *checked)
        if (worst.verdict != Verdict::wrong && result.verdict != Verdict::right)
            worst = result;
    return worst;
}

Result<VerifyResult> compare_change(TrialLab& lab, const Trial& original, const Trial& rewritten,
                                    const std::vector<TriedFix>& steps, VerifyDepth depth) {
    auto compared = lab.compare(original, rewritten, depth);
    if (!compared || compared->verdict != Verdict::different ||
        std::none_of(steps.begin(), steps.end(),
                     [](const TriedFix& step) { return step.fix.other_derivative; }))
        return compared;
    for (const Trial* trial : {&original, &rewritten}) {
        const auto checked = lab.check(*trial);
        if (!checked)
            return tl::unexpected(checked.error());
        // A kernel without a derivative has to come to the same.
        if (std::none_of(checked->begin(), checked->end(),
                         [&](const VerifyResult& result) {
                             return result.entry_point == compared->entry_point;
                         }) ||
            std::any_of(checked->begin(), checked->end(), [](const VerifyResult& result) {
                return result.verdict != Verdict::right;
            }))
            return compared;
    }
    compared->verdict = Verdict::right;
    compared->reason =
        fmt::format("central differences confirm both forms, which differ: {}", compared->reason);
    return compared;
}

bool is_accepted(const VerifyResult& verified) {
    return verified.verdict == Verdict::equal || verified.verdict == Verdict::right;
}

} // namespace slimgrad
