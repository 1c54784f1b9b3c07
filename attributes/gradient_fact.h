#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <string>

namespace slimgrad {

/// One thing that running a module showed about its gradients: plain data, filled by who ran it.
/// Fields that a kind does not name stay as they are.
struct GradientFact {
    enum class Kind {
        /// An index left an array of stored values: `index`, `extent`; `nested` where two loops
        /// with unequal bounds are the cause.
        index_out_of_range,
        /// Gradients change when nothing is recomputed, since `subject`, memory that is read again,
        /// had been written: `backward` as it is, `reference` where nothing is recomputed.
        mutated_memory,
        /// The custom derivative `subject` disagrees with central differences.
        custom_derivative,
        /// The generated backward pass does.
        differences,
        /// All gradients are zero although the result depends on the inputs; `subject`: the
        /// TensorView
        /// parameter that would have to be a DiffTensorView, or "".
        no_gradient,
        /// Without `subject`, "detach" or "no_diff", the gradients would agree with central
        /// differences.
        cut_path,
        /// Two threads of a group write one scalar without an order: `subject` says which.
        data_race,
    };
    Kind kind = Kind::differences;
    Place place;          ///< of the loop, the custom derivative, the call of bwd_diff, the cut
    std::string function; ///< that is differentiated
    std::string subject;
    double backward = 0;           ///< <J' u, v>: what bwd_diff gives in one sample
    double reference = 0;          ///< what central differences give there
    std::uint32_t mismatching = 0; ///< samples
    std::uint32_t samples = 0;     ///< that could be judged
    double typical = 0; ///< of a custom derivative that may be meant as an approximation: the
                        ///< median of the relative errors that were seen; else 0
    double factor = 0;  ///< backward / reference where it is the same in all samples, else 0
    std::uint64_t index = 0, extent = 0;
    bool nested = false;
};

} // namespace slimgrad
