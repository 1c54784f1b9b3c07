#pragma once

#include "plugin/verify/branch_text.h"
#include "plugin/verify/input_plan.h"
#include "rewriter/result.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// One subscript of the emitted C++ text: what is indexed and where the shader does it.
struct Subscript {
    std::string name; ///< of the buffer or array: "gIn"; without the compiler's suffix
    Place place;      ///< line of the shader, no column
    bool checkpoint =
        false; ///< an array in which the primal pass stores values for the backward pass
};

/// One loop of the emitted text. A shader's loop is emitted up to three times: in the primal
/// function, in the pass that stores and in the pass that goes backwards.
struct EmittedLoop {
    Place place;                   ///< line of the shader, no column
    std::set<std::uint32_t> lines; ///< lines of that file that the loop's body comes from
    bool counted = false;   ///< one of the two passes of a differentiated loop: its head is passed
                            ///< twice more than its body, or once where `stores` without a flag
    bool reachable = false; ///< from the entry point
    std::size_t depth = 0;  ///< loops around it in its function
    bool stores = false;    ///< of the two passes the one that stores
    bool flagged = false;   ///< its head tests a flag, which the last pass through its body sets
};

/// The emitted text with hooks: every subscript names its place before the bounds check, every loop
/// reports how often its head was passed.
struct InstrumentedText {
    std::string code;
    std::vector<Subscript> subscripts; ///< [0] stands for a check that no subscript announced
    std::vector<EmittedLoop> loops;
    std::vector<EmittedBranch> branches;
    std::set<std::string> used_globals; ///< fields of the block of globals that the entry point can
                                        ///< reach, with suffix: "gIn_0"
};

/// Instruments C++ text that slangc emitted. What it computes does not change. Understands the text
/// that slangc writes, not C++:
///
///     (&_S9)->value1_0[_pc_1][_pc_0] = t_0;      (&_S9)->value1_0[slimgrad_at(1,
///     _pc_1)][slimgrad_at(2, _pc_0)] = t_0; for(;;) for(slimgrad_loop slimgrad_l(0);
///     slimgrad_l.head();)
///
/// A subscript counts as a checkpoint's when its index is one of the compiler's own counters:
/// `_pc_N` (storing), or `_dc_N` (going backwards) on an array that is a member of a context. Other
/// subscripts are the user's.
///
/// `machine`: cuda for text of `-target cuda`; the result is C++ for the host then (cuda_text.h).
/// What is indexed within a builtin function of Slang has the place of the shader's call.
InstrumentedText instrument(std::string_view code, std::string_view entry_point,
                            Machine machine = Machine::cpp);

/// The text as the host's compiler takes it, without hooks.
std::string library_text(std::string_view code, Machine machine);

} // namespace slimgrad::verify
