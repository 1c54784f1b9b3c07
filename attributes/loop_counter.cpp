#include "attributes/loop_counter.h"

#include "attributes/expression_text.h"
#include "attributes/function_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace slimgrad {

namespace {

/// Of `0` or `8u`, for `var i = 0`.
std::optional<IntegerType> literal_type(std::string_view text) {
    const auto digits = text.find_first_not_of("0123456789");
    if (text.empty() || digits == 0)
        return std::nullopt;
    const std::string_view suffix =
        digits == std::string_view::npos ? std::string_view() : text.substr(digits);
    if (suffix.empty())
        return integer_type("int");
    return suffix == "u" || suffix == "U" ? integer_type("uint") : std::nullopt;
}

bool has_unsigned_literal(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins = std::isdigit(static_cast<unsigned char>(text[i])) &&
                            (i == 0 || (!is_name(text[i - 1]) && text[i - 1] != '.'));
        if (!begins)
            continue;
        while (i < text.size() && is_name(text[i])) {
            if (text[i] == 'u' || text[i] == 'U')
                return true;
            ++i;
        }
    }
    return false;
}

bool may_be_unsigned(const ModuleModel& model, Index function, std::string_view expression,
                     int depth) {
    constexpr int deepest = 16;
    if (depth > deepest || has_unsigned_literal(expression))
        return true;
    // A declared type decides; `var` and `let` have that of their value.
    const auto declared = [&](const std::string& type, std::string_view value) {
        return type == "var" || type == "let" || type.empty()
                   ? may_be_unsigned(model, function, value, depth + 1)
                   : type.starts_with("uint") || !integer_type(type);
    };
    for (const std::string& name : names_in(expression)) {
        std::uint32_t index = 0;
        if (name == "int" || name == "min" || name == "max" || name == "clamp" || name == "abs")
            continue;
        if (const GenericParameter* generic = find_generic(model, function, name)) {
            if (generic->constraint != "int")
                return true;
        } else if (const Parameter* parameter = find_parameter(model, function, name, index)) {
            if (declared(parameter->type, ""))
                return true;
        } else if (is_local_name(model, function, name)) {
            const LocalVariable* local = find_local(model, function, name);
            if (!local || declared(local->type, local->initializer ? model.text(*local->initializer)
                                                                   : std::string_view()))
                return true;
        } else if (const GlobalVariable* global = model.find_global(name, function)) {
            if (declared(global->type, global->initializer.value_or("")))
                return true;
        } else if (const MacroDefinition* macro = model.find_macro(name)) {
            if (may_be_unsigned(model, function, macro->body, depth + 1))
                return true;
        } else {
            return true;
        }
    }
    return false;
}

/// Follows one counter. An empty answer is "not known".
class Counter {
  public:
    explicit Counter(const CounterRun& run) : run_(run) {}

    std::optional<std::int64_t> count() const {
        if (!is_valid(run_.start) || (run_.unsigned_comparison && run_.end < 0))
            return std::nullopt;
        const auto first = run_.steps_before_test ? changed(run_.start) : run_.start;
        const auto trips = first ? from(*first) : std::nullopt;
        return trips ? std::optional(*trips + run_.tested_at_end) : std::nullopt;
    }

  private:
    bool is_valid(std::int64_t value) const {
        return run_.type.holds(value) && !(run_.unsigned_comparison && value < 0);
    }

    bool holds(std::int64_t value) const {
        return run_.comparison == "<"    ? value < run_.end
               : run_.comparison == "<=" ? value <= run_.end
               : run_.comparison == ">"  ? value > run_.end
               : run_.comparison == ">=" ? value >= run_.end
                                         : value != run_.end;
    }

    std::optional<std::int64_t> changed(std::int64_t value) const {
        const std::int64_t amount = run_.amount;
        std::int64_t result = 0;
        bool overflow = false;
        if (run_.change == "+")
            overflow = __builtin_add_overflow(value, amount, &result);
        else if (run_.change == "*")
            overflow = __builtin_mul_overflow(value, amount, &result);
        else if (run_.change == "/" && amount > 0)
            result = value / amount;
        else if (run_.change == "<<" && amount >= 0 && amount < 32 && value >= 0)
            overflow = __builtin_mul_overflow(value, std::int64_t{1} << amount, &result);
        else if (run_.change == ">>" && amount >= 0 && amount < 32 && value >= 0)
            result = value >> amount;
        else
            overflow = true;
        return overflow || !is_valid(result) ? std::nullopt : std::optional(result);
    }

    /// Trips of a loop that tests first and begins at `value`.
    std::optional<std::int64_t> from(std::int64_t value) const {
        if (!holds(value))
            return 0;
        return run_.change == "+" ? by_distance(value) : step_by_step(value);
    }

