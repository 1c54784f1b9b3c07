#pragma once

#include "rewriter/integer_expression.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace slimgrad {

/// What was met while an expression was evaluated. Only ever set, so that one serves several
/// expressions.
struct ConstantTraits {
    bool has_macro = false; ///< a macro's value, which another build may set otherwise
    std::set<std::string> constants = {}; ///< declared ones, qualified: "K", "Mode.Fast"
    std::set<Index> calls = {};           ///< whose arguments decide, into ModuleModel::calls
    std::set<Index> functions = {};       ///< whose bodies decide, into ModuleModel::functions
};

/// What a name outside of the function's variables stands for where it is used in `function`:
/// "N" or "S.N" of a static const, "Mode.Fast" of an enum, "K[2]" and "K.getCount()" of a static
/// const array, a macro. Nothing for what is hidden by a member of the function's type.
std::optional<ConstantName> global_constant(const ModuleModel& model, Index function,
                                            std::string_view name, ConstantTraits& traits);

/// What "K[2]" or "K.getCount()" stands for, of an array of that type and initializer. `name` is
/// all of it.
std::optional<ConstantName> array_constant(std::string_view name, std::string_view type,
                                           std::string_view initializer);

/// Whether the expression calls a min, max, clamp or abs that the module defines itself: a
/// function, a macro or a variable, which may do anything.
bool calls_own_function(const ModuleModel& model, Index function, std::string_view expression);

/// What an expression that is a macro's name alone says: its text, whose operators bind as they
/// stand, between `<` and the end of the expression, too. Else the expression.
std::string without_macro(const ModuleModel& model, const std::string& expression);

/// Value of an integer expression as it stands in `function`: of literals, constants as above and
/// locals that are never written. Nothing where it has no known value, or may wrap around.
std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function,
                                           const std::string& expression);

/// The same, and notes in `traits` what it rests on.
std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function,
                                           const std::string& expression, ConstantTraits& traits);

/// Whether all names of the expression are file-level constants, macros or generic values, so that
/// it may stand in an attribute of a loop of `function`. Its value need not be known: `N` of a
/// generic function.
bool is_constant_expression(const ModuleModel& model, Index function, std::string_view expression);

/// "N" of "N" and of "min(n, N)": a constant expression of generic values that it is never more
/// than; "" where it has none.
std::string constant_limit(const ModuleModel& model, Index function, const std::string& expression);

} // namespace slimgrad
