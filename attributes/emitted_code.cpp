#include "attributes/emitted_code.h"

#include <fmt/format.h>

namespace slimgrad {

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

    // The known cause: a loop of a differentiated function that does not start at a constant.
    for (const Loop& loop : input.model.loops) {
        if (loop.function == none || loop.counter.empty() ||
            !input.model.functions[loop.function].is_differentiable())
            continue;
        const bool constant_start =
            loop.start.find_first_not_of("0123456789-+uU ") == std::string::npos;
        if (constant_start)
            continue;
        const Place place = input.model.place(loop.site);
        finding.message += fmt::format("; the loop at {}:{} starts at the run-time value '{}': "
                                       "count from 0 and add it in the body",
                                       place.line, place.column, loop.start);
        if (finding.place.line == 0)
            finding.place = place;
        break;
    }
    return {finding};
}

} // namespace slimgrad