    std::optional<std::int64_t> by_distance(std::int64_t value) const {
        const std::int64_t step = run_.amount;
        const bool rises = run_.comparison == "<" || run_.comparison == "<=";
        const bool falls = run_.comparison == ">" || run_.comparison == ">=";
        if (step == 0 || (rises && step < 0) || (falls && step > 0))
            return std::nullopt;
        std::int64_t distance = 0, exit = 0;
        if (step > 0 ? __builtin_sub_overflow(run_.end, value, &distance)
                     : __builtin_sub_overflow(value, run_.end, &distance))
            return std::nullopt;
        const std::int64_t stride = std::abs(step);
        if (!rises && !falls && (distance < 0 || distance % stride != 0))
            return std::nullopt;
        if (run_.comparison == "<=" || run_.comparison == ">=")
            ++distance;
        const std::int64_t trips = distance / stride + (distance % stride != 0);
        if (__builtin_mul_overflow(trips, step, &exit) ||
            __builtin_add_overflow(exit, value, &exit) || !is_valid(exit))
            return std::nullopt;
        return trips;
    }

    std::optional<std::int64_t> step_by_step(std::int64_t value) const {
        constexpr std::int64_t most = 64; // more doublings than a type has bits never end
        for (std::int64_t trips = 0; trips <= most; ++trips) {
            if (!holds(value))
                return trips;
            const auto next = changed(value);
            if (!next)
                return std::nullopt;
            value = *next;
        }
        return std::nullopt;
    }

    const CounterRun& run_;
};

} // namespace

std::optional<IntegerType> counter_type(const ModuleModel& model, const Loop& loop) {
    if (loop.kind == LoopKind::compile_time_for)
        return integer_type("int");
    if (loop.counter_local != none) {
        const LocalVariable& local = model.locals[loop.counter_local];
        if (local.is_static)
            return std::nullopt;
        if (local.type == "var" || local.type == "let")
            return local.initializer ? literal_type(model.text(*local.initializer)) : std::nullopt;
        return integer_type(local.type);
    }
    std::uint32_t index = 0;
    const Parameter* parameter = find_parameter(model, loop.function, loop.counter, index);
    const bool own = parameter && std::all_of(parameter->modifiers.begin(),
                                              parameter->modifiers.end(), [](const auto& word) {
                                                  return word == "in" || word == "no_diff";
                                              });
    return own ? integer_type(parameter->type) : std::nullopt;
}

bool may_be_unsigned(const ModuleModel& model, Index function, std::string_view expression) {
    return may_be_unsigned(model, function, expression, 0);
}

std::optional<std::int64_t> count_trips(const CounterRun& run) {
    // The sum of two fits.
    constexpr std::int64_t largest = INT64_MAX / 2;
    for (const std::int64_t value : {run.start, run.end, run.amount}) {
        if (value > largest || value < -largest)
            return std::nullopt;
    }
    return Counter(run).count();
}

std::optional<std::int64_t> last_value(std::string_view change, std::int64_t amount,
                                       std::int64_t start, std::int64_t trips) {
    constexpr std::int64_t most_steps = 64;
    const std::int64_t factor = change == "*" ? amount
                                : amount < 32 ? std::int64_t{1} << amount
                                              : 0;
    if (trips > most_steps || factor <= 0)
        return std::nullopt;
    for (std::int64_t trip = 1; trip < trips; ++trip) {
        if (__builtin_mul_overflow(start, factor, &start))
            return std::nullopt;
    }
    return start;
}

std::optional<std::int64_t> most_trips(const CounterRun& run, std::int64_t last_start) {
    const bool rises = run.comparison == "<" || run.comparison == "<=";
    const bool falls = run.comparison == ">" || run.comparison == ">=";
    last_start = rises ? std::max(run.start, last_start) : run.start;
    // Compared as unsigned, a negative end is a huge one, and a start must be none.
    if (!run.type.holds(run.start) || !run.type.holds(last_start) ||
        (run.unsigned_comparison && (run.start < 0 || run.end < 0)))
        return std::nullopt;
    constexpr std::int64_t largest = INT64_MAX / 4;
    for (const std::int64_t value : {run.start, run.end, run.amount, last_start}) {
        if (value > largest || value < -largest)
            return std::nullopt;
    }
    const std::int64_t last = run.comparison == "<"   ? run.end - 1
                              : run.comparison == ">" ? run.end + 1
                                                      : run.end;
    // Where the counter is after the last trip at the latest: it must not wrap around before.
    // What starts beyond the end is only stepped where that comes before the test.
    const std::int64_t stepped =
        run.tested_at_end || run.steps_before_test ? last_start : std::min(last_start, last);
    std::int64_t beyond = 0;
    if (run.change == "+" && rises && run.amount > 0) {
        beyond = std::max({last, run.start, stepped}) + run.amount;
    } else if (run.change == "+" && falls && run.amount < 0 && !run.tested_at_end &&
               !run.steps_before_test) {
        beyond = last + run.amount;
    } else if (rises && run.start > 0 &&
               ((run.change == "*" && run.amount > 1) || (run.change == "<<" && run.amount > 0))) {
        const std::int64_t factor = run.change == "*"
                                        ? run.amount
                                        : std::int64_t{1} << std::min<std::int64_t>(run.amount, 31);
        if (__builtin_mul_overflow(std::max({last, run.start, stepped}), factor, &beyond))
            return std::nullopt;
    } else if (falls && run.end >= 0 &&
               ((run.change == "/" && run.amount > 1) || (run.change == ">>" && run.amount > 0))) {
        beyond = 0;
    } else {
        return std::nullopt;
    }
    if (!run.type.holds(beyond) || (run.unsigned_comparison && beyond < 0))
        return std::nullopt;
    return count_trips(run);
}

} // namespace slimgrad
