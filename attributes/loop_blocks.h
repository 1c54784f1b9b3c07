#pragma once

#include "attributes/checkpointed_loops.h"
#include "rewriter/result.h"

#include <cstdint>
#include <string>

namespace slimgrad {

/// A counted loop as two: one over blocks of its trips, and in it one over the trips of a block.
///
/// Example: `[MaxIters(N)] for (int i = 0; i < N; i++) v = f(v, i);` in blocks of 8 is
///     [MaxIters((N + 7) / 8)]
///     for (int first = 0; first < N; first += 8)
///         [ForceUnroll]
///         for (int trip = 0; trip < 8; trip++)
///         {
///             int i = first + trip;
///             if (i < N)
///                 v = f(v, i);
///         }
/// Where a constant N is a multiple, the condition is `N % 8 == 0 || i < N`, which costs nothing
/// and stays right when N changes; where N is a number in the loop's head, there is none.
class LoopBlocks {
  public:
    /// Error: why it cannot be cut: it may end early, its counter is known elsewhere, its end is
    /// not known to stay, ... Loops in it and around it are not looked at.
    static Result<LoopBlocks> read(const RuleInput& input, CheckpointedLoops& loops, Index loop);

    /// How often it runs at most, as far as the module tells.
    std::int64_t trips() const { return trips_; }
    /// Whether blocks of this size have no condition, which tests the loop's end.
    bool fits(std::int64_t size) const;
    /// Whether its condition, written once or once for each trip of a block, is seen to hold and
    /// not to hold when the loop runs, as verifying it takes; one that slangc decides needs
    /// nothing.
    bool is_testable(std::int64_t size, bool for_each_trip) const;
    /// What the loop over the blocks is called by: "first".
    const std::string& first() const { return first_; }
    /// "int first"
    std::string first_parameter() const { return type_ + " " + first_; }

    /// `[MaxIters(..)]` and the head of the loop over blocks, without an end of line.
    std::string outer(std::int64_t size, const std::string& indent) const;
    /// The loop over a block's trips with all of its lines, with [ForceUnroll] or [MaxIters(size)].
    std::string inner(std::int64_t size, bool is_unrolled, const std::string& indent,
                      const std::string& unit) const;

  private:
    LoopBlocks(const ModuleModel& model, const Loop& loop) : model_(model), loop_(loop) {}

    std::string why_not_cut(const RuleInput& input, CheckpointedLoops& loops, Index index);
    std::string why_end_changes(CheckpointedLoops& loops) const;
    bool is_counter_used() const;
    std::string guard(std::int64_t size, bool is_unrolled) const;
    std::string block(const std::string& head, const std::string& guard, const std::string& indent,
                      const std::string& unit) const;
    std::string step_of(std::int64_t trips) const;

    const ModuleModel& model_;
    const Loop& loop_;
    std::string type_, bound_, first_, trip_, line_;
    std::int64_t trips_ = 0, step_ = 1;
    bool is_constant_ = false; ///< slangc knows how often it runs
    std::string exact_;        ///< the number of trips, where it is a constant expression
};

} // namespace slimgrad
