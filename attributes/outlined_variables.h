#pragma once

#include "attributes/outlined_function.h"
#include "rewriter/variable_flow.h"

#include <string>
#include <vector>

namespace slimgrad {

/// A variable of a function as code of it sees it that is to move out of the function.
struct OutlinedVariable {
    enum class Direction {
        in,     ///< only its value is used; what the code sets it to is used by nobody else
        inout,  ///< it has a value before, and its value is used behind
        out,    ///< it is set as a whole before it is read, and used behind
        result, ///< the same of one that the code itself declares
    };
    std::string name;
    std::string type; ///< to declare it by
    Direction direction = Direction::in;
    bool no_diff = false; ///< it is a parameter that is declared so
    Index local = none;   ///< into ModuleModel::locals, none for parameters
};

/// The parameters and local variables that the code shares with the rest of its function, in the
/// order in which the function declares them. Globals and members are seen from everywhere.
///
/// Error: what a name means is not known for certain, a type cannot be written down, the code
/// writes the object that a method is called on.
Result<std::vector<OutlinedVariable>>
outlined_variables(const ModuleModel& model, const FunctionFlow& flow, const CodeToOutline& wanted);

} // namespace slimgrad
