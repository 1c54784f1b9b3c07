#pragma once

namespace slimgrad {

/// What became of `allow_computation_only`.
enum class SyscallFilter {
    installed,
    unavailable, ///< this kernel or processor has none, or a program around us forbids it
};

/// From here on this thread and what it starts may compute, allocate memory, read files and write
/// to what is open; every other system call fails with ENOSYS. Among these are: opening for
/// writing, creating, deleting; sockets; starting processes, threads and programs; tracing, signals
/// to others; changing limits of others. Not to be undone.
///
/// For programs with one thread, before they load code that nobody vouches for. A wall behind those
/// of sandbox.h, not instead of them: unavailable is no error.
SyscallFilter allow_computation_only();

} // namespace slimgrad
