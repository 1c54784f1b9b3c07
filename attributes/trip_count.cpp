#include "attributes/trip_count.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/input_expression.h"
#include "attributes/loop_counter.h"
#include "attributes/macro_risk.h"
#include "attributes/syntax_error.h"
#include "attributes/upper_bound.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>

namespace slimgrad {

namespace {

/// "N" for `0; i < N; ++i`, "N + 1" for `<=`.
std::string counting_expression(const Loop& loop, std::optional<std::int64_t> start,
                                std::optional<std::int64_t> step) {
    if (start != 0 || step != 1 || loop.end.empty() || loop.kind == LoopKind::do_while_loop)
        return "";
    if (loop.comparison == "<" || loop.comparison == "!=")
        return loop.end;
    if (loop.comparison != "<=")
        return "";
    const bool simple = std::all_of(loop.end.begin(), loop.end.end(), is_name);
    return simple ? loop.end + " + 1" : "(" + loop.end + ") + 1";
}

/// How often the loop's update writes its counter: once, if the loop counts.
std::ptrdiff_t writes_in_update(const ModuleModel& model, const Loop& loop) {
    return std::count_if(model.accesses.begin(), model.accesses.end(), [&](const Access& access) {
        return access.function == loop.function && access.name == loop.counter &&
               access.local == loop.counter_local && access.kind != AccessKind::read &&
               loop.update && access.site.file == loop.site.file &&
               loop.update->contains(access.site.range);
    });
}

/// Why the loop's parts alone, whatever their values, say nothing of its trips; "" where they may.
std::string why_not_counted(const ModuleModel& model, const Loop& loop) {
    if (touches_syntax_error(model, loop.site))
        return "a syntax error is near: what it holds may write anything";
    if (loop.counter.empty() || loop.comparison.empty())
        return "it is not a counted loop: its condition compares no variable that it steps";
    const bool compile_time = loop.kind == LoopKind::compile_time_for;
    if (loop.step.empty() && loop.scaling.empty())
        return fmt::format(
            "it is not a counted loop: nothing changes '{}' once and alike in every trip",
            loop.counter);
    if (loop.counter_is_float)
        return "its counter is a floating-point number";
    if (loop.counter_written_in_body || (!compile_time && writes_in_update(model, loop) != 1))
        return fmt::format("its body writes '{}'", loop.counter);
    if (loop.function == none)
        return "";
    const Function& function = model.functions[loop.function];
    const Site body = function.body ? Site{function.site.file, *function.body} : loop.site;
    if (const std::string macro = risky_macro(model, body, &MacroRisk::writes); !macro.empty())
        return fmt::format("the macro {} in '{}' may write what it depends on", macro,
                           function.name);
    const bool steps_in_body = loop.update && loop.body.contains(*loop.update);
    if (const std::string macro = risky_macro(model, loop.site, &MacroRisk::continues);
        steps_in_body && !macro.empty())
        return fmt::format("the macro {} may skip its step", macro);
    return "";
}

/// Proves the trips of one loop that counts.
class TripProof {
  public:
    TripProof(const ModuleModel& model, const Loop& loop, const Promises& promises)
        : model_(model), loop_(loop), promises_(promises), run_{} {}

    TripCount prove() {
        const auto type = counter_type(model_, loop_);
        if (!type) {
            result_.is_input = true;
            result_.why_unknown = fmt::format(
                "the text does not say that '{}' is an integer of its own", loop_.counter);
            return result_;
        }
        run_.type = *type;
        run_.tested_at_end = loop_.kind == LoopKind::do_while_loop;
        run_.comparison = loop_.comparison;
        run_.change = loop_.scaling.empty() ? "+" : loop_.scaling;
        run_.unsigned_comparison =
            type->is_unsigned() || may_be_unsigned(model_, loop_.function, loop_.end);
        const std::string& change = loop_.scaling.empty() ? loop_.step : loop_.factor;
        start_ = value(loop_.start);
        end_ = value(loop_.end);
        change_ = value(change);
        result_.uses_macro = traits_.has_macro;
        if (start_ && end_ && change_)
            result_.exact = count_trips(run(*start_, *end_, *change_));
        // Known numbers that give no count give no expression of it either.
        const bool all_known = start_ && end_ && change_;
        if (loop_.scaling.empty() && !type->is_narrow() && (result_.exact || !all_known))
            result_.exact_expression = counting_expression(loop_, start_, change_);
        result_.expression_is_constant = !result_.exact_expression.empty() &&
                                         is_constant_expression(model_, loop_.function, loop_.end);
        if (result_.exact) {
            result_.upper = result_.exact;
            result_.upper_from = "the loop's own constants";
            return result_;
        }
        if (result_.expression_is_constant)
            return result_;
        result_.is_input = true;
        prove_upper();
        const std::string& varying = end_ ? loop_.start : loop_.end;
        result_.computed = is_computed(model_, varying, loop_.function);
        if (!result_.computed)
            result_.input = input_of(model_, varying, loop_.function);
        if (!result_.upper)
            result_.why_unknown = why_unknown(change);
        return result_;
    }

