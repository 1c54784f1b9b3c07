#pragma once

#include "rewriter/preprocessor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

using MacroTable = std::map<std::string, MacroDefinition>;

/// Whether slangc defines this name by itself (measured with `slangc -E`).
bool is_predefined(std::string_view name);

/// Value of the condition of an #if as slangc evaluates it: macros replaced, function-like ones and
/// `##` included, other names 0 (`true` and `__has_include` as well), 32-bit arithmetic, "010" ten.
/// Nothing where slangc gives an error, and for what wraps around or is not the same for every
/// line: __LINE__, binary numbers. `files` hold the macros' definitions.
std::optional<std::int64_t> evaluate_condition(const std::vector<SourceFile>& files,
                                               std::string_view expression,
                                               const MacroTable& macros);

} // namespace slimgrad
