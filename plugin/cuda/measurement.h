#pragma once

#include "plugin/cuda/nvcc.h"

#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// What nvcc made of a text, as the cache keeps it.
std::string encode(const NvccResult& result);
/// Nothing: these are not the bytes of one.
std::optional<NvccResult> decode_nvcc_result(std::string_view bytes);

/// What a measurement is kept under: by everything that it depends on.
struct MeasurementKeys {
    /// Of figures: where the text's #line directives change nothing in the code, without them, so
    /// that an edit that moves lines is measured once.
    std::string figures;
    std::string rejection; ///< of a message, which names lines
};

/// Nothing: an option may name a file, which nobody knows the content of.
std::optional<MeasurementKeys> measurement_keys(const CudaToolkit& toolkit,
                                                const std::string& cuda_text,
                                                const NvccOptions& options);

/// The text without its #line directives; as it is where it can see its own lines (`__LINE__`,
/// `assert`).
std::string without_line_directives(std::string_view cuda_text);

/// Whether the outcome is the text's own, and not one of the limits, the machine's load or a full
/// disk.
bool is_lasting(const NvccResult& result);

} // namespace slimgrad
