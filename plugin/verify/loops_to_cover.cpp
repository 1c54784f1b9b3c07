#include "plugin/verify/loops_to_cover.h"

#include "attributes/constants.h"
#include "attributes/effects.h"
#include "attributes/trip_count.h"

#include <algorithm>
#include <set>

namespace slimgrad {

std::vector<LoopToCover> loops_to_cover(const ModuleModel& model, const std::string& entry_point, const Promises& promises) {
    const EffectAnalysis effects(model);
    std::set<Index> reached;
    for (Index entry : model.find_functions(entry_point)) {
        const auto from_entry = effects.reachable(entry, true);
        reached.insert(from_entry.begin(), from_entry.end());
    }
    std::vector<LoopToCover> loops;
    for (Index i = 0; i < model.loops.size(); ++i) {
        const Loop& loop = model.loops[i];
        const bool unrolled = loop.kind == LoopKind::compile_time_for ||
                              std::any_of(loop.attributes.begin(), loop.attributes.end(),
                                          [](const Attribute& a) { return a.name == "ForceUnroll"; });
        if (unrolled || loop.function == none || !reached.contains(loop.function) || !effects.is_differentiated(loop.function))
            continue;
        const TripCount trips = trip_count(model, i, promises);
        LoopToCover cover;
        cover.place = model.place(loop.site.file, loop.keyword);
        cover.tested_at_end = loop.kind == LoopKind::do_while_loop;
        // A loop whose condition is not a counter's runs until it converges: no input sets its trip count.
        cover.trip_count_is_input = trips.is_input && !loop.counter.empty();
        if (const Attribute* attribute = bound_attribute(loop)) {
            if (const auto bound = constant_value(model, loop.function, attribute->arguments[0]); bound && *bound >= 0)
                cover.allowed = std::uint64_t(*bound);
        }
        if (trips.exact)
            cover.bound = std::uint64_t(*trips.exact);
        else if (trips.upper && *trips.upper >= 0)
            cover.bound = std::uint64_t(*trips.upper); // proved or promised: what the attribute allows beyond it cannot come
        else
            cover.bound = cover.allowed;
        cover.computed = trips.computed;
        cover.input = trips.input;
        cover.lowest = trips.lowest;
        cover.always_bound = trips.exact && !loop.has_break;
        loops.push_back(std::move(cover));
    }
    return loops;
}

} // namespace slimgrad
