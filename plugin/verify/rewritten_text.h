#pragma once

#include "attributes/rule.h"
#include "plugin/verify/module_kernels.h"
#include "plugin/verify/verify.h"
#include "rewriter/result.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// The CUDA text of a module as slangc emitted it, and what was made of it.
struct RewrittenText {
    const ModuleView* module = nullptr; ///< its reflection and files are those of both texts
    std::string original, rewritten;
    std::string name = "the rewritten text"; ///< of `rewritten`, for messages
    /// Largest relative difference that is none. Nothing: every bit counts, as a rewriting computes
    /// nothing in another way.
    std::optional<double> tolerance = std::nullopt;
};

/// Whether the rewritten text computes what the original does, bit by bit, on the host: one result
/// for each of the entry points that run a backward pass, or for all of them.
///
///     both built with every index checked       index out of range in one of them
///     every bit that they wrote                 different
///     both built with AddressSanitizer, if asked  stopped: rewritten wrong
///     threads, overlapped inputs, coverage      as in any other comparison (module_verifier.h)
///     both on a device, if asked                within the tolerance there
///
/// Where the text keeps checkpoints in a heap, that is exactly as large as it asks for, holds
/// nothing at first, and no thread may look into another's slice (checkpoint_heap.h).
///
/// `equal` says this of the inputs that were drawn. What the original computes is not judged: an
/// original that leaves its arrays is `original wrong`, whatever the other does; `rewritten_clean`
/// and the reason say whether that one stays inside. Whether its values are right says a comparison
/// with another original, one that is right. Error: a tool cannot be started.
Result<std::vector<VerifyResult>> compare_rewritten(Verifier& verifier, const RewrittenText& text,
                                                    const VerifyOptions& options,
                                                    const Promises& promises,
                                                    bool all_entry_points = false);

} // namespace slimgrad
