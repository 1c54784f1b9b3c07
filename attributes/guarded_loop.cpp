#include "attributes/guarded_loop.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/loop_form.h"
#include "attributes/loop_twice.h"
#include "attributes/proved_bound.h"
#include "attributes/text_layout.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace slimgrad {

bool follows_loop(const ModuleModel& model, Index index) {
    const Loop& loop = model.loops[index];
    for (const std::string& name : names_in(loop.start + " " + loop.end)) {
        const LocalVariable* local = find_local(model, loop.function, name);
        for (Index around = loop.parent; around != none; around = model.loops[around].parent) {
            const Loop& outer = model.loops[around];
            if (outer.counter == name || (local && local->site.file == outer.site.file &&
                                          outer.site.range.contains(local->site.range) &&
                                          !loop.site.range.contains(local->site.range)))
                return true;
        }
    }
    return false;
}

Result<GuardedLoop> GuardedLoop::read(const RuleInput& input, CheckpointedLoops& loops,
                                      Index index) {
    GuardedLoop guarded(input.model, input.model.loops[index]);
    if (std::string why = guarded.why_kept(input, loops, index); !why.empty())
        return fail(std::move(why), loops.place_of(index));
    return guarded;
}

std::string GuardedLoop::why_kept(const RuleInput& input, CheckpointedLoops& loops, Index index) {
    const Site head{loop_.site.file, {loop_.keyword, loop_.body.begin}};
    if (std::string why = why_head_is_kept(input, loop_); !why.empty())
        return why;
    if (std::string why = why_form_is_kept(model_, loop_); !why.empty())
        return why;
    if (loop_.kind != LoopKind::for_loop || loop_.counter_local == none || loop_.start.empty() ||
        !head.range.contains(model_.locals[loop_.counter_local].site.range))
        return "it is no `for` with a counter of its own";
    const auto [end, error] =
        std::from_chars(loop_.step.data(), loop_.step.data() + loop_.step.size(), step_);
    if (error != std::errc() || end != loop_.step.data() + loop_.step.size() || step_ < 1 ||
        (loop_.comparison != "<" && loop_.comparison != "<=") || !loop_.more_tests.empty() ||
        loop_.has_other_conditions || loop_.counter_written_in_body)
        return "its counter does not rise to one end by a number";
    if (loop_.end_range.empty() || loop_.start_range.empty() ||
        without_comments(model_.text(head)) != model_.text(head))
        return "a comment stands in its head";
    for (ByteRange range : model_.inactive[head.file])
        if (range.begin < loop_.body.end && head.range.begin < range.end)
            return "a preprocessor line stands in it";
    const TripCount& trips = loops.trips().of(index);
    if (!trips.counter || !trips.counter->bounded_below || !trips.counter->bounded_above)
        return "what its counter may be is not known: " + trips.why_unknown;
    if (std::string why = wrong_in_other_builds(trips); !why.empty())
        return "what its counter may be " + why;
    if (trips.upper_is_promised || trips.from_callers || trips.counter->promised ||
        trips.counter->from_callers)
        return "what its counter may be rests on what calls it";
    has_other_start_ = !constant_value(model_, loop_.function, loop_.start);
    if (has_other_start_ && step_ != 1)
        return "where it starts and its step decide which values its counter has";
    lowest_ = trips.counter->lowest;
    most_ = (trips.counter->highest - lowest_) / step_ + 1;
    if (const std::string why = why_changes(loops, loop_.end); !why.empty())
        return why;
    return has_other_start_ ? why_changes(loops, loop_.start) : "";
}

/// The test stands in every trip and has to be the same all along.
std::string GuardedLoop::why_changes(CheckpointedLoops& loops,
                                     const std::string& expression) const {
    const std::string why = fmt::format("'{}' may not stay the same while it runs", expression);
    if (expression.find_first_of("([") != std::string::npos &&
        !is_constant_expression(model_, loop_.function, expression))
        return why;
    const FunctionFlow& flow = loops.flows().of(loop_.function);
    for (const std::string& name : names_in(expression)) {
        std::uint32_t position = 0;
        const bool is_own = find_parameter(model_, loop_.function, name, position) ||
                            is_local_name(model_, loop_.function, name);
        if (!is_own && is_constant_expression(model_, loop_.function, name))
            continue;
        const bool is_set = std::any_of(
            flow.definitions.begin(), flow.definitions.end(), [&](const Definition& definition) {
                return flow.variables[definition.variable].name == name &&
                       !definition.site.range.empty() && loop_.body.contains(definition.site.range);
            });
        if (!is_own || is_set || name == loop_.counter || !flow.incomplete.empty())
            return why;
    }
    return "";
}

std::vector<SourceEdit> GuardedLoop::edits(std::int64_t trips) const {
    const std::string& path = model_.files[loop_.site.file].path();
    std::vector<SourceEdit> edits;
    if (has_other_start_)
        edits.push_back({path, loop_.start_range, std::to_string(lowest_)});
    const std::int64_t last = lowest_ + (trips - 1) * step_;
    if (trips != most_ || !constant_value(model_, loop_.function, loop_.end))
        edits.push_back(
            {path, loop_.end_range, std::to_string(loop_.comparison == "<" ? last + 1 : last)});
    edits.push_back(guarded_body());
    return edits;
}

SourceEdit GuardedLoop::guarded_body() const {
    const SourceFile& file = model_.files[loop_.site.file];
    std::string test;
    if (has_other_start_)
        test = fmt::format("{} >= {}", loop_.counter, loop_.start);
    if (!constant_value(model_, loop_.function, loop_.end))
        test += fmt::format("{}{} {} {}", test.empty() ? "" : " && ", loop_.counter,
                            loop_.comparison, loop_.end);
    const std::uint32_t begin = loop_.body.begin;
    if (!begins_line(file, begin))
        return {file.path(), {begin, begin}, fmt::format("if ({}) ", test)};
    const std::string indent = indentation(file, begin);
    const bool is_block = file.slice(loop_.body).starts_with('{');
    const std::string unit =
        is_block ? indent_unit(file, loop_.body, indent)
                 : indent_unit(file, loop_.site.range, indentation(file, loop_.keyword));
    const std::string guard_indent = is_block ? indent + unit : indent;
    const std::string body_indent = guard_indent + (is_block ? "" : unit);
    return {file.path(),
            {file.line_start(begin), loop_.body.end},
            fmt::format("{}if ({}){}{}{}", guard_indent, test, file.line_ending(), body_indent,
                        reindented(file.slice(loop_.body), indent, body_indent))};
}

} // namespace slimgrad
