#include "attributes/trip_proof.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/input_expression.h"
#include "attributes/loop_counter.h"
#include "attributes/offset_expression.h"
#include "attributes/range_arithmetic.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace slimgrad {

namespace {

/// Proves the trips of one loop that counts.
class TripProof {
  public:
    TripProof(const ModuleModel& model, Index loop, const Promises& promises, FunctionFlows& flows,
              const ConditionalText& text, IntegerRanges::CounterRange counter)
        : model_(model), loop_(model.loops[loop]), index_(loop), flows_(flows), text_(text),
          ranges_(model, promises, flows, std::move(counter)) {}

    TripCount prove() {
        const auto type = counter_type(model_, loop_);
        if (!type) {
            result_.is_input = true;
            result_.why_unknown = fmt::format(
                "the text does not say that '{}' is an integer of its own", loop_.counter);
            return result_;
        }
        run_.type = *type;
        // In `while (true)` the trip that the exit leaves is one, too; not so in `for (;;)`.
        run_.tested_at_end = loop_.kind == LoopKind::do_while_loop ||
                             (loop_.kind == LoopKind::while_loop && leaves_in_body(loop_));
        run_.steps_before_test = loop_.steps_before_test;
        run_.change = loop_.scaling.empty() ? "+" : loop_.scaling;
        read_parts();
        for (const Test& test : tests_)
            prove(test);
        set_counter_range();
        finish();
        find_condition();
        return result_;
    }

  private:
    /// A condition on the counter with what its end may be.
    struct Test {
        std::string comparison;
        std::string end_text;
        IntegerRange end;
        bool is_unsigned = false;

        bool rises() const { return comparison == "<" || comparison == "<="; }
        bool falls() const { return comparison == ">" || comparison == ">="; }
    };

    void read_parts() {
        start_ = start();
        if (start_.is_exact())
            result_.starts_at = start_.lowest;
        // As the counter holds it.
        if (!(run_.type.holds(start_.lowest) && run_.type.holds(start_.highest)))
            start_ = range_of(run_.type);
        change_ = change();
        add_test(loop_.comparison, loop_.end, loop_.end_range);
        for (const Loop::Test& test : loop_.more_tests)
            add_test(test.comparison, test.end, test.end_range);
        result_.uses_macro = ranges_.traits.has_macro;
    }

    void add_test(const std::string& comparison, const std::string& end, ByteRange where) {
        Test test{comparison, end, range(end, where), false};
        if (!where.empty())
            test.end_text = ranges_.without_calls(end, loop_.function, site(where));
        test.is_unsigned = run_.type.is_unsigned() ||
                           (test.end.type ? test.end.type->is_unsigned()
                                          : may_be_unsigned(model_, loop_.function, test.end_text));
        test.comparison = order_of(test);
        tests_.push_back(std::move(test));
    }

    /// `i != end` is an order where the counter comes to that number by steps of one.
    std::string order_of(const Test& test) const {
        const bool may_mix = test.is_unsigned && (start_.lowest < 0 || test.end.lowest < 0);
        if (test.comparison != "!=" || run_.change != "+" || !change_.is_exact() ||
            !test.end.is_exact() || may_mix)
            return test.comparison;
        const std::int64_t end = test.end.lowest;
        const auto reaches = [&](bool comes_to_it, bool is_there) {
            return comes_to_it || (is_there && !run_.steps_before_test);
        };
        if (change_.lowest == 1 && reaches(start_.highest < end, start_.highest == end))
            return "<";
        if (change_.lowest == -1 && reaches(start_.lowest > end, start_.lowest == end))
            return ">";
        return test.comparison;
    }

    Site site(ByteRange where) const {
        return {loop_.site.file, where.empty() ? loop_.site.range : where};
    }

    IntegerRange range(const std::string& text, ByteRange where) {
        return text.empty() ? IntegerRange{} : ranges_.of(text, loop_.function, site(where));
    }

    IntegerRange start() {
        // Of a macro's loop it has no place.
        const bool is_written =
            loop_.kind == LoopKind::compile_time_for || (loop_.from_macro && !loop_.start.empty());
        if (!loop_.start_range.empty() || is_written)
            return range(loop_.start, loop_.start_range);
        const auto use = flows_.at_entry(index_);
        if (use && !use->is_complete)
            why_start_is_unknown_ = flows_.of(loop_.function).incomplete;
        return use ? ranges_.of(*use, loop_.function) : IntegerRange{};
    }

