#pragma once

#include "plugin/cli/display.h"
#include "plugin/rewrite/rewrite_cuda.h"
#include "plugin/trial/cuda_variants.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace slimgrad {

/// What `slimgrad cuda` did, for both forms of output.
struct CudaOutcome {
    std::string input, output; ///< absolute; "" for the standard streams
    bool of_slang = true;      ///< else the text went through as it is
    RewrittenCuda rewritten;
    std::optional<CudaChoice> choice; ///< with --measure
    NvccOptions measured_with;
};

/// `file:line:col: severity: message [pass]`, one line per note, and one per kernel that keeps
/// checkpoints in the heap.
std::string cuda_notes_text(const CudaOutcome& outcome, const Style& style,
                            const std::string& directory);

/// The variants and their figures as a table, one line per kernel; "" without a choice.
std::string cuda_choice_text(const CudaOutcome& outcome, const Style& style);

/// The fields of a cuda_document (report.schema.json).
nlohmann::ordered_json cuda_outcome_json(const CudaOutcome& outcome);

} // namespace slimgrad
