#pragma once

#include <cstdint>
#include <sys/types.h>

namespace slimgrad {

/// Resident memory of a process and its descendants, now; what they share counts for each. Not
/// counted: descendants whose parent has ended, and processes that came or went meanwhile.
std::uint64_t resident_bytes(pid_t pid);

} // namespace slimgrad
