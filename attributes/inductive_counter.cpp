#include "attributes/inductive_counter.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/expression_text.h"
#include "attributes/trip_counter.h"
#include "attributes/while_counter.h"
#include "attributes/zero_based_loop.h"

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
        const auto step = last_step(model_, loop_);
        if (!step || file_.text()[loop_.body.begin] != '{')
            return "its counter is not stepped by the last statement";
        step_ = *step;
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
        fix.edits.push_back({file_.path(), whole_line(file_, step_), ""});
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
        // A head that starts at a run-time value, or has another step, does not do.
        const bool is_while = loop.kind == LoopKind::while_loop && !loop.step.empty() &&
                              names_in(loop.step).empty() && !starts_at_run_time(model, loop);
        if (is_do || is_while) {
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
