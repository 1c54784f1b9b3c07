#pragma once

#include "plugin/process/temporary_directory.h"
#include "rewriter/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// Limits of one child process and everything it starts.
struct ProcessLimits {
    std::chrono::milliseconds wall_clock{30'000};
    std::uint64_t memory_bytes = 4ull << 30;  ///< address space (RLIMIT_AS); 0: no limit
    std::uint64_t output_bytes = 64ull << 20; ///< of stdout and of stderr each; more ends the child
    /// Resident memory of all of them together, for programs with an address space of terabytes; 0:
    /// no limit. Looked at a hundred times a second: more of it for a moment, or in a process whose
    /// parent has ended, is not promised to be seen.
    std::uint64_t resident_bytes = 0;
    std::uint64_t cpu_seconds = 0; ///< of each process; 0: all processors for the wall clock's time
    std::optional<std::uint64_t> file_bytes = std::nullopt; ///< how long a file may become
    std::uint64_t stack_bytes = 0; ///< of a program's first thread; 0: the caller's limit
};

/// How a child process ended.
enum class ProcessEnd {
    exited,
    signalled,
    killed, ///< by a SIGKILL of somebody else, each time it was started (restarts.h)
    timed_out,
    out_of_memory,
    too_much_output,
    out_of_cpu_time,
    file_too_long,
};

struct ProcessResult {
    ProcessEnd end = ProcessEnd::exited;
    int exit_code = 0; ///< where end is exited
    int signal = 0;    ///< where end is signalled
    std::string out;
    std::string err;
    std::chrono::milliseconds duration{0};

    bool succeeded() const { return end == ProcessEnd::exited && exit_code == 0; }
};

struct ProcessOptions {
    std::vector<std::string> arguments; ///< argv, the program's path first; never a shell
    std::string working_directory;      ///< "" for the caller's
    std::string standard_input;
    std::vector<int> inherited; ///< descriptors that it gets under the same number; no others
    std::vector<std::string> environment; ///< "NAME=value" added to or replacing the caller's; all
                                          ///< there is where sandboxed
    ProcessLimits limits;
    /// For a program that may do anything: it gets an empty environment, no rights of root and no
    /// process or thread beside its own (sandbox.h).
    bool sandboxed = false;
};

/// Runs a program to its end in a process group of its own, again where somebody else killed it
/// (restarts.h); a limit kills the whole group. Error: it cannot be started; else see the result.
Result<ProcessResult> run_process(const ProcessOptions& options);

/// Words for a person: "crashed (signal 11, Segmentation fault)", "took more than 30 s", "exit code
/// 1".
std::string describe_end(const ProcessResult& result, const ProcessLimits& limits);

} // namespace slimgrad
