#include "plugin/verify/double_decision.h"

#include "plugin/verify/double_text.h"
#include "plugin/verify/source_tokens.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad::verify {
namespace {

/// Relative errors that rounding in another order explains, generously: where all is in 32 bits,
/// and where something is in 16.
constexpr double most_in_32 = 1e-2, most_in_16 = 0.1;

/// How often the module's text names a floating-point type of 16 bits or less. In 64 bits these are
/// as good as the others.
std::size_t small_floats(const ModuleModel& model) {
    std::size_t count = 0;
    for (const SourceFile& file : model.files)
        for (const std::string_view name : {"half", "float16", "bfloat16", "Float8", "min16float"})
            for (std::size_t at = 0; (at = file.text().find(name, at)) != std::string::npos; ++at)
                ++count;
    return count;
}

/// Whether the module's text names no floating-point type but double.
bool is_in_double(const ModuleModel& model) {
    return std::none_of(model.files.begin(), model.files.end(), [](const SourceFile& file) {
        const auto tokens =
            source_tokens(file.text(), {0, static_cast<std::uint32_t>(file.text().size())});
        return std::any_of(tokens.begin(), tokens.end(), [](const SourceToken& token) {
            return token.kind == SourceToken::Kind::word &&
                   (token.text.find("float") != std::string_view::npos ||
                    token.text.find("half") != std::string_view::npos);
        });
    });
}

} // namespace

Result<void> decide_in_double(ModuleKernels& kernels, Verifier& verifier, Machine machine,
                              const ModuleView& original, const ModuleView& rewritten,
                              const VerifyOptions& options, VerifyResult& result) {
    const bool hidden = result.verdict == Verdict::equal && result.hidden_difference;
    if (result.verdict != Verdict::different && !hidden)
        return {};
    const auto undecided = [&](const std::string& why) -> Result<void> {
        if (hidden) {
            result.verdict = Verdict::unverified;
            result.reason =
                fmt::format("{}[{}] is {:.9g} in the original and {:.9g} in the rewritten "
                            "kernel, small beside the rest of {}",
                            result.hidden_difference->buffer, result.hidden_difference->element,
                            result.hidden_difference->original, result.hidden_difference->rewritten,
                            result.hidden_difference->buffer);
        }
        result.reason += "; not decided in 64 bits: " + why;
        return {};
    };
    if (is_in_double(*original.model) && is_in_double(*rewritten.model))
        return {}; // the difference is one of 64 bits
    if (small_floats(*original.model) != small_floats(*rewritten.model))
        return undecided("one of the two computes more in 16 bits");
    const Result<DoubleVariants> texts =
        both_in_double(original.source, *original.model, rewritten.source, *rewritten.model);
    if (!texts)
        return undecided(to_string(texts.error()));
    std::vector<CpuVariant> in_double;
    for (const auto& [variant, module] :
         {std::pair{&texts->original, &original}, std::pair{&texts->rewritten, &rewritten}}) {
        const Result<CompileResult> compiled = kernels.compile(*variant, machine);
        if (!compiled)
            return tl::unexpected(compiled.error());
        if (!compiled->succeeded())
            return undecided("Slang does not compile it with double: " + first_error(*compiled));
        in_double.push_back(kernel_of(*module, *compiled, machine));
    }
    VerifyOptions exact = options;
    exact.tolerance = DoubleVariants::tolerance;
    Result<VerifyResult> decided =
        verifier.compare(in_double[0], in_double[1], result.entry_point, exact);
    if (!decided)
        return tl::unexpected(decided.error());
    if (hidden && decided->verdict == Verdict::different) {
        decided->reason += ", in 64 bits; in 32 bits the rest of the buffer hides it";
        result = std::move(*decided);
        return {};
    }
    switch (decided->verdict) {
    case Verdict::equal:
    case Verdict::unverified:
        if (!std::isfinite(result.largest_error)) {
            result.reason += "; in 64 bits they are equal, but 32 bits are what the kernel has";
            return {};
        }
        if (result.largest_error > (small_floats(*original.model) > 0 ? most_in_16 : most_in_32)) {
            result.verdict = Verdict::unverified;
            result.reason += fmt::format("; in 64 bits they are equal, but in 32 bits up to {:.2g} "
                                         "apart",
                                         result.largest_error);
            return {};
        }
        decided->reason +=
            fmt::format(" in 64 bits; in 32 bits they round differently (largest relative error "
                        "{:.2g})",
                        result.largest_error);
        decided->largest_error = result.largest_error;
        decided->bit_equal = false;
        result = std::move(*decided);
        return {};
    case Verdict::different:
        result.reason += "; in 64 bits, too";
        return {};
    default:
        return undecided(decided->reason);
    }
}

} // namespace slimgrad::verify
