#pragma once

#include "plugin/rewrite/rewrite_cuda.h"
#include "rewriter/result.h"

#include <string>
#include <string_view>

namespace slimgrad {

/// What the environment asks of the drop-in forms (slimgrad-slangc, the NVRTC shim), which have no
/// options of their own.
struct DropInSettings {
    bool on = true;             ///< SLIMGRAD: off, 0, no or false turns all rewriting off
    std::string log;            ///< SLIMGRAD_LOG: a file that gets one line per call; "" for none
    CudaRewriteOptions rewrite; ///< SLIMGRAD_CUDA_PASSES: a list as for `slimgrad cuda --passes`;
                                ///< SLIMGRAD_HEAP_THRESHOLD, SLIMGRAD_HEAP_LAYOUT
};

/// Error: a variable has a value that means nothing; the caller passes everything through then,
/// and says so.
Result<DropInSettings> drop_in_settings();

/// Appends `line` and a newline to the log in one write, so that lines of several processes do not
/// mix. Control characters in it are replaced. False: it cannot be written, which is no reason to
/// fail.
bool append_to_log(const std::string& file, std::string_view line);

} // namespace slimgrad
