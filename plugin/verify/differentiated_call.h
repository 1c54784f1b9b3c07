#pragma once

#include "plugin/verify/step.h"
#include "rewriter/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// One `bwd_diff(f)` and what its gradients were compared with. Values are sums over the calls of
/// one sample: the first sample that shows a mismatch, else the one with the largest error.
struct DifferentiatedCall {
    std::string function; ///< f as written
    Place place;          ///< of the word bwd_diff, or of the kernel that is differentiated itself
    StepReport dot_product, differences;
    double backward = 0;           ///< <J' u, v>
    double forward = 0;            ///< <u, J v>, where dot_product ran
    double central_difference = 0; ///< of <u, f(x + h v)>, where differences ran
    std::uint32_t samples = 0;     ///< judged
    std::uint32_t kinks = 0;       ///< samples where differences do not converge: not judged
    std::uint32_t mismatches = 0;  ///< of the judged
    std::uint32_t sample = 0;      ///< that the values are of
    /// The median of all mismatches, relative to the larger of gradient and difference.
    double typical_mismatch = 0;
    /// Paths that the shader cuts on purpose (`detach`, `no_diff`) and with which removed the
    /// gradients agree.
    std::vector<Place> cuts;
    /// Custom derivatives on the way that the mismatch goes away without, by name.
    std::vector<std::string> custom_derivatives;
    /// Buffers whose gradients custom derivatives add into another and which were not checked.
    std::vector<std::string> unpaired;
    /// What the kernel's own precision loses of what it writes, where `differences` passed in
    /// double.
    std::string lost;

    /// Whether custom derivatives are to blame and mostly off by no more than a few percent: an
    /// approximation, as of a solver that ends within a tolerance, may be meant.
    bool approximates() const {
        constexpr double few_percent = 0.02;
        return !custom_derivatives.empty() && typical_mismatch <= few_percent;
    }
};

} // namespace slimgrad::verify