    /// `i -= 2u` changes it by -2, though there is no unsigned -2.
    IntegerRange change() {
        const std::string& text = loop_.scaling.empty() ? loop_.step : loop_.factor;
        const std::string operand(trimmed(model_.text({loop_.site.file, loop_.step_range})));
        if (loop_.step_range.empty() || text == operand)
            return range(text, loop_.step_range);
        IntegerRange negated = range(operand, loop_.step_range);
        if (!negated.is_exact())
            return {};
        negated.lowest = negated.highest = -negated.lowest;
        return negated;
    }

    CounterRun run(const Test& test, std::int64_t start, std::int64_t end) const {
        CounterRun run = run_;
        run.comparison = test.comparison;
        run.unsigned_comparison = test.is_unsigned;
        run.start = start;
        run.end = end;
        run.amount = change_.lowest;
        return run;
    }

    /// The loop ends when the first of its tests fails: never later than by this one.
    void prove(const Test& test) {
        std::optional<std::int64_t> most, least;
        if (change_.is_exact() && start_.is_exact() && test.end.is_exact()) {
            most = least = count_trips(run(test, start_.lowest, test.end.lowest));
        } else if (change_.is_exact()) {
            most = most_trips_of(test);
            least = most ? least_trips_of(test) : std::nullopt;
            const auto between = trips_between(test);
            if (between && (!most || *between < *most))
                most = between;
        }
        if (!most && change_.is_exact() && holds_on(test))
            least = INT64_MAX;
        least_ = least && least_ ? std::optional(std::min(*least, *least_)) : std::nullopt;
        if (!most || (result_.upper && *result_.upper <= *most))
            return;
        result_.upper = most;
        const bool by_start = test.end.is_exact() && !rests_on_others(test.end);
        result_.upper_from = by_start && start_.is_exact() && !rests_on_others(start_)
                                 ? "the loop's own constants"
                             : by_start ? start_.from
                                        : test.end.from;
        result_.upper_is_promised = start_.promised || test.end.promised;
        result_.from_callers = start_.from_callers || test.end.from_callers;
        result_.computed = result_.is_loose = start_.follows_loop || test.end.follows_loop;
        if (result_.upper_from.empty())
            result_.upper_from =
                fmt::format("{} {} {}", loop_.counter, test.comparison, test.end_text);
    }

    /// It holds at first and the counter goes away from its end: another test ends the loop before
    /// the counter wraps around.
    bool holds_on(const Test& test) const {
        if (run_.change != "+" || (test.is_unsigned && (start_.lowest < 0 || test.end.lowest < 0)))
            return false;
        const std::int64_t reach = test.comparison.size() == 2 ? 0 : 1;
        return (test.falls() && change_.lowest > 0 && start_.bounded_below &&
                test.end.bounded_above && start_.lowest >= test.end.highest + reach) ||
               (test.rises() && change_.lowest < 0 && start_.bounded_above &&
                test.end.bounded_below && start_.highest <= test.end.lowest - reach);
    }

    static bool rests_on_others(const IntegerRange& range) {
        return range.from_callers || range.follows_loop || range.promised;
    }

    std::optional<std::int64_t> most_trips_of(const Test& test) const {
        if (test.is_unsigned && start_.lowest < 0)
            return std::nullopt;
        if (test.rises() && start_.bounded_below && test.end.bounded_above && ends_below(test))
            return most_trips(run(test, start_.lowest, test.end.highest), start_.highest);
        if (test.falls() && start_.bounded_above && test.end.bounded_below)
            return most_trips(run(test, start_.highest, test.end.lowest), start_.highest);
        return std::nullopt;
    }

    /// As unsigned, a negative end is a huge one.
    static bool ends_below(const Test& test) { return !test.is_unsigned || test.end.lowest >= 0; }

    std::optional<std::int64_t> least_trips_of(const Test& test) const {
        if (test.rises() && start_.bounded_above && test.end.bounded_below)
            return count_trips(run(test, start_.highest, test.end.lowest));
        if (test.falls() && start_.bounded_below && test.end.bounded_above)
            return count_trips(run(test, start_.lowest, test.end.highest));
        return run_.tested_at_end ? 1 : 0;
    }

