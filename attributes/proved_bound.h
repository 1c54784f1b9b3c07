#pragma once

#include "attributes/trip_count.h"

#include <string>

namespace slimgrad {

/// What to write into [MaxIters(..)], or "" where nothing is proved. Of "N - 1" it is "N": -1 is no
/// bound of a loop that does not run.
std::string proved_bound(const TripCount& trips);

/// Why the proved bound of this build may be wrong in another one, or "".
std::string wrong_in_other_builds(const TripCount& trips);

} // namespace slimgrad
