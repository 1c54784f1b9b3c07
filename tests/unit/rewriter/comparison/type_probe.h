#pragma once

#include "tests/unit/rewriter/comparison/compared_module.h"

#include <string>
#include <vector>

namespace slimgrad {

/// Is the type `written` in a declaration of `function` the one that reflection calls `reflected`?
struct TypeQuestion {
    Index function = none;
    std::string written, reflected;
};

/// Asks the compiler: the module is compiled once more with a second function behind each one, with
/// the same generic parameters, that has one parameter of this type; its type by reflection has to
/// be the same, letter by letter. So whatever a type is written with is the compiler's to resolve:
/// names of other modules, enums, constants, expressions.
///
/// No also where that module does not compile.
std::vector<bool> ask_compiler(ComparedModule& module, const std::vector<TypeQuestion>& questions);

} // namespace slimgrad
