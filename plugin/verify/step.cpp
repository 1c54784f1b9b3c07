#include "plugin/verify/step.h"

#include <algorithm>

namespace slimgrad {

void sort_steps(std::vector<StepReport>& steps) {
    std::stable_sort(steps.begin(), steps.end(),
                     [](const StepReport& a, const StepReport& b) { return a.step < b.step; });
}

std::string_view to_string(Step step) {
    switch (step) {
    case Step::compiles:
        return "compiles";
    case Step::checked:
        return "checked";
    case Step::sanitized:
        return "sanitized";
    case Step::targets:
        return "targets agree";
    case Step::equal:
        return "equal";
    case Step::aliasing:
        return "aliasing";
    case Step::threads:
        return "threads";
    case Step::dot_product:
        return "dot product";
    case Step::differences:
        return "differences";
    case Step::coverage:
        return "coverage";
    case Step::device:
        return "device";
    }
    return "";
}

std::string_view to_string(StepState state) {
    switch (state) {
    case StepState::passed:
        return "passed";
    case StepState::failed:
        return "failed";
    case StepState::not_applicable:
        return "not applicable";
    case StepState::not_run:
        return "not run";
    }
    return "";
}

} // namespace slimgrad