    /// Of `i = n; i < n + 5` and of `i = n; i > n - 5`, whatever n is: at most 5. Where the sum
    /// wraps around there is none.
    std::optional<std::int64_t> trips_between(const Test& test) const {
        const bool counts = (test.comparison == "<" && change_.lowest == 1) ||
                            (test.comparison == ">" && change_.lowest == -1);
        if (!counts || &test != &tests_[0] || run_.type.is_narrow() ||
            test.end.type != std::optional(run_.type) || run_.tested_at_end ||
            run_.steps_before_test || loop_.scaling != "" || loop_.end_range.empty())
            return std::nullopt;
        const auto set_to = value_at_entry();
        if (!set_to)
            return std::nullopt;
        const auto [start, from] = with_offset(std::string(model_.text(*set_to)));
        const auto [end, to] = with_offset(loop_.end);
        const std::int64_t way = (to - from) * change_.lowest;
        if (start != end || start == loop_.counter || way < 0 || !keeps(start, *set_to))
            return std::nullopt;
        return way;
    }

    /// The one expression that the counter is set to before the loop, each time that the loop runs.
    std::optional<Site> value_at_entry() const {
        if (!loop_.start_range.empty())
            return Site{loop_.site.file, loop_.start_range};
        const auto use = loop_.from_macro ? std::nullopt : flows_.at_entry(index_);
        if (!use || !use->is_complete || use->definitions.size() != 1)
            return std::nullopt;
        const Definition& definition = *use->definitions[0];
        const bool is_declaration = definition.kind == DefinitionKind::declaration &&
                                    use->variable->kind == VariableKind::local &&
                                    use->variable->index != none;
        // In another loop it may be an older one.
        if (definition.partial || definition.loop != loop_.parent)
            return std::nullopt;
        return is_declaration ? model_.locals[use->variable->index].initializer : definition.value;
    }

    /// Whether the name is a variable of the counter's type that nothing writes from there to the
    /// end of the loop.
    bool keeps(const std::string& name, Site start) const {
        const Site end{loop_.site.file, loop_.end_range};
        const ByteRange way{start.range.begin, loop_.site.range.end};
        const auto at_start = flows_.find(loop_.function, name, start);
        const auto at_end = flows_.find(loop_.function, name, end);
        if (!at_start || !at_end || !at_start->variable || at_start->variable != at_end->variable ||
            !at_start->is_complete || !at_end->is_complete)
            return false;
        const Variable& variable = *at_start->variable;
        const bool own =
            variable.kind == VariableKind::local || variable.kind == VariableKind::parameter;
        return own && integer_type(variable.type) == run_.type &&
               std::none_of(model_.accesses.begin(), model_.accesses.end(),
                            [&](const Access& access) {
                                return access.function == loop_.function && access.name == name &&
                                       access.kind != AccessKind::read &&
                                       access.site.file == loop_.site.file &&
                                       way.contains(access.site.range);
                            });
    }

    /// What the counter may be in the body, where it is stepped behind that.
    void set_counter_range() {
        const bool steps_last = loop_.kind == LoopKind::compile_time_for ||
                                (loop_.update && !loop_.body.contains(*loop_.update) &&
                                 !(loop_.condition && loop_.condition->contains(*loop_.update)));
        if (!result_.upper || !steps_last || run_.tested_at_end)
            return;
        std::optional<std::int64_t> lowest, highest;
        if (loop_.scaling.empty()) {
            std::int64_t way = 0;
            if (__builtin_mul_overflow(change_.lowest,
                                       std::max<std::int64_t>(*result_.upper, 1) - 1, &way))
                return;
            const bool rises = change_.lowest > 0;
            if (start_.bounded_below)
                lowest = start_.lowest + (rises ? 0 : way);
            if (start_.bounded_above)
                highest = start_.highest + (rises ? way : 0);
        } else if (start_.bounded_below && start_.lowest > 0 && change_.is_exact() &&
                   change_.lowest > 0) {
            // A positive number goes up, or down to 0.
            const bool rises = loop_.scaling == "*" || loop_.scaling == "<<";
            lowest = rises ? start_.lowest : 0;
            if (start_.bounded_above)
                highest = rises ? last_value(loop_.scaling, change_.lowest, start_.highest,
                                             *result_.upper)
                                : start_.highest;
        }
        for (const Test& test : tests_) {
            if (test.is_unsigned && (test.end.lowest < 0 || start_.lowest < 0))
                continue;
            if (test.rises() && test.end.bounded_above) {
                const std::int64_t last = test.end.highest - (test.comparison == "<");
                highest = highest ? std::min(*highest, last) : last;
            } else if (test.falls() && test.end.bounded_below) {
                const std::int64_t last = test.end.lowest + (test.comparison == ">");
                lowest = lowest ? std::max(*lowest, last) : last;
            }
        }
        // In one that never runs it is nothing.
        if (!lowest || !highest || *lowest > *highest)
            return;
        IntegerRange range;
        range.lowest = *lowest;
        range.highest = *highest;
        range.bounded_below = range.bounded_above = range.follows_loop = true;
        range.type = run_.type;
        range.from_callers = result_.from_callers;
        range.promised = result_.upper_is_promised;
        range.from = fmt::format("'{}' of the loop at {}", loop_.counter,
                                 short_place(model_, {loop_.site.file, {loop_.keyword, 0}}));
        result_.counter = std::move(range);
    }

