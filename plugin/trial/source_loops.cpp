#include "plugin/trial/source_loops.h"

#include "attributes/constants.h"
#include "attributes/specialised_trips.h"
#include "attributes/trip_count.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace slimgrad {
namespace {

std::optional<std::int64_t> smaller(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    return a && b ? std::min(a, b) : a ? a : b;
}

std::optional<std::int64_t> most_trips(const ModuleModel& model, Index index, TripCounts& counts) {
    const TripCount& count = counts.of(index);
    std::optional<std::int64_t> most = smaller(count.exact, count.upper);
    if (!most)
        for (const SpecialisedTrips& trips : specialised_trips(model, index, count))
            most = std::max(most.value_or(0), trips.trips);
    if (const Attribute* bound = bound_attribute(model.loops[index]))
        most = smaller(
            most, constant_value(model, model.loops[index].function, bound->arguments.front()));
    return most;
}

} // namespace

std::vector<LoopTrips> source_loops(const ModuleModel& model, const Promises& promises) {
    TripCounts counts(model, promises);
    std::vector<LoopTrips> loops;
    for (Index index = 0; index < model.loops.size(); ++index) {
        const Loop& loop = model.loops[index];
        const SourceFile& file = model.files[loop.site.file];
        LoopTrips lines{file.path(), file.place(loop.site.range.begin).line,
                        file.place(loop.site.range.end).line, 0, 1};
        if (const auto most = most_trips(model, index, counts); most && *most > 0)
            lines.trips = static_cast<std::uint64_t>(*most);
        if (const auto step = constant_value(model, loop.function, loop.step); step && *step != 0)
            lines.step = static_cast<std::uint64_t>(std::abs(*step));
        loops.push_back(std::move(lines));
    }
    return loops;
}

} // namespace slimgrad
