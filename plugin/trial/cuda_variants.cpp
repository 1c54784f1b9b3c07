#include "plugin/trial/cuda_variants.h"

#include "plugin/trial/objective.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace slimgrad {
namespace {

bool holds(const std::vector<std::string>& passes, std::string_view pass) {
    return std::find(passes.begin(), passes.end(), pass) != passes.end();
}

Result<std::vector<CudaVariant>> rewrite_variants(std::string_view text,
                                                  const CudaRewriteOptions& options) {
    std::vector<std::string> passes;
    if (holds(options.passes, "repair-extents"))
        passes.push_back("repair-extents");
    std::vector<CudaVariant> variants;
    std::vector<std::string_view> steps{"", "single-copy", "heap"};
    if (holds(options.passes, "heap") && !holds(options.passes, "single-copy"))
        steps = {"", "heap"};
    for (const std::string_view further : steps) {
        CudaVariant variant;
        if (!further.empty()) {
            passes.emplace_back(further);
            const bool more = !variants.empty() && !variants.back().rewritten.passes.empty();
            variant.name = variants.size() > 1 || more ? variants.back().name + ", " : "";
        }
        variant.name += further;
        CudaRewriteOptions chosen = options;
        chosen.passes = passes;
        variant.allowed = std::all_of(passes.begin(), passes.end(), [&](const std::string& pass) {
            return holds(options.passes, pass);
        });
        Result<RewrittenCuda> rewritten = rewrite_cuda(text, chosen);
        if (!rewritten && !variant.allowed)
            continue;
        if (!rewritten)
            return tl::unexpected(rewritten.error());
        variant.rewritten = std::move(*rewritten);
        if (further.empty())
            variant.name = variant.rewritten.changed ? "repair-extents" : "as generated";
        variant.distinct =
            std::none_of(variants.begin(), variants.end(), [&](const CudaVariant& earlier) {
                return earlier.rewritten.text == variant.rewritten.text;
            });
        variants.push_back(std::move(variant));
    }
    return variants;
}

bool is_better(const CudaVariant& candidate, const CudaVariant& best) {
    if (candidate.status != NvccStatus::succeeded)
        return false;
    return best.status != NvccStatus::succeeded ||
           compare(best.figures, candidate.figures).change == Change::better;
}

} // namespace

Result<CudaChoice> choose_cuda(std::string_view text, const CudaRewriteOptions& options,
                               const CudaToolkit& toolkit, const NvccOptions& nvcc) {
    Result<std::vector<CudaVariant>> variants = rewrite_variants(text, options);
    if (!variants)
        return tl::unexpected(variants.error());
    CudaChoice choice;
    choice.variants = std::move(*variants);
    choice.remembered = true;
    for (CudaVariant& variant : choice.variants) {
        if (!variant.distinct)
            continue;
        Result<NvccResult> measured = measure(toolkit, variant.rewritten.text, nvcc);
        if (!measured)
            return tl::unexpected(measured.error());
        choice.remembered = choice.remembered && measured->remembered;
        variant.status = measured->status;
        variant.detail = std::move(measured->detail);
        variant.figures.kernels = std::move(measured->kernels);
    }
    for (std::size_t i = 1; i < choice.variants.size(); ++i) {
        const CudaVariant& variant = choice.variants[i];
        if (variant.allowed && variant.distinct &&
            is_better(variant, choice.variants[choice.chosen]))
            choice.chosen = i;
    }
    const CudaVariant& chosen = choice.variants[choice.chosen];
    if (chosen.status != NvccStatus::succeeded)
        return fail(fmt::format("nvcc: {}", chosen.detail));
    return choice;
}

} // namespace slimgrad
