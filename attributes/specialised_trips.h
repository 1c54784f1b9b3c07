#pragma once

#include "attributes/trip_count.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad {

/// What a loop with a generic trip count comes to where a call gives the generic values.
struct SpecialisedTrips {
    std::string arguments; ///< "N = 4"
    std::int64_t trips = 0;
    Index call = none;
};

/// For a loop whose trip count is a constant expression of generic values of its function or the
/// type around it: one entry for every call of the module that gives them as constants, or leaves
/// them to their defaults. Calls that hand on values of their
/// own caller's generics are not followed.
std::vector<SpecialisedTrips> specialised_trips(const ModuleModel& model, Index loop,
                                                const TripCount& count);

} // namespace slimgrad
