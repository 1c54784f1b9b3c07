#include "plugin/verify/loops_to_cover.h"

#include "attributes/constants.h"
#include "attributes/effects.h"
#include "attributes/trip_count.h"
#include "plugin/verify/derivative_sites.h"
#include "plugin/verify/gradient_pairs.h"
#include "plugin/verify/loop_inputs.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace slimgrad {

namespace {

bool is_unrolled(const Loop& loop) {
    return loop.kind == LoopKind::compile_time_for ||
           std::any_of(loop.attributes.begin(), loop.attributes.end(),
                       [](const Attribute& a) { return a.name == "ForceUnroll"; });
}

std::uint32_t line_of(const ModuleModel& model, const Loop& loop) {
    return model.place(loop.site.file, loop.keyword).line;
}

bool start_in_one_line(const ModuleModel& model, const Loop& a, const Loop& b) {
    return a.site.file == b.site.file && line_of(model, a) == line_of(model, b);
}

std::uint32_t outer_on_line(const ModuleModel& model, const Loop& loop) {
    std::uint32_t count = 0;
    for (Index outer = loop.parent; outer != none; outer = model.loops[outer].parent)
        count += !is_unrolled(model.loops[outer]) && !model.loops[outer].from_macro &&
                 start_in_one_line(model, loop, model.loops[outer]);
    return count;
}

/// The offset of the last character before the body.
std::uint32_t end_of_header(const ModuleModel& model, const Loop& loop) {
    const std::string& text = model.files[loop.site.file].text();
    std::uint32_t end = loop.body.begin;
    while (end > loop.keyword + 1 && std::isspace(static_cast<unsigned char>(text[end - 1])))
        --end;
    return end - 1;
}

/// Where the loop stands, and what is needed to find it in the emitted text.
LoopToCover placed(const ModuleModel& model, Index index) {
    const Loop& loop = model.loops[index];
    LoopToCover cover;
    cover.place = model.place(loop.site.file, loop.keyword);
    if (loop.kind != LoopKind::do_while_loop)
        cover.header_end = model.place(loop.site.file, end_of_header(model, loop)).line;
    cover.outer_on_line = outer_on_line(model, loop);
    for (Index other = 0; other < model.loops.size(); ++other)
        cover.shares_line =
            cover.shares_line ||
            (other != index && !is_unrolled(model.loops[other]) && !model.loops[other].from_macro &&
             start_in_one_line(model, loop, model.loops[other]) &&
             outer_on_line(model, model.loops[other]) == cover.outer_on_line);
    return cover;
}

} // namespace

std::vector<LoopToCover> loops_to_cover(const ModuleModel& model, const std::string& entry_point,
                                        const Promises& promises) {
    const EffectAnalysis effects(model);
    TripCounts counts(model, promises);
    std::set<Index> reached;
    for (Index entry : verify::source_functions(model, entry_point)) {
        const auto from_entry = effects.reachable(entry, true);
        reached.insert(from_entry.begin(), from_entry.end());
    }
    std::vector<LoopToCover> loops;
    for (Index i = 0; i < model.loops.size(); ++i) {
        const Loop& loop = model.loops[i];
        // In the emitted text a macro's loop stands where the macro is defined.
        if (loop.from_macro || is_unrolled(loop) || loop.function == none ||
            !reached.contains(loop.function) || !effects.is_run_backwards(loop.function))
            continue;
        const TripCount& trips = counts.of(i);
        LoopToCover cover = placed(model, i);
        cover.replaced = !verify::backward_derivatives(model, effects.tracer().custom_derivatives(),
                                                       loop.function)
                              .empty();
        cover.tested_at_end = loop.kind == LoopKind::do_while_loop;
        // A loop whose condition is not a counter's runs until it converges: no input sets its trip
        // count.
        cover.trip_count_is_input =
            trips.is_input && !loop.counter.empty() && !loop.counter_is_float;
        if (const Attribute* attribute = bound_attribute(loop)) {
            if (const auto bound = constant_value(model, loop.function, attribute->arguments[0]);
                bound && *bound >= 0)
                cover.allowed = std::uint64_t(*bound);
        }
        // In the emitted text the trip of a `while (true)` that leaves where it begins is none.
        const std::uint64_t leaving = loop.kind == LoopKind::while_loop && leaves_in_body(loop);
        const auto proved = trips.exact ? trips.exact : trips.upper;
        if (proved && *proved >= 0)
            // Or promised: what the attribute allows beyond it cannot come.
            cover.bound = std::uint64_t(*proved) - std::min(std::uint64_t(*proved), leaving);
        else
            cover.bound = cover.allowed;
        // More than can come is not asked for.
        if (trips.is_loose && !trips.exact && cover.allowed && cover.bound)
            cover.bound = std::min(*cover.bound, *cover.allowed);
        cover.computed = trips.computed;
        cover.input = trips.input;
        if (trips.is_input && trips.input.empty())
            cover.inputs = loop_inputs(model, i);
        cover.lowest = trips.lowest - std::min(trips.lowest, leaving);
        cover.always_bound = trips.exact && !trips.may_end_early;
        loops.push_back(std::move(cover));
    }
    return loops;
}

} // namespace slimgrad
