#include "plugin/verify/branch_coverage.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <string>

namespace slimgrad::verify {
namespace {

using Kind = BranchToCover::Kind;

struct Ways {
    bool taken = false, not_taken = false;
};
using Conditions = std::map<std::string, Ways>;

bool is_at(const EmittedBranch& emitted, const BranchToCover& branch) {
    const auto file_name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
    return emitted.place.line >= branch.place.line && emitted.place.line <= branch.last_line &&
           file_name(emitted.place.file) == file_name(branch.place.file);
}

bool is_kind(const EmittedBranch& emitted, Kind kind) {
    return (emitted.taken == emitted.not_taken) == (kind == Kind::labels);
}

/// Whether the emitted function is the shader's, or one of its derivatives: "f", "s_bwdProp_f",
/// "Material_f".
bool is_of(const std::string& emitted, const std::string& function) {
    return emitted == function || emitted.ends_with("_" + function);
}

/// A condition of the backward pass about what the primal pass stored. It holds where the primal's
/// does.
bool is_restored(const Conditions::value_type& condition) {
    return condition.first.find("_dc") != std::string::npos ||
           condition.first.find("_S->value") != std::string::npos;
}

/// One of them that is no condition of the shader: how far a loop went, by which way it was left.
bool is_stored_flag(const std::string& condition) {
    return condition.find("_dc <") != std::string::npos ||
           (condition.find("->value") != std::string::npos &&
            condition.find("!= int(") != std::string::npos);
}

/// The conditions at the branch's own lines; else those of its function at lines of their own.
Conditions conditions_of(const BranchToCover& branch, const std::vector<BranchToCover>& branches,
                         const std::vector<EmittedBranch>& emitted,
                         const std::set<std::uint32_t>& ways) {
    Conditions conditions;
    const auto add = [&](const EmittedBranch& candidate) {
        Ways& seen = conditions[candidate.condition];
        seen.taken |= ways.contains(candidate.taken);
        seen.not_taken |= ways.contains(candidate.not_taken);
    };
    for (const EmittedBranch& candidate : emitted)
        if (is_kind(candidate, branch.kind) && is_at(candidate, branch))
            add(candidate);
    if (std::any_of(conditions.begin(), conditions.end(), std::not_fn(is_restored)))
        std::erase_if(conditions, is_restored);
    if (!conditions.empty())
        return conditions;
    for (const EmittedBranch& candidate : emitted)
        if (is_kind(candidate, branch.kind) && is_of(candidate.function, branch.function) &&
            !is_stored_flag(candidate.condition) &&
            std::none_of(branches.begin(), branches.end(), [&](const BranchToCover& other) {
                return is_at(candidate, other) && is_of(candidate.function, other.function);
            }))
            add(candidate);
    return conditions;
}

/// "case int(1)" -> "case 1"
std::string label(std::string condition) {
    if (const std::size_t at = condition.find("int(");
        at != std::string::npos && condition.ends_with(")")) {
        condition.erase(at, 4);
        condition.pop_back();
    }
    return condition;
}

CoverageGap gap_at(const BranchToCover& branch, const std::string& condition, const Ways& seen) {
    const std::string where = short_form(Place{branch.place.file, branch.place.line, 0});
    if (branch.kind == Kind::labels)
        return {branch.place, fmt::format("switch at {} never reached `{}`; give its input a range "
                                          "under [inputs] with which it does",
                                          where, label(condition))};
    return {branch.place,
            fmt::format("branch at {} was {}; give the inputs of its condition ranges under [inputs] "
                        "with which it goes both ways",
                        where,
                        seen.taken       ? "always taken"
                        : seen.not_taken ? "never taken"
                                         : "never reached")};
}

} // namespace

std::optional<CoverageGap> find_branch_gap(const std::vector<BranchToCover>& branches,
                                           const std::vector<EmittedBranch>& emitted,
                                           const std::set<std::uint32_t>& ways) {
    for (const BranchToCover& branch : branches) {
        if (branch.kind == Kind::loop)
            continue;
        for (const auto& [condition, seen] : conditions_of(branch, branches, emitted, ways))
            if (!seen.taken || !seen.not_taken)
                return gap_at(branch, condition, seen);
    }
    return std::nullopt;
}

} // namespace slimgrad::verify
