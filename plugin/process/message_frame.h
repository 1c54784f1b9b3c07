#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// A message on a socket is its length, eight bytes with the lowest first, and then its bytes.
using FrameHeader = std::array<char, 8>;

FrameHeader frame_header(std::uint64_t length);
std::uint64_t frame_length(const FrameHeader& header);

/// The worker's side, blocking. Nothing: the other side has gone.
std::optional<std::string> read_frame(int socket);
/// False: the other side has gone. Raises no SIGPIPE.
bool write_frame(int socket, std::string_view message);

} // namespace slimgrad
