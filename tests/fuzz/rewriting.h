#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/kernel_run.h"
#include "tests/fuzz/variant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::hunt {

/// One way to call slimgrad-clang.
struct Rewriting {
    std::string name; ///< "single-copy", "heap by warp"
    std::string pass; ///< the one that it is for: where that changes nothing, nothing is compared
    std::vector<std::string> arguments;
};

/// The default passes, and all of them with every array in the heap, in each of its layouts.
const std::vector<Rewriting>& all_rewritings();

/// How the CUDA text of a variant fared.
enum class Rewritten {
    same,           ///< bit by bit, with every index inside and nothing for AddressSanitizer to say
    unchanged,      ///< the pass found nothing to do
    original_fails, ///< before any pass: there is nothing to compare with
    refused,        ///< slimgrad-clang ended with an error
    rejected,       ///< what it wrote does not compile
    failed,         ///< what it wrote does not run to its end, or leaves an array or its slice
    different,
};
std::string_view to_string(Rewritten rewritten);

struct RewrittenResult {
    Rewritten what = Rewritten::same;
    std::string message; ///< of the last four
};

/// Rewrites the CUDA texts of variants, many in one module, and runs them on the host before and
/// after. A module that fails is split until it is known which variant it was. Not thread-safe, and
/// used by the thread that made it.
class RewritingLaboratory {
  public:
    struct Options {
        /// slimgrad-slang, slimgrad-run and slimgrad-clang; "" for those beside the program.
        std::string worker, runner, rewriter;
        std::uint32_t samples = 4;
        std::uint64_t seed = 1; ///< of the inputs
    };

    explicit RewritingLaboratory(Options options);

    /// By variant, and in each by rewriting. Error: a tool cannot be started.
    Result<std::vector<std::vector<RewrittenResult>>> run(const std::vector<Variant>& variants,
                                                          const std::vector<Rewriting>& rewritings);

  private:
    /// The original's text and what it wrote; nothing: it fails.
    struct Original;
    Result<std::optional<Original>> run_original(const std::vector<Variant>& variants);
    /// By variant; one result for several variants: for all of them together.
    Result<std::vector<RewrittenResult>> run_rewritten(const Original& original, std::size_t count,
                                                       const Rewriting& rewriting);
    Result<std::vector<RewrittenResult>> split(const std::vector<Variant>& variants,
                                               const Rewriting& rewriting);

    Options options_;
    SlangCompiler compiler_;
};

} // namespace slimgrad::hunt
