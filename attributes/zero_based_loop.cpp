#include "attributes/zero_based_loop.h"

#include "attributes/constants.h"
#include "attributes/function_flows.h"
#include "attributes/loop_form.h"
#include "attributes/trip_count.h"
#include "attributes/trip_counter.h"

#include <fmt/format.h>
#include <map>

namespace slimgrad {

namespace {

/// What nvcc says of a variable that slangc uses and never declares.
bool is_known_error(std::string_view error) {
    return error.find("\"_S") != error.npos && error.find("undefined") != error.npos;
}

/// A loop that is the whole body of another one ends where that does: braces of both are inserted
/// there, the inner one's first.
void order_insertions(const ModuleModel& model, std::map<Index, Finding>& findings) {
    for (auto outer = findings.rbegin(); outer != findings.rend(); ++outer)
        for (const auto& [index, inner] : findings) {
            const Loop& loop = model.loops[index];
            const Loop& around = model.loops[outer->first];
            if (loop.site.file != around.site.file || loop.with_attributes != around.body ||
                inner.fixes.empty() || outer->second.fixes.empty())
                continue;
            std::vector<SourceEdit>& edits = outer->second.fixes[0].edits;
            const std::vector<SourceEdit>& first = inner.fixes[0].edits;
            edits.insert(edits.begin(), first.begin(), first.end());
        }
}

} // namespace

bool starts_at_run_time(const ModuleModel& model, const Loop& loop) {
    if (loop.function == none || loop.counter.empty() ||
        !model.functions[loop.function].is_differentiable())
        return false;
    const std::string& value = loop.start.empty() ? loop.counter : loop.start;
    return !constant_value(model, loop.function, value) &&
           !is_constant_expression(model, loop.function, value);
}

std::vector<Finding> zero_based_loop(const RuleInput& input) {
    const ModuleModel& model = input.model;
    if (!is_known_error(input.emitted_code_error))
        return {};
    FunctionFlows flows(model);
    TripCounts trips(model, input.promises);
    std::map<Index, std::size_t> rewritten; ///< loops per function
    std::map<Index, Finding> found;
    for (Index index = 0; index < model.loops.size(); ++index) {
        const Loop& loop = model.loops[index];
        if (!starts_at_run_time(model, loop) || loop.kind != LoopKind::for_loop ||
            is_unrolled(loop) || trips.of(index).exact)
            continue;
        Finding finding;
        finding.rule = "zero-based-loop";
        finding.place = model.place(loop.site.file, loop.keyword);
        finding.message =
            fmt::format("'{}' starts this loop at a value that is known only when it runs ('{}'): "
                        "Slang accepts that, but the code it emits does not compile: {}",
                        model.functions[loop.function].name,
                        loop.start.empty() ? loop.counter : loop.start, input.emitted_code_error);
        TripCounter counter(input, flows, index);
        if (std::string why = counter.why_not(); why.empty()) {
            finding.severity = Severity::error;
            Fix fix;
            fix.description = fmt::format("count {} from 0", loop_name(model, index));
            counter.count_trips(fix, rewritten[loop.function]++);
            finding.fixes.push_back(std::move(fix));
        } else {
            finding.why_not.push_back(std::move(why));
        }
        found.emplace(index, std::move(finding));
    }
    order_insertions(model, found);
    std::vector<Finding> findings;
    for (auto& [index, finding] : found)
        findings.push_back(std::move(finding));
    return findings;
}

} // namespace slimgrad
