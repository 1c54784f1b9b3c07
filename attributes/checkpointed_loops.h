#pragma once

#include "attributes/effects.h"
#include "attributes/function_flows.h"
#include "attributes/recompute_safety.h"
#include "attributes/rule.h"
#include "attributes/trip_count.h"
#include "attributes/unroll_cost.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slimgrad {

/// The loops of differentiated code that run as loops, with what the compiler stores for them: what
/// the rules that restructure a loop start from.
class CheckpointedLoops {
  public:
    /// `input` has to outlive it.
    explicit CheckpointedLoops(const RuleInput& input);

    /// Those that are neither unrolled nor in functions with a derivative of their own, and that
    /// may be edited. In the order of the model.
    const std::vector<Index>& loops() const { return loops_; }

    /// What the function stores of the variables that its loops carry, once for each trip; without
    /// what is stored of calls and reads.
    std::uint64_t carried_bytes(Index function) const;
    /// What it stores for each trip of two loops.
    std::uint64_t bytes_per_two_trips(Index function) const;
    /// What is stored of calls and reads that stand there.
    std::uint64_t computed_bytes(Site site) const;
    /// The same without calls of the module's own functions.
    std::uint64_t read_bytes(Site site) const;

    /// Whether slangc may store what a call of the code needs rather than compute it again: since
    /// it reads memory, or runs a function that is known only where the code is specialised.
    bool may_be_stored(Site code, const RecomputeSafety& safety) const;

    /// "the loop over 'k' of 'march'": the same before and after edits elsewhere.
    std::string name_of(Index loop) const;
    Place place_of(Index loop) const;
    /// The innermost loop around it that is not unrolled, or none.
    Index loop_around(Index loop) const;
    /// What bounds it in every build: a proved expression, or what the user wrote; or "".
    std::string bound_of(Index loop);
    /// How often it runs at most, by this bound and by the calls of the module; 0 if not known.
    std::int64_t most_trips(Index loop);
    /// Whether a loop stands in it, unrolled or not.
    bool has_loop_inside(Index loop, bool or_unrolled) const;

    FunctionFlows& flows() { return flows_; }
    TripCounts& trips() { return trips_; }
    UnrollCost& cost() { return cost_; }
    const EffectAnalysis& effects() const { return effects_; }

  private:
    struct Row {
        Site site; ///< where the report points
        Index function = none;
        const CheckpointValue* value = nullptr;
    };

    void read_rows();
    /// The call that the row is of, or none.
    Index call_of(const Row& row) const;
    bool is_computed(const Row& row) const;

    const RuleInput& input_;
    const ModuleModel& model_;
    EffectAnalysis effects_;
    FunctionFlows flows_;
    TripCounts trips_;
    UnrollCost cost_;
    std::vector<Row> rows_;
    std::vector<Index> loops_;
};

} // namespace slimgrad
