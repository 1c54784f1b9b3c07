#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// One `if` of the emitted text, or one label of a `switch`, that stems from the shader. Slang
/// emits a shader's branch up to three times, and tests flags of its own at the same line: those
/// are left out.
struct EmittedBranch {
    /// Line of the shader's condition, no column. Not so where only the backward pass has the
    /// branch: then it may be any line.
    Place place;
    /// The condition without the compiler's suffixes, "v > t", or the label, "case int(1)": the
    /// same in all copies.
    std::string condition;
    std::string function;        ///< that holds it, without suffix: "s_bwdProp_f"
    std::uint32_t taken = 0;     ///< the way into the `if`, or to the label
    std::uint32_t not_taken = 0; ///< the other way; the same as `taken` for a label
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
/// that was taken, and `uint32_t slimgrad_way_count`. Not seen: what both sides are computed for
/// (`select`, `?:` of vectors, min and max). `unreachable`: functions that do not run, with suffix.
BranchText instrument_branches(std::string_view code,
                               const std::set<std::string>& unreachable = {});

} // namespace slimgrad::verify
