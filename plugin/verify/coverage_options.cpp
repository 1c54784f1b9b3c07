#include "plugin/verify/coverage_options.h"

#include "plugin/verify/branches_to_cover.h"
#include "plugin/verify/loops_to_cover.h"

#include <set>

namespace slimgrad {

VerifyOptions with_coverage(const ModuleView& original, const ModuleView& rewritten,
                            const std::string& entry_point, const VerifyOptions& options,
                            const Promises& promises) {
    VerifyOptions result = options;
    for (const auto& [input, range] : promises.ranges)
        result.ranges[input] = {range.minimum, range.maximum};
    result.loops = loops_to_cover(*original.model, entry_point, promises);
    result.loops_are_all = true;
    const std::set<std::string> changed =
        original.model == rewritten.model ? std::set<std::string>{}
                                          : changed_functions(*original.model, *rewritten.model);
    result.branches = branches_to_cover(*original.model, entry_point, changed);
    if (original.model != rewritten.model)
        result.rewritten_branches = branches_to_cover(*rewritten.model, entry_point, changed);
    result.noalias = promises.noalias;
    return result;
}

} // namespace slimgrad