    void finish() {
        const bool all_known = start_.is_exact() && change_.is_exact() &&
                               std::all_of(tests_.begin(), tests_.end(),
                                           [](const Test& test) { return test.end.is_exact(); });
        // A promise is no proof, whatever number it gives.
        const bool is_promised =
            start_.promised || std::any_of(tests_.begin(), tests_.end(),
                                           [](const Test& test) { return test.end.promised; });
        if (result_.upper && least_ == result_.upper && !is_promised)
            result_.exact = result_.upper;
        // Known numbers that give no count give no expression of it either.
        if (loop_.scaling.empty() && !run_.type.is_narrow() && (result_.exact || !all_known))
            result_.exact_expression = counting_expression();
        const std::string& counted = tests_[0].falls() ? loop_.start : tests_[0].end_text;
        result_.expression_is_constant = !result_.exact_expression.empty() &&
                                         is_constant_expression(model_, loop_.function, counted);
        if (result_.exact) {
            result_.lowest = std::uint64_t(*result_.exact);
            result_.computed = result_.is_loose = false;
            // The others could end it before.
            for (const Test& test : tests_)
                result_.from_callers = result_.from_callers || test.end.from_callers;
            return;
        }
        if (result_.expression_is_constant) {
            // It says more than a bound by the callers.
            TripCount expression;
            expression.exact_expression = result_.exact_expression;
            expression.expression_is_constant = true;
            expression.uses_macro = result_.uses_macro;
            result_ = std::move(expression);
            return;
        }
        result_.is_input = true;
        if (!result_.upper)
            result_.upper_expression = limit();
        const auto test = std::find_if(tests_.begin(), tests_.end(), [](const Test& t) {
            return !t.end.is_exact() || t.end.promised;
        });
        const std::string& varying = test == tests_.end() ? loop_.start : test->end_text;
        result_.computed = result_.computed || is_computed(model_, varying, loop_.function);
        if (!result_.computed)
            result_.input = input_of(model_, varying, loop_.function);
        if (result_.upper)
            result_.lowest = std::uint64_t(least_.value_or(0));
        else if (result_.upper_expression.empty())
            result_.why_unknown = why_unknown();
    }

    /// An #if that decides what the proof was read from. An expression follows its constants.
    void find_condition() {
        std::optional<Site> found = text_.deciding(index_);
        const Site reader{loop_.site.file, loop_.with_attributes};
        for (const std::string& constant : ranges_.traits.constants) {
            if (!found && !result_.expression_is_constant)
                found = text_.deciding(constant, reader);
        }
        for (const Index function : ranges_.traits.functions) {
            if (!found)
                found = text_.deciding(model_.functions[function].site, reader);
        }
        for (const Index call : ranges_.traits.calls) {
            if (!found)
                found = text_.deciding_call(call, reader);
        }
        if (found)
            result_.condition = short_place(model_, *found);
    }

    /// "N" for `k; i < N; ++i` and for `0; i < min(n, N); ++i`, where k is not negative.
    std::string limit() const {
        const bool counts = change_.is_exact() && change_.lowest == 1 && loop_.scaling.empty();
        if (!counts || start_.lowest < 0 || run_.type.is_narrow() || run_.tested_at_end ||
            run_.steps_before_test)
            return "";
        for (const Test& test : tests_) {
            const std::string limit = constant_limit(model_, loop_.function, test.end_text);
            const bool may_wrap = test.is_unsigned && test.end.lowest < 0 && limit != test.end_text;
            if (test.rises() && !limit.empty() && !may_wrap)
                return test.comparison == "<=" ? with_one_added(limit) : limit;
        }
        return "";
    }

