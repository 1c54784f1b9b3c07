#pragma once

#include "attributes/conditional_text.h"
#include "attributes/function_flows.h"
#include "attributes/integer_range.h"
#include "attributes/trip_count.h"

namespace slimgrad {

/// The trips of a loop that counts: whose parts are all known and whose counter nothing else
/// writes. `counter` knows the counters of the loops around it.
TripCount prove_trips(const ModuleModel& model, Index loop, const Promises& promises,
                      FunctionFlows& flows, const ConditionalText& text,
                      IntegerRanges::CounterRange counter);

} // namespace slimgrad
