#include "plugin/verify/rewritten_text.h"

#include "plugin/cuda/cuda_text.h"
#include "plugin/verify/coverage_options.h"
#include "plugin/verify/gpu_comparison.h"
#include "plugin/verify/make_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace slimgrad {
namespace {

std::vector<std::string> entry_points(const ModuleView& module, bool all) {
    if (!all)
        return backward_entry_points(module);
    std::vector<std::string> names;
    for (const EntryPoint& entry : module.cuda->reflection.entry_points)
        names.push_back(entry.name);
    return names;
}

/// The same values, but zeros of another sign.
void look_at_bits(VerifyResult& result) {
    if (result.verdict == Verdict::equal && !result.bit_equal) {
        result.verdict = Verdict::different;
        result.reason = "the same values in other bits";
    }
    if (result.verdict == Verdict::different)
        result.reason += "; every bit is wanted where --tolerance is not given";
}

void say_tolerance(double tolerance, VerifyResult& result) {
    if (result.verdict == Verdict::equal && !result.bit_equal)
        result.reason = fmt::format("equal within {} on {} inputs, largest relative error {:.2g}",
                                    tolerance, result.samples, result.largest_error);
}

/// There is nothing to compare with, but the other text ran as well.
void judge_alone(VerifyResult& result) {
    if (result.verdict != Verdict::original_wrong)
        return;
    result.reason += result.rewritten_clean
                         ? "; the rewritten text keeps every index inside on the same inputs; "
                           "verify it against a shader that is right, `slimgrad fix` repairs "
                           "bounds, to know of its values"
                         : "; nor does the rewritten text run with every index inside";
}

/// Nothing if the text has the kernel.
std::optional<VerifyResult> without_kernel(const RewrittenText& text, const CpuVariant& rewritten,
                                           const std::string& entry_point) {
    std::vector<std::string> kernels;
    for (const CudaFunction& function : read_cuda_text(text.rewritten).functions)
        if (function.kernel)
            kernels.push_back(function.name);
    const std::string wanted = verify::code_name(rewritten.reflection, entry_point);
    if (std::find(kernels.begin(), kernels.end(), wanted) != kernels.end())
        return std::nullopt;
    VerifyResult result;
    result.entry_point = entry_point;
    result.reason =
        kernels.empty()
            ? fmt::format("{} has no kernel at all", text.name)
            : fmt::format("{} has no kernel {}, but {}: it was made from another shader", text.name,
                          wanted, fmt::join(kernels, ", "));
    return result;
}

} // namespace

Result<std::vector<VerifyResult>> compare_rewritten(Verifier& verifier, const RewrittenText& text,
                                                    const VerifyOptions& options,
                                                    const Promises& promises,
                                                    bool all_entry_points) {
    const ModuleView& module = *text.module;
    CpuVariant original = kernel_of(module, *module.cuda, verify::Machine::cuda);
    original.code = text.original;
    CpuVariant rewritten = original;
    rewritten.code = text.rewritten;
    rewritten.emitted = text.original;
    std::vector<VerifyResult> results;
    for (const std::string& entry_point : entry_points(module, all_entry_points)) {
        if (auto missing = without_kernel(text, rewritten, entry_point)) {
            results.push_back(std::move(*missing));
            continue;
        }
        VerifyOptions own = with_coverage(module, module, entry_point, options, promises);
        own.tolerance = text.tolerance.value_or(0);
        Result<VerifyResult> result = verifier.compare(original, rewritten, entry_point, own);
        if (!result)
            return tl::unexpected(result.error());
        if (text.tolerance)
            say_tolerance(*text.tolerance, *result);
        else
            look_at_bits(*result);
        judge_alone(*result);
        if (options.device) {
            // Two launches on a device may add in different orders.
            VerifyOptions on_device = own;
            on_device.tolerance = options.tolerance;
            verify::confirm_on_device(verifier.libraries(), verifier.runner(), original, rewritten,
                                      on_device, *result);
        }
        sort_steps(result->steps);
        results.push_back(std::move(*result));
    }
    return results;
}

} // namespace slimgrad
