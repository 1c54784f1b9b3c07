#pragma once

#include "rewriter/body_resolver.h"

#include <string>
#include <vector>

namespace slimgrad {

/// What stands before the `(`, as far as it is known.
struct BodyResolver::Callee {
    std::string name;         ///< the last name, or "" where there is none
    std::vector<Found> found; ///< functions that it may mean
    std::vector<TypeRef> generic_arguments;
    TypeRef constructed = nullptr; ///< it is this type
    TypeRef object = nullptr;      ///< what it is a method of
    Expression value;              ///< it is no name of a function
    bool is_macro = false;
    bool is_value = false;
    bool is_derivative = false;
    bool is_forward = false;
    bool core_competes = false; ///< functions of the core module are found, too
    bool is_known = true;       ///< false: where the name is looked up is not known
};

} // namespace slimgrad
