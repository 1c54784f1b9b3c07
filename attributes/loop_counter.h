#pragma once

#include "rewriter/integer_expression.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// The type of a loop's counter; nothing where the text does not say it, where it is no integer,
/// and where others may change the counter: a global, what a caller sees.
std::optional<IntegerType> counter_type(const ModuleModel& model, const Loop& loop);

/// Whether the expression may be unsigned, so that what it is compared with is taken as unsigned.
/// False is certain for expressions of literals, constants, macros and variables with declared
/// types.
bool may_be_unsigned(const ModuleModel& model, Index function, std::string_view expression);

/// A loop's counter with all values known: `for (T i = start; i comparison end; i change amount)`.
struct CounterRun {
    IntegerType type;
    bool unsigned_comparison = false; ///< by the type of either side
    bool tested_at_end = false;       ///< do-while
    bool steps_before_test = false;   ///< the first test sees the second value
    std::string comparison;           ///< "<", "<=", ">", ">=", "!="
    std::string change = "+";         ///< or "*", "/", "<<", ">>"
    std::int64_t start = 0, end = 0, amount = 1;
};

/// How often the loop runs. Nothing where it need not end, where a value on the way does not fit
/// the counter's type, and where a negative value is compared as unsigned: wrapping around is not
/// followed. Example: 0 < 8 by + 3 runs 3 times.
std::optional<std::int64_t> count_trips(const CounterRun& run);

/// What a counter that rises by "*" or "<<" is in the last of so many trips; nothing where that is
/// too much.
std::optional<std::int64_t> last_value(std::string_view change, std::int64_t amount,
                                       std::int64_t start, std::int64_t trips);

/// The most trips over all ends up to the run's `end` (counters that rise), or over all starts up
/// to its `start` (counters that fall). Nothing where one of these may wrap around or need not end.
/// Counters that rise may start anywhere from `start` to `last_start`.
std::optional<std::int64_t> most_trips(const CounterRun& run, std::int64_t last_start);

} // namespace slimgrad
