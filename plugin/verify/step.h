#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// The steps of the ladder, in order. Each says more than the ones before it, and none all.
enum class Step {
    compiles,    ///< Slang and the host's compiler take it
    checked,     ///< no index leaves its array or buffer (assert build)
    sanitized,   ///< nothing that AddressSanitizer or UndefinedBehaviorSanitizer sees
    targets,     ///< the C++ and the CUDA text of one kernel compute the same
    equal,       ///< original and rewritten write the same
    aliasing,    ///< they also do where buffers that may overlap do
    threads,     ///< no two threads of a launch write one place in an order that nothing sets
    dot_product, ///< <u, J v> of fwd_diff = <J' u, v> of bwd_diff
    differences, ///< bwd_diff agrees with central differences
    coverage,    ///< the inputs reached the loops and branches
    device,      ///< the CUDA text on a CUDA device: what `equal` says; of one variant, that the
                 ///< device computes what the host does
};

enum class StepState {
    passed,
    failed,
    not_applicable, ///< it would say nothing here: see the detail
    not_run,        ///< an earlier step decided, or it was not asked for
};

struct StepReport {
    Step step = Step::compiles;
    StepState state = StepState::not_run;
    std::string detail; ///< one line: "32 inputs, 3 at kinks", "ldW has no forward derivative"
    std::chrono::milliseconds duration{0};
};

/// In the order of the ladder, whenever they were climbed.
void sort_steps(std::vector<StepReport>& steps);

/// How long a step takes.
class StepClock {
  public:
    std::chrono::milliseconds elapsed() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - began_);
    }

  private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// "compiles", "checked", "sanitized", "targets agree", "equal", "aliasing", "threads",
/// "dot product", "differences", "coverage", "device".
std::string_view to_string(Step step);
/// "passed", "failed", "not applicable", "not run".
std::string_view to_string(StepState state);

} // namespace slimgrad
