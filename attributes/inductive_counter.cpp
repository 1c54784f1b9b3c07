#include "attributes/inductive_counter.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/expression_text.h"
#include "attributes/text_layout.h"
#include "attributes/trip_counter.h"
#include "attributes/while_counter.h"
#include "attributes/zero_based_loop.h"
#include "rewriter/code_block.h"

#include <fmt/format.h>
#include <map>

namespace slimgrad {

namespace {

/// What is stored of the variable, once for each trip.
std::uint64_t stored_bytes(const RuleInput& input, const LocalVariable& local) {
    const Place place = input.model.place(local.site);
    std::uint64_t bytes = 0;
    for (const CheckpointContext& context : input.compiled.contexts)
        for (const CheckpointValue& value : context.values)
            if (value.place == place && value.type.starts_with("FixedArray<"))
                bytes += value.bytes;
    return bytes;
}

/// How often it runs, where only numbers in its head say so.
std::int64_t trips_by_head(const Loop& loop, const TripCount& trips) {
    const bool is_numbers =
        names_in(fmt::format("{} {} {} {}", loop.start, loop.end, loop.step, loop.factor)).empty();
    // Of a bound that is larger slangc would warn.
    const Attribute* bound = bound_attribute(loop);
    const bool fits =
        !bound || (trips.exact && bound->arguments[0] == std::to_string(*trips.exact));
    return is_numbers && fits && trips.exact && loop.more_tests.empty() &&
                   !loop.has_other_conditions
               ? *trips.exact
               : 0;
}

/// `for (int i = 0; i < n;) { ..; i++; }`. The model has no step that a `continue` leaves out.
class StepInBody {
  public:
    StepInBody(const ModuleModel& model, const Loop& loop)
        : model_(model), loop_(loop), file_(model.files[loop.site.file]) {}

    bool is_one() const {
        return loop_.kind == LoopKind::for_loop && loop_.update &&
               loop_.body.contains(*loop_.update);
    }

    std::string why_not() {
        if (model_.is_macro({loop_.site.file, loop_.site.range}))
            return "it uses a macro";
        if (starts_at_run_time(model_, loop_))
            return "it starts at a run-time value, of which Slang makes broken code in its head";
        const auto statements = statements_of(model_, {loop_.site.file, loop_.body});
        if (statements.empty() || file_.text()[loop_.body.begin] != '{' ||
            !statements.back().site.range.contains(*loop_.update))
            return "its counter is not stepped by the last statement";
        step_ = statements.back().site.range;
        std::string_view text = file_.slice(step_);
        if (!text.ends_with(';') ||
            compact(text.substr(0, text.size() - 1)) != compact(file_.slice(*loop_.update)))
            return "its counter is not stepped by a statement of its own";
        if (file_.slice(loop_.body).find('#') != std::string_view::npos)
            return "a preprocessor line stands in it";
        if (loop_.counter_written_in_body)
            return "the body changes the counter elsewhere, too";
        const ByteRange behind{loop_.condition ? loop_.condition->end : loop_.keyword,
                               loop_.body.begin};
        const std::string rest = compact(file_.slice(behind));
        if (!loop_.condition || rest != ";)")
            return "its head is not known well enough";
        close_ = behind.begin + std::uint32_t(file_.slice(behind).find(')'));
        return "";
    }

    void move(Fix& fix) const {
        const std::string update(file_.slice(*loop_.update));
        const bool has_blank = file_.text()[close_ - 1] == ' ';
        fix.edits.push_back({file_.path(), {close_, close_}, (has_blank ? "" : " ") + update});
        ByteRange line = step_;
        // The whole line, where nothing else stands on it.
        const std::string_view text = file_.text();
        const std::uint32_t start = file_.line_start(step_.begin);
        const auto end = text.find('\n', step_.end);
        if (begins_line(file_, step_.begin) && end != text.npos &&
            trimmed(text.substr(step_.end, end - step_.end)).empty())
            line = {start, std::uint32_t(end) + 1};
        fix.edits.push_back({file_.path(), line, ""});
    }

  private:
    const ModuleModel& model_;
    const Loop& loop_;
    const SourceFile& file_;
    ByteRange step_;
    std::uint32_t close_ = 0; ///< the head's `)`
};

/// Of a `do` slangc stores how often it ran, where of a `for` it knows it.
bool stores_trips(const RuleInput& input, const Place& place) {
    for (const CheckpointContext& context : input.compiled.contexts)
        for (const CheckpointValue& value : context.values)
            if (value.place == place && value.type == "int32_t")
                return true;
    return false;
}

/// The edits of a `while` or a `do`; why there are none, or "".
std::string as_for(const Result<std::vector<SourceEdit>>& edits, Fix& fix) {
    if (!edits)
        return edits.error().message;
    fix.edits = *edits;
    return "";
}

} // namespace

std::vector<Finding> inductive_counter(const RuleInput& input) {
    const ModuleModel& model = input.model;
    CheckpointedLoops loops(input);
    std::map<Index, std::size_t> rewritten; ///< loops per function
    std::vector<Finding> findings;
    for (Index index : loops.loops()) {
        const Loop& loop = model.loops[index];
        const std::uint64_t bytes =
            loop.counter_local == none ? 0 : stored_bytes(input, model.locals[loop.counter_local]);
        const bool is_do = loop.kind == LoopKind::do_while_loop;
        if (bytes == 0 && !(is_do && loop.counter_local != none && loops.trips().of(index).exact &&
                            stores_trips(input, loops.place_of(index))))
            continue;
        Finding finding;
        finding.rule = "inductive-counter";
        finding.place = loops.place_of(index);
        finding.bytes = bytes;
        finding.message = fmt::format(
            "'{}' stores {} B of the counter '{}', once for each trip; where it follows from the "
            "number of the trip it is not stored",
            model.functions[loop.function].name, bytes, loop.counter);
        if (bytes == 0)
            finding.message = fmt::format("'{}' stores how often this loop ran, 4 B: of a `for` "
                                          "slangc knows it",
                                          model.functions[loop.function].name);
        Fix fix;
        fix.description = fmt::format("count the trips of {}", loops.name_of(index));
        std::string why;
        if (is_do || loop.kind == LoopKind::while_loop) {
            fix.description = fmt::format("write {} as a `for` loop", loops.name_of(index));
            why = as_for(
                is_do ? test_in_head(model, loops, index) : step_in_head(model, loops, index), fix);
        } else if (StepInBody step(model, loop); step.is_one()) {
            fix.description = fmt::format("step in the head of {}", loops.name_of(index));
            if (why = step.why_not(); why.empty())
                step.move(fix);
        } else {
            TripCounter counter(input, loops.flows(), index, loops.most_trips(index));
            if (why = counter.why_not(); why.empty())
                counter.count_trips(fix, rewritten[loop.function]++,
                                    trips_by_head(loop, loops.trips().of(index)));
        }
        finding.severity = why.empty() ? Severity::cost : Severity::note;
        if (why.empty())
            finding.fixes.push_back(std::move(fix));
        else
            finding.why_not.push_back(std::move(why));
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
