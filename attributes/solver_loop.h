#pragma once

#include "attributes/checkpointed_loops.h"
#include "attributes/rule.h"

#include <string>
#include <vector>

namespace slimgrad {

/// A loop that looks for a root and stops where what is left of an equation, or the last step, is
/// small. Of a sum of terms that stops where they are small it is told by what it adds: that reads
/// the unknown.
struct SolverLoop {
    Index loop = none;
    Index unknown = none; ///< the local variable that holds the root at the end
    Site declaration;     ///< its statement
    /// What is zero at the root, of the function's parameters and the unknown alone: "g(x, t)" of
    ///     float v = g(x, t); t += v; if (abs(v) < eps) break;
    /// "h(x, t) - t" of
    ///     float n = h(x, t); if (abs(n - t) < eps) break; t = n;
    std::string residual;
};

/// Whether a test of the loop ends it where the size of a number with a derivative is small.
bool may_be_solver(const ModuleModel& model, CheckpointedLoops& loops, Index loop);

/// Error: why it is not known to be one.
Result<SolverLoop> read_solver(const ModuleModel& model, CheckpointedLoops& loops, Index loop);

} // namespace slimgrad