    /// "N" for `0; i < N; ++i` and for `N; i > 0; --i`, "N + 1" for `<=`.
    std::string counting_expression() const {
        const Test& test = tests_[0];
        const auto is_zero = [](const IntegerRange& range) {
            return range.is_exact() && range.lowest == 0;
        };
        if (tests_.size() > 1 || run_.tested_at_end || run_.steps_before_test ||
            !change_.is_exact() || !is_integer_text(test.end_text) || !is_integer_text(loop_.start))
            return "";
        if (!test.falls()) {
            if (!start_.is_exact() || start_.lowest < 0 || change_.lowest != 1 ||
                test.end_text.empty())
                return "";
            if (start_.lowest > 0)
                return less_by(test.end_text, start_.lowest - (test.comparison == "<="));
            return test.comparison == "<=" ? with_one_added(test.end_text) : test.end_text;
        }
        if (!is_zero(test.end) || change_.lowest != -1 || run_.type.is_unsigned() ||
            loop_.start_range.empty())
            return "";
        if (test.comparison == ">")
            return loop_.start;
        const auto [name, offset] = with_offset(loop_.start);
        return offset == -1 && std::all_of(name.begin(), name.end(), is_name)
                   ? name
                   : with_one_added(loop_.start);
    }

    std::string why_unknown() const {
        const Test& test = tests_[0];
        const bool start_is_unknown = !start_.bounded_below && !start_.bounded_above;
        if (start_is_unknown && !why_start_is_unknown_.empty())
            return fmt::format("the value that '{}' starts at is not known: {}", loop_.counter,
                               why_start_is_unknown_);
        if (start_is_unknown && loop_.start.empty())
            return fmt::format("the value that '{}' starts at is not known", loop_.counter);
        if (!change_.is_exact())
            return fmt::format("its step '{}' is not constant",
                               loop_.scaling.empty() ? loop_.step : loop_.factor);
        if (start_.is_exact() && test.end.is_exact())
            return fmt::format("counting '{}' from {} to {} does not end, or wraps around",
                               loop_.counter, start_.lowest, test.end.lowest);
        if (test.comparison == "!=")
            return "its condition is no order: it may step over the end";
        const bool start_varies = !start_.is_exact() && (test.falls() || test.end.is_exact());
        if ((start_varies ? start_ : test.end).bounded_above &&
            (start_varies ? start_ : test.end).bounded_below)
            return fmt::format("counting '{}' may wrap around", loop_.counter);
        const std::string& text = start_varies && !loop_.start.empty() ? loop_.start : loop_.end;
        const auto no_names = [](std::string_view) { return std::optional<ConstantName>(); };
        if (evaluate_integer(text, no_names))
            return fmt::format(
                "the value that '{}' {} is not known{}", loop_.counter,
                start_varies ? "starts at" : "ends at",
                start_varies && !why_start_is_unknown_.empty() ? ": " + why_start_is_unknown_ : "");
        const Site site{loop_.site.file, start_varies ? loop_.start_range : loop_.end_range};
        const auto use = flows_.find(loop_.function, text, site);
        if (use && use->variable && use->variable->kind == VariableKind::local && !use->is_complete)
            return fmt::format("'{}' may be set where it is not seen: {}", text,
                               flows_.of(loop_.function).incomplete);
        return fmt::format("no bound of '{}' is known", text);
    }

    const ModuleModel& model_;
    const Loop& loop_;
    const Index index_;
    FunctionFlows& flows_;
    const ConditionalText& text_;
    IntegerRanges ranges_;
    CounterRun run_;
    IntegerRange start_, change_;
    std::string why_start_is_unknown_; ///< where something may set the counter unseen, and what
    std::vector<Test> tests_;
    std::optional<std::int64_t> least_ = INT64_MAX; ///< trips by all tests; none: not known
    TripCount result_;
};

} // namespace

TripCount prove_trips(const ModuleModel& model, Index loop, const Promises& promises,
                      FunctionFlows& flows, const ConditionalText& text,
                      IntegerRanges::CounterRange counter) {
    return TripProof(model, loop, promises, flows, text, std::move(counter)).prove();
}

} // namespace slimgrad
