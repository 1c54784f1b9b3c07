#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// One `if` of the emitted text, one label of a `switch`, or one choice between two values, that
/// stems from the shader. Slang emits a shader's branch up to three times, and tests flags of its
/// own at the same line: those are left out.
struct EmittedBranch {
    enum class Kind {
        test,
        label,
        selection, ///< `select`, `?:` of vectors: one for each component
        maximum,   ///< `max`, the lower bound of `clamp` and `saturate`, `abs`: max(x, -x)
        minimum,   ///< `min`, the upper bound of `clamp` and `saturate`
    };
    Kind kind = Kind::test;
    /// Line of the shader's condition, no column. Not so where only the backward pass has the
    /// branch: then it may be any line.
    Place place;
    /// The condition without the compiler's suffixes, "v > t", or the label, "case int(1)": the
    /// same in all copies. Of a maximum or minimum a number that no other one has.
    std::string condition;
    std::string function;        ///< that holds it, without suffix: "s_bwdProp_f"
    std::uint32_t taken = 0;     ///< the way into the `if`, or to the label; a < b of max(a, b)
    std::uint32_t not_taken = 0; ///< the other way; the same as `taken` for a label; b < a
    /// It may be a flag of the compiler after all, which took over the name of a variable: `i !=
    /// 1`.
    bool doubtful = false;
    bool reachable = true; ///< its function, from the entry point
};

/// Text that reports which ways were taken: `if(c)` becomes `if(slimgrad_branch(3, c))`.
struct BranchText {
    std::string code;
    std::vector<EmittedBranch> branches;
};

/// Instruments C++ or CUDA text that slangc emitted, or that `instrument` made of it. What it
/// computes does not change. The library then has `unsigned char slimgrad_ways[]`, one for each way
/// that was taken, and `uint32_t slimgrad_way_count`. `unreachable`: functions that do not run,
/// with suffix.
///
/// max, min, clamp, saturate and abs become functions of Slang's modules; what is compared there
/// counts for the call that the shader made. Of vectors the components count together.
BranchText instrument_branches(std::string_view code,
                               const std::set<std::string>& unreachable = {});

} // namespace slimgrad::verify
