#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace slimgrad {

/// Replaces the file at `path` by `text`, whole or not at all: a temporary in the same directory,
/// fsync, same mode and (where permitted) owner, rename. A symbolic link stays a link; the file it
/// names is replaced. Equal text: the file is not opened for writing. Other hard links to the file
/// keep the old bytes. Error, with the file as it was: the bytes on disk are no longer `expected`
/// (asked again right before the rename), the directory or file is not writable (for root, too, a
/// file without its owner's write permission is not), a full disk.
Result<void> replace_file(const std::string& path, std::string_view expected,
                          std::string_view text);

/// Writes `text` to `path` whole or not at all, whatever was there before; for files that slimgrad
/// owns. Creates the folders above it. A file that has these bytes already keeps its time stamp.
Result<void> write_file(const std::string& path, std::string_view text);

/// The bytes of a regular file. Error: missing, a directory, not readable, larger than `limit`
/// bytes.
Result<std::string> read_file(const std::string& path, std::uint64_t limit = 64u << 20);

} // namespace slimgrad
