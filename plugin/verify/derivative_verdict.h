#pragma once

#include "plugin/verify/differentiated_call.h"
#include "plugin/verify/step.h"

#include <string>
#include <vector>

namespace slimgrad::verify {

/// What the derivative checks of one entry point's calls say together.
struct DerivativeVerdict {
    enum class Kind {
        right,       ///< every call agrees with central differences
        cut,         ///< so it does once a `detach` or `no_diff` is taken away: it may be meant
        wrong,       ///< a call does not agree with central differences
        cannot_tell, ///< a call could not be compared with them, or there is no call
    };
    Kind kind = Kind::cannot_tell;
    std::string reason; ///< one line
    Place place;        ///< of the call or of the cut
};

/// One call that is wrong makes all wrong; one that cannot be told leaves the others' word unsaid.
/// A dot product that fails where differences agree means that fwd_diff is wrong: nothing that a
/// backward kernel uses.
DerivativeVerdict judge(const std::vector<DifferentiatedCall>& calls);

/// The steps dot_product and differences of all calls: failed if one failed, passed if one passed.
std::vector<StepReport> derivative_steps(const std::vector<DifferentiatedCall>& calls);

} // namespace slimgrad::verify
