#pragma once

#include "rewriter/result.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad::parse_rate {

/// What the parser made of one file's text as it is on disk, preprocessor lines included.
struct ParsedFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::uint64_t bytes_in_error = 0;
    std::uint32_t errors = 0;         ///< ERROR and MISSING nodes, without those in others
    Place first_error;                ///< where there are any
    std::chrono::nanoseconds time{0}; ///< of the processor, for the parse alone

    bool clean() const { return errors == 0; }
};

ParsedFile parse_file(const std::string& path, const std::string& text);

/// Files together.
struct Rate {
    std::uint64_t files = 0, clean = 0;
    std::uint64_t bytes = 0, bytes_in_error = 0;
    std::chrono::nanoseconds time{0};

    void add(const ParsedFile& file);
};

/// "1200/1234 files clean (97.24 %), 310 of 456,789 bytes in ERROR, 0.05 s, 9.1 MB/s".
std::string to_string(const Rate& rate);

} // namespace slimgrad::parse_rate
