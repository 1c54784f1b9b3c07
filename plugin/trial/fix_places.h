#pragma once

#include "plugin/trial/trial_lab.h"

#include <set>
#include <string>

namespace slimgrad {

/// Where a fix works: what lies far from it in the program is not tried together with it, for
/// which the gains of both add up.
struct FixPlaces {
    std::set<std::string> functions; ///< qualified names of those that it edits
    std::set<std::string> around;    ///< those, and what they call or are called by
    bool everywhere = false;         ///< it edits something that is in no function
};

/// Of a fix that is offered on this trial.
FixPlaces places_of(const Trial& trial, const Fix& fix);

/// Whether one works in a function of the other's, or right above or below it in the calls.
bool are_near(const FixPlaces& a, const FixPlaces& b);

} // namespace slimgrad