  private:
    std::optional<std::int64_t> value(const std::string& expression) {
        return constant_value(model_, loop_.function, expression, traits_);
    }

    CounterRun run(std::int64_t start, std::int64_t end, std::int64_t change) const {
        CounterRun run = run_;
        run.start = start;
        run.end = end;
        run.amount = change;
        return run;
    }

    /// The end of a counter that rises from a constant, or the start of one that falls to one, is
    /// bounded.
    void prove_upper() {
        const bool rises = loop_.comparison == "<" || loop_.comparison == "<=";
        if (!change_ || loop_.comparison == "!=" || (rises ? !start_ : !end_))
            return;
        UpperBound upper(model_, promises_);
        const std::string& varying = rises ? loop_.end : loop_.start;
        const auto bound = upper.of(varying, loop_.function, loop_.site);
        result_.from_callers = bound && bound->from_callers;
        result_.uses_macro = result_.uses_macro || upper.traits.has_macro;
        // As unsigned, a negative number is a huge one.
        if (!bound || (run_.unsigned_comparison && bound->minimum.value_or(-1) < 0) ||
            bound->value > INT32_MAX)
            return;
        const auto trips = [&](std::int64_t value) {
            return most_trips(rises ? run(*start_, value, *change_) : run(value, *end_, *change_));
        };
        result_.upper = trips(bound->value);
        result_.upper_from = bound->from;
        result_.upper_is_promised = bound->promised;
        if (bound->minimum.value_or(0) > 0)
            result_.lowest = std::uint64_t(trips(*bound->minimum).value_or(0));
        if (bound->exact && result_.upper) {
            result_.exact = result_.upper;
            result_.is_input = false;
        }
    }

    std::string why_unknown(const std::string& change) const {
        if (loop_.start.empty())
            return fmt::format("the value that '{}' starts at is not known", loop_.counter);
        if (!change_)
            return fmt::format("its step '{}' is not constant", change);
        if (start_ && end_)
            return fmt::format("counting '{}' from {} to {} does not end, or wraps around",
                               loop_.counter, *start_, *end_);
        if (loop_.comparison == "!=")
            return "its condition is no order: it may step over the end";
        const bool rises = loop_.comparison == "<" || loop_.comparison == "<=";
        const std::string& varying = rises && !end_ ? loop_.end : !start_ ? loop_.start : loop_.end;
        return fmt::format("nothing bounds '{}'", varying);
    }

    const ModuleModel& model_;
    const Loop& loop_;
    const Promises& promises_;
    CounterRun run_;
    ConstantTraits traits_;
    std::optional<std::int64_t> start_, end_, change_;
    TripCount result_;
};

} // namespace

bool same_expression(std::string_view a, std::string_view b) {
    return compact(a) == compact(b);
}

bool has_macro_attribute(const Loop& loop) {
    return std::any_of(loop.attributes.begin(), loop.attributes.end(),
                       [](const Attribute& a) { return a.from_macro; });
}

const Attribute* bound_attribute(const Loop& loop) {
    for (const Attribute& attribute : loop.attributes) {
        if (attribute.name == "MaxIters" && attribute.arguments.size() == 1)
            return &attribute;
    }
    return nullptr;
}

TripCount trip_count(const ModuleModel& model, Index index, const Promises& promises) {
    const Loop& loop = model.loops[index];
    TripCount result;
    result.why_unknown = why_not_counted(model, loop);
    if (result.why_unknown.empty())
        result = TripProof(model, loop, promises).prove();
    else
        result.is_input = true;
    result.may_end_early = loop.has_break || loop.has_other_conditions ||
                           !risky_macro(model, loop.site, &MacroRisk::leaves).empty();
    return result;
}

} // namespace slimgrad
