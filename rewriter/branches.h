#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <vector>

namespace slimgrad {

enum class BranchKind { if_statement, conditional_expression, switch_statement };

/// A place where a function goes one way or another.
struct Branch {
    BranchKind kind = BranchKind::if_statement;
    std::uint32_t file = 0;
    ByteRange condition; ///< within parentheses, if it has any
};

/// The branches in a function's body, in the order of the text, those that are decided when the
/// shader is compiled included. Not listed: loops, `&&` and `||`, what comes from a macro.
std::vector<Branch> branches_of(const ModuleModel& model, Index function);

} // namespace slimgrad
