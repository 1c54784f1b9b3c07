#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// What was met while an expression was evaluated. Only ever set, so that one serves several
/// expressions.
struct ConstantTraits {
    bool has_unsigned = false; ///< a constant of an unsigned type, whose arithmetic wraps around
    bool has_macro = false;    ///< a macro's value, which another build may set otherwise
};

/// Whether an integer variable of this type keeps every value that fits 32 bits; notes unsigned
/// types, whose arithmetic wraps around. A type that another name may stand for does not.
bool keeps_values(std::string_view type, ConstantTraits& traits);

/// Value of an integer expression as it stands in `function`: literals, static const globals,
/// macros, const locals. Nothing where it has no known value, does not fit 32 bits, or wraps
/// around.
std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function,
                                           const std::string& expression);

/// The same, and notes in `traits` what it rests on.
std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function,
                                           const std::string& expression, ConstantTraits& traits);

/// Whether all names of the expression are file-level constants, macros or generic values, so that
/// it may stand in an attribute of a loop of `function`. Its value need not be known: `N` of a
/// generic function.
bool is_constant_expression(const ModuleModel& model, Index function, std::string_view expression);

} // namespace slimgrad
