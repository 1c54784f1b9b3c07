#pragma once

#include "attributes/function_flows.h"
#include "attributes/rule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad {

/// What of a function's body is to run in a function of its own.
struct CodeToOutline {
    Index function = none;
    /// Pieces of the body that the new function holds, in the order of the text: statements, and
    /// expressions such as a loop's end.
    std::vector<Site> code;
    /// A local variable that the new function declares by itself, a loop's counter; or none.
    Index own_local = none;
    std::string what; ///< in words: "inner loop"; the new function is `fInnerLoop`
    bool inside_loop =
        false; ///< the new function has the code in a loop: `continue` may stand in it
};

/// A differentiable function beside another one, that holds what was a part of that one's body.
///
/// Example: the loop over `j` of
///     float f(float x, no_diff float h) { float v = x; for (..) { for (..j..) v += h * sin(v); }
///     ..
/// has `parameters` "no_diff float h, inout float v", `arguments` "h, v", and becomes
///     [Differentiable]
///     void fInnerLoop(no_diff float h, inout float v) { for (..j..) v += h * sin(v); }
/// What the code reads is passed `in`, what it changes for later `inout`, and what it sets anew
/// `out`. A member function's code becomes a member, generic parameters are passed on.
struct OutlinedFunction {
    /// A variable that the code declares and that is used behind it.
    struct Result {
        std::string name, type;
        Index local = none;
    };

    std::string name;       ///< "fInnerLoop"
    std::string generics;   ///< as declared: "<let N : int>"
    std::string where;      ///< " where T : IFoo"
    std::string parameters; ///< without those of `results`
    std::string call;       ///< up to the arguments: "fInnerLoop<N>"
    std::string arguments;
    std::vector<Result> results;
    std::string attributes; ///< beside [Differentiable], each a line: "[NoDiffThis]"
    std::string modifiers;  ///< "static "

    // The layout of its neighbours.
    std::string indent, unit, line; ///< of the function's head; of one level; line ending
    bool opens_on_line = false;
    std::uint32_t place = 0; ///< offset of the line that it stands above

    /// The edit that puts the function there. The body's lines are indented as `body_indent` says.
    /// `first` is a parameter before the others, "int first", or "".
    SourceEdit declare(const SourceFile& file, const std::string& body,
                       const std::string& first = "", const std::string& return_type = "void",
                       const std::string& mark = "") const;
    /// "fInnerLoop(first, h, v)"
    std::string call_with(const std::string& first = "") const;
    std::string body_indent() const { return indent + unit; }
};

/// Error: why the code cannot be moved, or is not known well enough: it leaves (`return`, `break`),
/// it writes the object it is called on, a variable's type cannot be told, macros, ...
Result<OutlinedFunction> outline(const RuleInput& input, FunctionFlows& flows,
                                 const CodeToOutline& wanted);

/// A name that nothing in the module has: `name`, or with a number behind it.
std::string free_name(const ModuleModel& model, const std::string& name);

} // namespace slimgrad
