#pragma once

#include <string_view>
#include <vector>

namespace slimgrad {

struct EmbeddedFile {
    std::string_view name; ///< without a folder
    std::string_view text;
};

/// The files of cuda_headers/ and runtime/.
extern const std::vector<EmbeddedFile> embedded_files;

} // namespace slimgrad
