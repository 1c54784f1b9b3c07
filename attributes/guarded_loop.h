#pragma once

#include "attributes/checkpointed_loops.h"
#include "rewriter/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad {

/// Whether the loop's start or end names what a loop around it counts or declares.
bool follows_loop(const ModuleModel& model, Index loop);

/// A loop whose end, or start, differs from trip to trip of a loop around it, as one that always
/// counts through all that the counter may be, with the end or start as a test in its body.
///
/// Example: `for (int m = 0; m < l; ++m) t *= x;` with l from 0 to 3 as
///     for (int m = 0; m < 3; ++m)
///         if (m < l)
///             t *= x;
class GuardedLoop {
  public:
    /// Error: why it cannot be written so: what the counter may be is not known in every build,
    /// the loop changes its end, ...
    static Result<GuardedLoop> read(const RuleInput& input, CheckpointedLoops& loops, Index loop);

    /// How often it runs at most, in one trip of the loops around it.
    std::int64_t most() const { return most_; }
    /// The edits of its head and body that have it run so often, which is `most()` or more; its
    /// attributes stay.
    std::vector<SourceEdit> edits(std::int64_t trips) const;

  private:
    GuardedLoop(const ModuleModel& model, const Loop& loop) : model_(model), loop_(loop) {}

    std::string why_kept(const RuleInput& input, CheckpointedLoops& loops, Index index);
    std::string why_changes(CheckpointedLoops& loops, const std::string& expression) const;
    SourceEdit guarded_body() const;

    const ModuleModel& model_;
    const Loop& loop_;
    std::int64_t lowest_ = 0, most_ = 0, step_ = 1;
    bool has_other_start_ = false;
};

} // namespace slimgrad
