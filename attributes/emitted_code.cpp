#include "attributes/emitted_code.h"

#include "attributes/zero_based_loop.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace slimgrad {

namespace {

/// A loop of a differentiated function that does not start at a constant: the known cause.
struct RunTimeStart {
    Place place;
    std::string value; ///< what it starts at; the counter where that is what it holds before
};

std::vector<RunTimeStart> run_time_starts(const ModuleModel& model) {
    std::vector<RunTimeStart> found;
    for (const Loop& loop : model.loops) {
        if (!starts_at_run_time(model, loop))
            continue;
        const std::string& value = loop.start.empty() ? loop.counter : loop.start;
        found.push_back({model.place(loop.site), value});
    }
    return found;
}

} // namespace

std::vector<Finding> emitted_code(const RuleInput& input) {
    if (input.emitted_code_error.empty())
        return {};
    Finding finding;
    finding.rule = "emitted-code";
    finding.severity = Severity::error;
    finding.place = input.emitted_code_place;
    if (finding.place.file.empty() && !input.model.files.empty())
        finding.place = {input.model.files.front().path(), 0, 0};
    finding.message =
        fmt::format("Slang accepts this module, but the code it emits does not compile: {}",
                    input.emitted_code_error);

    // Where all of the known cause can be cured, that is said there.
    const std::vector<Finding> cures = zero_based_loop(input);
    if (!cures.empty() && std::none_of(cures.begin(), cures.end(),
                                       [](const Finding& cure) { return cure.fixes.empty(); }))
        return {};
    const std::vector<RunTimeStart> starts = run_time_starts(input.model);
    if (starts.empty())
        return {finding};
    std::string values;
    for (const RunTimeStart& start : starts)
        values += fmt::format("{}'{}' at {}:{}", values.empty() ? "" : ", ", start.value,
                              start.place.line, start.place.column);
    finding.message += fmt::format("; it may come of {} that starts at a run-time value ({}): "
                                   "count from 0 and add it in the body",
                                   starts.size() == 1 ? "the loop" : "a loop", values);
    if (finding.place.line == 0 && starts.size() == 1)
        finding.place = starts.front().place;
    return {finding};
}

} // namespace slimgrad
