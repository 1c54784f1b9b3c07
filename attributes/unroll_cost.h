#pragma once

#include "attributes/function_flows.h"
#include "attributes/trip_count.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slimgrad {

inline constexpr std::int64_t most_unrolled_trips = 64; ///< of a nest: the product
inline constexpr std::int64_t most_trips_through_call =
    12; ///< slangc's time doubles with every trip

/// What slangc would have to write out.
class UnrollCost {
  public:
    /// All have to outlive this.
    UnrollCost(const ModuleModel& model, FunctionFlows& flows, TripCounts& trips)
        : model_(model), flows_(flows), trips_(trips) {}

    /// The most trips of a loop whose trip count is a constant where slangc compiles it: over all
    /// values that calls of the module give its generic parameters. Nothing where it is no
    /// constant, or no call tells.
    std::optional<std::int64_t> trips(Index loop);

    /// The function of the module through which the loop hands a carried value on to its next trip,
    /// derivative and all, or "": slangc's time to unroll such a loop doubles with every trip.
    ///
    /// Example: `v = stepOnce(v, x)`; not `v += weight(i)`, not `v += 0.1f * sin(v)`.
    std::string carries_through(Index loop);

  private:
    const ModuleModel& model_;
    FunctionFlows& flows_;
    TripCounts& trips_;
};

/// Whether slangc knows how often the loop runs wherever it compiles it, in every build.
bool has_constant_trips(const TripCount& trips);

} // namespace slimgrad
