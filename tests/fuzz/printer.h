#pragma once

#include "tests/fuzz/program.h"

#include <string>

namespace slimgrad::hunt {

enum class Precision { single, twice };

/// How a program's functions are written.
struct PrintStyle {
    std::string prefix;                      ///< of all its names: "p3v1_"
    Precision precision = Precision::single; ///< `float` or `double`
    /// For central differences: nothing is differentiable, weights come from the buffer that is
    /// moved, and `detach(e)` is e of further parameters that are not moved.
    bool primal_only = false;
};

/// The structures and functions of a program as Slang, one statement a line.
std::string print_functions(const Program& program, const PrintStyle& style);

/// The name of the function that is differentiated.
std::string root_name(const Program& program, const PrintStyle& style);

/// "float", "float3", "float2x2"; not of an array.
std::string type_name(const Type& type, const PrintStyle& style);

/// What all programs of a module share: buffers, the functions with custom derivatives.
/// `precision`: of gIn, gOut and the weights.
std::string print_shared(Precision precision);

/// One program as a module that stands alone: its functions and an entry point `gradMain` that
/// writes the value, the gradient of every input and the gradients of the weights.
std::string print_module(const Program& program, Precision precision);

/// A function `run` that does this for the program at `base` of gOut.
std::string print_run(const Program& program, const PrintStyle& style);

} // namespace slimgrad::hunt
