#include "plugin/verify/branches_to_cover.h"

#include "attributes/effects.h"
#include "rewriter/branches.h"

#include <set>

namespace slimgrad {

std::vector<verify::BranchToCover> branches_to_cover(const ModuleModel& model,
                                                     const std::string& entry_point) {
    using Kind = verify::BranchToCover::Kind;
    const EffectAnalysis effects(model);
    std::set<Index> reached;
    for (const Index entry : model.find_functions(entry_point))
        reached.merge(effects.reachable(entry, true));
    std::vector<verify::BranchToCover> result;
    for (const Index function : reached) {
        if (!effects.is_differentiated(function))
            continue;
        const auto add = [&](std::uint32_t file, ByteRange condition, Kind kind) {
            result.push_back({model.place(file, condition.begin),
                              model.place(file, condition.end).line, kind,
                              model.functions[function].name});
        };
        for (const Branch& branch : branches_of(model, function))
            add(branch.file, branch.condition,
                branch.kind == BranchKind::switch_statement ? Kind::labels : Kind::two_ways);
        for (const Loop& loop : model.loops)
            if (loop.function == function)
                add(loop.site.file, {loop.keyword, loop.keyword}, Kind::loop);
    }
    return result;
}

} // namespace slimgrad
