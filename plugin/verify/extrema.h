#pragma once

#include "rewriter/module_model.h"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// A maximum or minimum of two values: `max(a, b)`, `min(a, b)`, the two bounds of `clamp` and
/// `saturate`, and `abs(a)`, which is the maximum of a and -a.
struct Extremum {
    std::string callee; ///< "clamp"
    bool maximum = false;
    Site site;                         ///< the call
    Index function = none;             ///< that holds it
    std::array<std::string, 2> values; ///< as written: "x", "1e-6f"
    /// What each value is made of: its text, the initializers of the variables in it and the texts
    /// of the functions that it calls. Arguments stand for parameters.
    std::array<std::string, 2> keys;
};

/// Those of the module, but for what macros make.
std::vector<Extremum> extrema_in(const ModuleModel& model);

/// Names a value of an extremum among those of two modules.
std::string arm_of(const Extremum& extremum, std::size_t value);

/// By `arm_of`: the values that only one of the modules chooses from. Where such a value is never
/// the result, nothing shows that it is right; one that both choose from in the same place is as
/// good in either.
std::set<std::string> changed_arms(const ModuleModel& one, const ModuleModel& other);

} // namespace slimgrad::verify
