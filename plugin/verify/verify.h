#pragma once

#include "plugin/slang/compiler.h"
#include "rewriter/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// What values an input takes. Either one value (minimum == maximum) or a range, ends included.
struct InputRange {
    double minimum = 0;
    double maximum = 0;
};

/// Ranges by input: "gIn" (all elements), "gIn[3]" (one element), "params.count" (a member). From slimgrad.toml [inputs].
using InputRanges = std::map<std::string, InputRange>;

/// A loop that the comparison has to exercise, as the rules see it.
struct LoopToCover {
    Place place;                         ///< of the keyword `for`, `while`, `do`
    std::optional<std::uint64_t> bound;  ///< N of its attribute or its proved trip count
    bool trip_count_is_input = false;    ///< then 0, 1, N-1 and N trips have to be seen
};

struct VerifyOptions {
    std::uint32_t samples = 32;          ///< random inputs
    std::uint64_t seed = 1;
    double tolerance = 1e-5;             ///< |a-b| <= tolerance * max(|a|, |b|, RMS of the buffer)
    std::uint32_t threads = 1;           ///< thread groups in x
    InputRanges ranges;
    std::vector<LoopToCover> loops;      ///< of the original's differentiated functions
    ProcessLimits limits{std::chrono::milliseconds{60'000}, 8ull << 30, 64ull << 20};
};

enum class Verdict {
    equal,
    different,
    original_wrong, ///< the original's own checkpoint arrays are indexed out of bounds
    rewritten_wrong,
    unverified,     ///< nothing differed, but the inputs did not reach enough
    cannot_run,
};

/// The first difference beyond the tolerance.
struct Difference {
    std::string buffer;
    std::uint64_t element = 0; ///< flat scalar index into the buffer
    double original = 0, rewritten = 0;
    std::uint32_t sample = 0;
};

struct VerifyResult {
    Verdict verdict = Verdict::cannot_run;
    std::string entry_point;
    std::string reason;       ///< one line: "bit-equal on 32 inputs (cpp branch)", "index out of range: gIn[70000] at k.slang:12"
    bool bit_equal = false;
    double largest_error = 0; ///< relative, in the sense of the tolerance
    std::optional<Difference> difference;
    std::uint32_t samples = 0;
    std::uint64_t seed = 0;
    bool cpp_branch = false;  ///< the module has __target_switch: what ran is the branch for C++
};

/// One variant of a module as compiled for `SlangTarget::cpp`.
struct CpuVariant {
    std::string code;
    Reflection reflection;
};

/// Runs the entry point of both variants on the same random inputs in separate processes and compares every writable buffer.
/// Does not prove equality for inputs that were not drawn; `unverified` says what they did not reach.
/// Error: the C++ compiler or the runner cannot be started.
Result<VerifyResult> compare_gradients(const CpuVariant& original, const CpuVariant& rewritten,
                                       const std::string& entry_point, const VerifyOptions& options);

} // namespace slimgrad
