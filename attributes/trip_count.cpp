#include "attributes/trip_count.h"

#include "attributes/conditional_statements.h"
#include "attributes/expression_text.h"
#include "attributes/macro_risk.h"
#include "attributes/syntax_error.h"
#include "attributes/trip_proof.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace slimgrad {

namespace {

/// Where the loop writes its counter.
struct CounterWrites {
    int in_initializer = 0, in_update = 0;
};

CounterWrites counter_writes(const ModuleModel& model, const Loop& loop) {
    CounterWrites writes;
    for (const Access& access : model.accesses) {
        if (access.function != loop.function || access.name != loop.counter ||
            access.local != loop.counter_local || access.kind == AccessKind::read ||
            access.site.file != loop.site.file)
            continue;
        const ByteRange range = access.site.range;
        const bool in_update = loop.update && loop.update->contains(range);
        writes.in_update += in_update;
        // Of one without a condition in its head all else that stands there.
        const std::uint32_t end =
            loop.condition ? std::min(loop.condition->begin, loop.body.begin) : loop.body.begin;
        writes.in_initializer += loop.kind == LoopKind::for_loop && !in_update &&
                                 loop.keyword < range.begin && range.end <= end;
    }
    return writes;
}

bool is_declared_in_head(const ModuleModel& model, const Loop& loop) {
    return loop.counter_local != none &&
           loop.site.range.contains(model.locals[loop.counter_local].site.range);
}

/// Why the loop's parts alone, whatever their values, say nothing of its trips; "" where they may.
std::string why_not_counted(const ModuleModel& model, Index index) {
    const Loop& loop = model.loops[index];
    if (touches_syntax_error(model, loop.site))
        return model.included.empty()
                   ? "a syntax error is near: what it holds may write anything"
                   : "text that is not read is near: what it holds may write anything";
    if (!loop.condition && loop.comparison.empty())
        return "it is not a counted loop: it has no condition";
    if (loop.counter.empty() || loop.comparison.empty())
        return model.text({loop.site.file, *loop.condition}).find("||") != std::string_view::npos
                   ? "it is not a counted loop: its condition is more than tests joined by &&"
                   : "it is not a counted loop: its condition compares no variable by itself that "
                     "is known to change once and alike in every trip";
    const bool compile_time = loop.kind == LoopKind::compile_time_for;
    if (loop.step.empty() && loop.scaling.empty())
        return fmt::format(
            "it is not a counted loop: '{}' is not known to change once and alike in every trip",
            loop.counter);
    if (loop.counter_is_float)
        return "its counter is a floating-point number";
    const CounterWrites writes = counter_writes(model, loop);
    if (loop.counter_written_in_body || (!compile_time && writes.in_update != 1))
        return fmt::format("its body writes '{}'", loop.counter);
    if (writes.in_initializer > (is_declared_in_head(model, loop) ? 0 : 1))
        return fmt::format("'{}' is set more than once before its first trip", loop.counter);
    if (loop.function == none)
        return "";
    const Function& function = model.functions[loop.function];
    const Site body = function.body ? Site{function.site.file, *function.body} : loop.site;
    std::string macro = risky_macro(model, body, &MacroRisk::writes);
    if (!macro.empty())
        macro = macro_that_may_set(model, index, names_behind_trips(model, index));
    if (!macro.empty())
        return fmt::format("the macro {} in '{}' may write what it depends on", macro,
                           function.name);
    const bool steps_in_body = loop.update && loop.body.contains(*loop.update);
    if (const std::string skips = risky_macro(model, loop.site, &MacroRisk::continues);
        steps_in_body && !skips.empty())
        return fmt::format("the macro {} may skip its step", skips);
    return "";
}

} // namespace

bool same_expression(std::string_view a, std::string_view b) {
    return compact(a) == compact(b);
}

bool leaves_in_body(const Loop& loop) {
    return loop.condition && !loop.from_macro && loop.body.contains(*loop.condition);
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

const TripCount& TripCounts::of(Index index) {
    // Loops around it first, so that none waits for another.
    std::vector<Index> around;
    for (Index loop = index; loop != none && !known_.contains(loop);
         loop = model_.loops[loop].parent)
        around.push_back(loop);
    for (; !around.empty(); around.pop_back()) {
        known_[around.back()] = std::nullopt;
        ++depth_;
        known_[around.back()] = prove(around.back());
        --depth_;
    }
    static const TripCount in_progress;
    const std::optional<TripCount>& count = known_.at(index);
    return count ? *count : in_progress;
}

TripCount TripCounts::prove(Index index) {
    const Loop& loop = model_.loops[index];
    TripCount result;
    result.why_unknown = why_not_counted(model_, index);
    if (result.why_unknown.empty()) {
        bool uses_macro = false;
        std::string condition;
        const auto counter = [&](Index other) -> std::optional<IntegerRange> {
            if (depth_ > deepest)
                return std::nullopt;
            const TripCount& trips = of(other);
            uses_macro |= trips.uses_macro;
            if (condition.empty())
                condition = trips.condition;
            return trips.counter;
        };
        if (!conditional_text_)
            conditional_text_.emplace(model_);
        result = prove_trips(model_, index, promises_, flows_, *conditional_text_, counter);
        result.uses_macro |= uses_macro;
        if (result.condition.empty())
            result.condition = std::move(condition);
    } else {
        result.is_input = true;
        // By `start + trip <= end`, say: not every number of trips may come.
        result.computed = loop.comparison.empty();
    }
    result.may_end_early = loop.has_break || loop.has_other_conditions ||
                           !risky_macro(model_, loop.site, &MacroRisk::leaves).empty();
    return result;
}

TripCount trip_count(const ModuleModel& model, Index loop, const Promises& promises) {
    return TripCounts(model, promises).of(loop);
}

} // namespace slimgrad
