#pragma once

#include "plugin/verify/value_text.h"
#include "rewriter/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// Calls of one `bwd_diff(f)` that are recorded per sample: of more, some from all over the run.
constexpr std::uint32_t most_recorded_calls = 64;

/// What is generated for one `bwd_diff(f)`.
struct ReplayRequest {
    std::uint32_t site = 0;
    std::string function; ///< f as the module's scope knows it
    const FunctionShape* shape = nullptr;
    /// By argument of bwd_diff(f): the expression of one that is passed through, a buffer say, and
    /// "" of what is recorded.
    std::vector<std::string> passed;
    std::string entry_parameters; ///< those of the kernel, for `passed`
    std::string passed_variables; ///< declarations of variables that `passed` names
    bool forward = true;          ///< also call fwd_diff(f)
    bool records_only = false;    ///< the capture function does not call bwd_diff(f)
    bool moves_buffers = false;   ///< f may take no argument that has a gradient
};

/// Offsets into a call's part of slimgrad_results. The parts follow each other, each as long as
/// `values` and the number of steps; the number of calls stands in the first.
struct ReplayResults {
    static constexpr std::uint64_t calls = 0, backward = 1, forward = 2, magnitude = 3,
                                   backward_magnitude = 4, forward_magnitude = 5, values = 6;
};

/// Two functions. `slimgrad_capture_N` takes what bwd_diff(f) takes, records it in
/// slimgrad_records from `base` on (the number of calls, then the calls), unless a replay runs, and
/// calls bwd_diff(f), unless it is one that records only.
/// The entry point `slimgrad_replay_N` loads such records (those of sample slimgrad_sample start at
/// slimgrad_records[slimgrad_sample]) and sums up for each call, with u the recorded gradient of
/// f's results (a random one where it is zero) and v a direction of its arguments:
///
///     slimgrad_results[backward] += <bwd_diff(f)(x; u), v>
///     slimgrad_results[forward] += <u, fwd_diff(f)(x; v)>
///     slimgrad_results[values + k] += <u, f(x + h_k v)>    slimgrad_steps = number of h, h...
///
/// and the sums of the same terms without their signs, of f's own at h = 0. v is random, but some
/// samples move one argument alone, one scalar alone or a part of the scalars, so that large
/// gradients hide no small ones. With a negative number of h the arguments stay: v = 0.
class ReplayText {
  public:
    /// Error: an argument cannot be recorded: says which and why.
    static Result<ReplayText> generate(const ReplayRequest& request, ValueText& values);

    std::string capture;       ///< the function that records
    std::string replay;        ///< the entry point
    std::uint64_t words = 0;   ///< of one call's record
    std::uint32_t scalars = 0; ///< of v

    /// The capture function, for records that start at this word.
    std::string capture_at(std::uint64_t base) const;
    std::uint64_t region_words() const { return 1 + most_recorded_calls * words; }
    bool half = false; ///< half-precision arguments or results
};

/// How many arguments bwd_diff(f) takes.
std::size_t backward_arity(const FunctionShape& shape, const ValueText& values);

/// What the functions of all sites need.
std::string replay_prelude();

} // namespace slimgrad::verify
