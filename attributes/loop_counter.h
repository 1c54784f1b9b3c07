#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// The values that an integer type holds. 64 bits are taken as what an int64_t holds: constants are
/// smaller.
struct IntegerType {
    std::int64_t lowest = INT32_MIN;
    std::int64_t highest = INT32_MAX;

    bool is_unsigned() const { return lowest == 0; }
    bool holds(std::int64_t value) const { return lowest <= value && value <= highest; }
    bool is_narrow() const { return highest < INT32_MAX; }
};

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
    std::string comparison;           ///< "<", "<=", ">", ">=", "!="
    std::string change = "+";         ///< or "*", "/", "<<", ">>"
    std::int64_t start = 0, end = 0, amount = 1;
};

/// How often the loop runs. Nothing where it need not end, where a value on the way does not fit
/// the counter's type, and where a negative value is compared as unsigned: wrapping around is not
/// followed. Example: 0 < 8 by + 3 runs 3 times.
std::optional<std::int64_t> count_trips(const CounterRun& run);

/// The most trips over all ends up to the run's `end` (counters that rise), or over all starts up
/// to its `start` (counters that fall). Nothing where one of these may wrap around or need not end.
std::optional<std::int64_t> most_trips(const CounterRun& run);

} // namespace slimgrad
