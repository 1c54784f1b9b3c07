#pragma once

#include "rewriter/module_model.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// `text` with the module's macros in it replaced by what they stand for, macros in that included;
/// a macro is not replaced in its own expansion. Nothing where one cannot be: a macro that the
/// module defines in several ways, a function-like one whose arguments do not fit, or more than 64
/// KiB. Example: "INOUT(float3) p" with `#define INOUT(T) inout T` gives "inout float3 p".
std::optional<std::string> expand_macros(const ModuleModel& model, std::string_view text);

/// The same of a text that stands at `place`: of a macro that is defined in several ways, the
/// definition that holds there, where that is certain: all are in that file, which is read once,
/// and no condition and no #undef has a say.
std::optional<std::string> expand_macros(const ModuleModel& model, std::string_view text,
                                         Site place);

/// Whether a use of the function-like macro with so many arguments computes a value of them, of
/// numbers and of functions of the core module, or prints them, and does nothing else: it writes
/// nothing.
bool only_computes(const ModuleModel& model, std::string_view macro, std::size_t arguments);

/// Whether it leaves the argument as it is though the use be assigned to: it only computes, and is
/// no place, `((x) * (x))`, or has the argument in subscripts alone, as `i` in `a[i]`.
bool only_reads(const ModuleModel& model, std::string_view macro, std::size_t arguments,
                std::size_t argument);

/// Whether a use of the function-like macro with so many arguments is a sum, product or quotient of
/// them and of numbers, and nothing else: it writes nothing, and derivatives go through it to each.
bool is_arithmetic(const ModuleModel& model, std::string_view macro, std::size_t arguments);

} // namespace slimgrad
