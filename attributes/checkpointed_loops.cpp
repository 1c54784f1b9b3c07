#include "attributes/checkpointed_loops.h"

#include "attributes/constants.h"
#include "attributes/differentiated_functions.h"
#include "attributes/loop_form.h"
#include "attributes/proved_bound.h"
#include "rewriter/call_derivative.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

CheckpointedLoops::CheckpointedLoops(const RuleInput& input)
    : input_(input), model_(input.model), effects_(model_), flows_(model_),
      trips_(model_, input.promises), cost_(model_, flows_, trips_) {
    if (model_.loops.empty() || !input.compiled.succeeded())
        return;
    read_rows();
    if (rows_.empty())
        return;
    const OwnDerivatives own(model_);
    const std::vector<bool> differentiated = find_differentiated(
        model_, effects_.tracer(), [&](Index i) -> const FunctionFlow& { return flows_.of(i); });
    for (Index loop = 0; loop < model_.loops.size(); ++loop) {
        const Index function = model_.loops[loop].function;
        if (function != none && differentiated[function] && !own.has(function) &&
            !is_unrolled(model_.loops[loop]) &&
            why_head_is_kept(input_, model_.loops[loop]).empty())
            loops_.push_back(loop);
    }
}

void CheckpointedLoops::read_rows() {
    for (const CheckpointContext& context : input_.compiled.contexts) {
        for (const CheckpointValue& value : context.values) {
            const Index file = model_.find_file(value.place.file);
            if (file == none || value.place.line == 0)
                continue;
            const std::uint32_t offset =
                model_.files[file].offset(value.place.line, value.place.column);
            rows_.push_back(
                {{file, {offset, offset + 1}}, model_.function_at(file, offset), &value});
        }
    }
}

Index CheckpointedLoops::call_of(const Row& row) const {
    return model_.call_at(row.site.file, row.site.range.begin);
}

bool CheckpointedLoops::is_computed(const Row& row) const {
    return call_of(row) != none || model_.access_at(row.site.file, row.site.range.begin) != none;
}

std::uint64_t CheckpointedLoops::carried_bytes(Index function) const {
    std::uint64_t bytes = 0;
    for (const Row& row : rows_)
        if (row.function == function && row.value->type.starts_with("FixedArray<") &&
            !is_computed(row))
            bytes += row.value->bytes;
    return bytes;
}

std::uint64_t CheckpointedLoops::bytes_per_two_trips(Index function) const {
    std::uint64_t bytes = 0;
    for (const Row& row : rows_)
        if (row.function == function && row.value->type.starts_with("FixedArray<FixedArray<"))
            bytes += row.value->bytes;
    return bytes;
}

std::uint64_t CheckpointedLoops::computed_bytes(Site site) const {
    std::uint64_t bytes = 0;
    for (const Row& row : rows_)
        if (row.site.file == site.file && site.range.contains(row.site.range) && is_computed(row))
            bytes += row.value->bytes;
    return bytes;
}

std::uint64_t CheckpointedLoops::read_bytes(Site site) const {
    std::uint64_t bytes = 0;
    for (const Row& row : rows_) {
        const Index call = call_of(row);
        const bool is_own = call != none && model_.calls[call].target != none &&
                            model_.calls[call].callee_kind != CalleeKind::requirement;
        if (row.site.file == site.file && site.range.contains(row.site.range) && is_computed(row) &&
            !is_own)
            bytes += row.value->bytes;
    }
    return bytes;
}

bool CheckpointedLoops::may_be_stored(Site code, const RecomputeSafety& safety) const {
    const auto is_late = [&](const Call& call) {
        return call.site.file == code.file && code.range.contains(call.site.range) &&
               (call.callee_kind == CalleeKind::requirement ||
                call.callee_kind == CalleeKind::unresolved);
    };
    return safety.answer != RecomputeSafety::Answer::pure ||
           std::any_of(model_.calls.begin(), model_.calls.end(), is_late);
}

std::string CheckpointedLoops::name_of(Index loop) const {
    return loop_name(model_, loop);
}

Place CheckpointedLoops::place_of(Index loop) const {
    return model_.place(model_.loops[loop].site.file, model_.loops[loop].keyword);
}

Index CheckpointedLoops::loop_around(Index loop) const {
    Index around = model_.loops[loop].parent;
    while (around != none && is_unrolled(model_.loops[around]))
        around = model_.loops[around].parent;
    return around;
}

std::string CheckpointedLoops::bound_of(Index loop) {
    const TripCount& trips = trips_.of(loop);
    const bool is_proved =
        wrong_in_other_builds(trips).empty() && !trips.upper_is_promised && !trips.from_callers;
    if (std::string proved = is_proved ? proved_bound(trips) : ""; !proved.empty())
        return proved;
    const Attribute* attribute = bound_attribute(model_.loops[loop]);
    return attribute ? attribute->arguments[0] : "";
}

std::int64_t CheckpointedLoops::most_trips(Index loop) {
    const std::string bound = bound_of(loop);
    if (bound.empty())
        return 0;
    const TripCount& trips = trips_.of(loop);
    ConstantTraits traits;
    std::optional<std::int64_t> most = cost_.trips(loop);
    if (!most)
        most = constant_value(model_, model_.loops[loop].function, bound, traits);
    for (const auto& known : {trips.exact, trips.upper})
        if (known)
            most = std::min(most.value_or(*known), *known);
    return most.value_or(0);
}

bool CheckpointedLoops::has_loop_inside(Index loop, bool or_unrolled) const {
    const Loop& l = model_.loops[loop];
    return std::any_of(model_.loops.begin(), model_.loops.end(), [&](const Loop& other) {
        return other.site.file == l.site.file && l.body.contains(other.site.range) &&
               (or_unrolled || !is_unrolled(other));
    });
}

} // namespace slimgrad
