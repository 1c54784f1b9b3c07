#pragma once

#include "plugin/cuda/nvcc.h"
#include "plugin/rewrite/rewrite_cuda.h"
#include "plugin/trial/figures.h"
#include "rewriter/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// One form of a generated CUDA text, and what ptxas makes of it.
struct CudaVariant {
    std::string name;    ///< "as generated", "single-copy", "single-copy, heap"
    bool allowed = true; ///< its passes were asked for; otherwise it is measured to be shown only
    RewrittenCuda rewritten;
    bool distinct = true; ///< its text is none of the earlier variants'; otherwise not measured
    NvccStatus status = NvccStatus::succeeded;
    std::string detail; ///< why there are no figures
    Figures figures;
};

struct CudaChoice {
    std::vector<CudaVariant> variants; ///< the least changed first
    std::size_t chosen = 0;
    bool remembered = false; ///< the figures are those of an earlier run
};

/// Lets ptxas decide between the forms of `text`: each is compiled, and by the objective
/// (figures.h) the best of those allowed is chosen; without an improvement the less changed one.
/// repair-extents, if asked for, is part of every form: it is no matter of cost. `options.passes`
/// says what is allowed. The figures are remembered in the cache of `nvcc`, if it has one. Error:
/// slimgrad-clang or nvcc cannot be run, or no allowed form compiles.
Result<CudaChoice> choose_cuda(std::string_view text, const CudaRewriteOptions& options,
                               const CudaToolkit& toolkit, const NvccOptions& nvcc);

} // namespace slimgrad
