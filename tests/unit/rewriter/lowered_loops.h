#pragma once

#include "rewriter/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A loop of the compiler's IR before any pass.
struct LoweredLoop {
    /// Of the statements and expressions before it in its block, the latest first: one is the
    /// loop's own keyword. Columns count characters.
    std::vector<Place> before;
    std::vector<std::string> attributes; ///< "ForceUnroll(4)", "loopMaxIters(8)", "loopControl(0)"
};

/// A function of the module with what is left of its statements: what cannot be reached and loops
/// that end at once are gone.
struct LoweredFunction {
    std::string name; ///< the IR's: "Sx5Fsum"
    Place place;      ///< of the name in its declaration
    std::vector<LoweredLoop> loops;
    std::vector<Place> lines; ///< of all statements and expressions
};

/// The functions with bodies in what `slangc -dump-ir -g3` prints, generic ones once.
std::vector<LoweredFunction> lowered_functions(std::string_view ir);

/// The lines of that text that `lowered_functions` reads: a tenth of it.
std::string what_loops_need(std::string_view ir);

} // namespace slimgrad
