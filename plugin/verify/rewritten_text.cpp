#include "plugin/verify/rewritten_text.h"

#include "plugin/verify/coverage_options.h"
#include "plugin/verify/gpu_comparison.h"

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

/// Rounding explains no difference: nothing was to be computed in another way.
VerifyOptions exact(VerifyOptions options) {
    options.tolerance = 0;
    options.sanitize = true;
    return options;
}

/// The same values, but zeros of another sign.
void look_at_bits(VerifyResult& result) {
    if (result.verdict != Verdict::equal || result.bit_equal)
        return;
    result.verdict = Verdict::different;
    result.reason = "the same values in other bits";
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
        const VerifyOptions own =
            exact(with_coverage(module, module, entry_point, options, promises));
        Result<VerifyResult> result = verifier.compare(original, rewritten, entry_point, own);
        if (!result)
            return tl::unexpected(result.error());
        look_at_bits(*result);
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
