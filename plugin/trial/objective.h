#pragma once

#include "plugin/trial/figures.h"
#include "rewriter/result.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace slimgrad {

enum class Change { better, worse, same };

struct Comparison {
    Change change = Change::same; ///< better: one figure improves and none before it gets worse
    Figure decided_by = Figure::spill_bytes;
    bool minor = false; ///< better, but neither spills nor local memory nor warps improve
    bool forward_regression = false; ///< worse: a forward kernel loses warps per SM
};

/// What "better" means.
struct Objective {
    /// Figures in the order in which they decide. Where local memory does not stand first, it and
    /// warps are weighed: what decides is twice a thread's frame and its share of the register
    /// file.
    std::vector<Figure> order = {
        Figure::spill_bytes, Figure::local_memory, Figure::local_accesses,  Figure::warps,
        Figure::registers,   Figure::code_bytes,   Figure::checkpoint_bytes};
    /// What each kernel may have at most, of warps per SM at least, and the module of checkpoint
    /// bytes. Where it is not empty, only coming nearer to it is better.
    std::map<Figure, std::uint64_t> budget = {};
    bool allow_forward_regression = false; ///< forward kernels may lose warps per SM
};

/// Compares the sums over all kernels. A forward kernel that loses warps makes it worse, unless
/// that is allowed.
Comparison compare(const Figures& before, const Figures& after, const Objective& objective = {});

/// How far the figures are from the budget: the sum over all kernels of what is too much, each as
/// a share of the limit. 0: met.
double excess(const Figures& figures, const Objective& objective);

/// Whether no figure of the objective's order is better than before, and some are worse.
bool worse_in_every_way(const Figures& before, const Figures& after,
                        const Objective& objective = {});

/// "regs=128,spills=0": names as in figure_names(), whole numbers.
/// Error: a name or number that is none.
Result<std::map<Figure, std::uint64_t>> parse_budget(std::string_view text);

/// "spills,regs": those named come first, the rest of the default order follows.
/// Error: a name that is none, or twice there.
Result<std::vector<Figure>> parse_order(std::string_view text);

} // namespace slimgrad
