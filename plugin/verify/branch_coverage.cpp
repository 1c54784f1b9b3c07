#include "plugin/verify/branch_coverage.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <iterator>
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
    switch (emitted.kind) {
    case EmittedBranch::Kind::test:
        return kind == Kind::two_ways;
    case EmittedBranch::Kind::label:
        return kind == Kind::labels;
    case EmittedBranch::Kind::selection:
        return kind == Kind::selection;
    case EmittedBranch::Kind::maximum:
        return kind == Kind::maximum;
    case EmittedBranch::Kind::minimum:
        return kind == Kind::minimum;
    }
    return false;
}

/// Whether the emitted function is the shader's, or one of its derivatives: "f", "s_bwdProp_f",
/// "Material_f".
bool is_of(const std::string& emitted, const std::string& function) {
    return emitted == function || emitted.ends_with("_" + function);
}

/// A condition of the backward pass about what the primal pass stored. It holds where the primal's
/// does.
bool is_restored(const std::string& condition) {
    return condition.find("_dc") != std::string::npos ||
           condition.find("_S->value") != std::string::npos;
}

/// One of them that is no condition of the shader: how far a loop went, by which way it was left.
bool is_stored_flag(const std::string& condition) {
    return condition.find("_dc <") != std::string::npos ||
           (condition.find("->value") != std::string::npos &&
            condition.find("!= int(") != std::string::npos);
}

using Copies = std::vector<const EmittedBranch*>;

/// Those of the branch's kind at its own lines, without what the backward pass restores if there
/// are others.
Copies at_own_lines(const BranchToCover& branch, const Copies& emitted) {
    const auto is_primal = [](const EmittedBranch* copy) {
        return !is_restored(copy->condition) && !copy->doubtful;
    };
    Copies copies;
    std::copy_if(emitted.begin(), emitted.end(), std::back_inserter(copies),
                 [&](const EmittedBranch* candidate) {
                     return is_kind(*candidate, branch.kind) && is_at(*candidate, branch);
                 });
    if (std::any_of(copies.begin(), copies.end(), is_primal))
        std::erase_if(copies, std::not_fn(is_primal));
    return copies;
}

/// Those of the branch's kind and function at lines that are nothing's.
Copies at_no_lines(const BranchToCover& branch, const std::vector<BranchToCover>& branches,
                   const Copies& emitted) {
    Copies copies;
    std::copy_if(emitted.begin(), emitted.end(), std::back_inserter(copies),
                 [&](const EmittedBranch* candidate) {
                     return is_kind(*candidate, branch.kind) &&
                            is_of(candidate->function, branch.function) &&
                            !is_stored_flag(candidate->condition) &&
                            std::none_of(branches.begin(), branches.end(),
                                         [&](const BranchToCover& other) {
                                             return is_at(*candidate, other) &&
                                                    is_of(candidate->function, other.function);
                                         });
                 });
    return copies;
}

/// The copies of the branch that run. Where the text that runs has none, those that do not: then
/// the branch is not known to have gone any way.
Copies copies_of(const BranchToCover& branch, const std::vector<BranchToCover>& branches,
                 const std::vector<EmittedBranch>& emitted) {
    Copies running, all;
    for (const EmittedBranch& candidate : emitted) {
        all.push_back(&candidate);
        if (candidate.reachable)
            running.push_back(&candidate);
    }
    for (const Copies& among : {running, all}) {
        if (Copies copies = at_own_lines(branch, among); !copies.empty())
            return copies;
        if (Copies copies = at_no_lines(branch, branches, among); !copies.empty())
            return copies;
    }
    return {};
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

bool is_extremum(const BranchToCover& branch) {
    return branch.kind == Kind::maximum || branch.kind == Kind::minimum;
}

/// Which of the two values of a maximum or minimum were the result where a < b, and where b < a.
std::array<std::size_t, 2> results_of(const BranchToCover& branch) {
    return branch.kind == Kind::maximum ? std::array<std::size_t, 2>{1, 0}
                                        : std::array<std::size_t, 2>{0, 1};
}

/// Whether everything was seen that has to be.
bool is_covered(const BranchToCover& branch, const Ways& seen) {
    if (!is_extremum(branch))
        return seen.taken && seen.not_taken;
    const auto [less, greater] = results_of(branch);
    return (seen.taken || branch.values[less].empty()) &&
           (seen.not_taken || branch.values[greater].empty());
}

CoverageGap gap_at(const BranchToCover& branch, const std::string& condition, const Ways& seen) {
    const std::string where = short_form(Place{branch.place.file, branch.place.line, 0});
    if (is_extremum(branch)) {
        const auto [less, greater] = results_of(branch);
        const std::size_t missing = seen.taken || branch.values[less].empty() ? greater : less;
        return {branch.place,
                fmt::format("`{}` at {} {}; give the inputs of its arguments ranges under "
                            "[inputs] with which it is",
                            branch.callee, where,
                            seen.taken || seen.not_taken
                                ? fmt::format("was never `{}`", branch.values[missing])
                                : "was never computed")};
    }
    if (branch.kind == Kind::labels)
        return {branch.place, fmt::format("switch at {} never reached `{}`; give its input a range "
                                          "under [inputs] with which it does",
                                          where, label(condition))};
    return {branch.place,
            fmt::format("{} at {} was {}; to try it the other way, too, give what its condition "
                        "reads a range under [inputs]",
                        branch.kind == Kind::selection ? "selection" : "branch", where,
                        seen.taken       ? "always taken"
                        : seen.not_taken ? "never taken"
                                         : "never reached")};
}

/// Equal conditions are one, whichever functions they are in. A function that has all conditions of
/// the branch, seen both ways, is enough: others say the same in other words.
std::optional<CoverageGap> gap_in(const BranchToCover& branch, const Copies& copies,
                                  const std::set<std::uint32_t>& ways) {
    Conditions conditions;
    std::map<std::string, std::set<std::string>> functions; ///< what each made of the branch
    std::size_t most = 0;
    for (const EmittedBranch* copy : copies) {
        Ways& seen = conditions[copy->condition];
        seen.taken |= ways.contains(copy->taken);
        seen.not_taken |= ways.contains(copy->not_taken);
        std::set<std::string>& of_function = functions[copy->function];
        of_function.insert(copy->condition);
        most = std::max(most, of_function.size());
    }
    std::optional<CoverageGap> result;
    for (const auto& [function, its_conditions] : functions) {
        if (its_conditions.size() < most)
            continue;
        const auto gap = std::find_if(its_conditions.begin(), its_conditions.end(),
                                      [&](const std::string& condition) {
                                          return !is_covered(branch, conditions[condition]);
                                      });
        if (gap == its_conditions.end())
            return std::nullopt;
        const Ways& seen = conditions[*gap];
        if (!result || seen.taken || seen.not_taken) // rather than of a function that did not run
            result = gap_at(branch, *gap, seen);
    }
    return result;
}

} // namespace

std::optional<CoverageGap> find_branch_gap(const std::vector<BranchToCover>& branches,
                                           const std::vector<EmittedBranch>& emitted,
                                           const std::set<std::uint32_t>& ways) {
    for (const BranchToCover& branch : branches) {
        if (branch.kind == Kind::loop)
            continue;
        if (std::optional<CoverageGap> gap =
                gap_in(branch, copies_of(branch, branches, emitted), ways))
            return gap;
    }
    return std::nullopt;
}

} // namespace slimgrad::verify
