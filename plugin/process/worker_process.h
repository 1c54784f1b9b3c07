#pragma once

#include "plugin/process/child_process.h"
#include "rewriter/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What came of waiting for a worker's message. Without a message the worker is gone: killed and
/// reaped.
struct WorkerAnswer {
    std::optional<std::string> message;
    bool timed_out = false;
    bool too_long = false; ///< the message is longer than asked for
    int exit_code = -1;    ///< where it exited by itself
    int signal = 0;        ///< where a signal that we did not send ended it
    std::string err;       ///< the end of its standard error
};

/// A child that answers messages, one at a time, for as long as it lives: standard input is a
/// socket on which both sides write frames (message_frame.h), standard output goes nowhere,
/// standard error is kept for the case that it dies. Killed with its process group when this goes,
/// and by the system when the thread that started it ends.
class WorkerProcess {
  public:
    /// Error: the program cannot be started. `memory_bytes` is its address space, 0 for no limit.
    static Result<WorkerProcess> start(std::vector<std::string> arguments,
                                       std::uint64_t memory_bytes);

    WorkerProcess(WorkerProcess&&) noexcept = default;
    WorkerProcess& operator=(WorkerProcess&&) noexcept;
    ~WorkerProcess();

    /// Whether it can be sent a message; false once it has ended, be it between two messages.
    bool alive() const;

    /// Waits for a message that it sends by itself.
    WorkerAnswer receive(std::chrono::milliseconds limit, std::uint64_t longest);

    /// Sends a message and waits for the answer, both within the limit. The worker has to read the
    /// whole message before it answers.
    WorkerAnswer exchange(std::string_view message, std::chrono::milliseconds limit,
                          std::uint64_t longest);

  private:
    using Deadline = std::chrono::steady_clock::time_point;

    WorkerProcess(ChildProcess child, UniqueFd socket, UniqueFd err);
    bool wait_for(short event, Deadline deadline, WorkerAnswer& answer) const;
    bool send(std::string_view bytes, Deadline deadline, WorkerAnswer& answer) const;
    bool read(char* to, std::size_t size, Deadline deadline, WorkerAnswer& answer) const;
    WorkerAnswer receive_until(Deadline deadline, std::uint64_t longest);
    WorkerAnswer& ended(WorkerAnswer& answer);
    void stop();
    int reap(std::chrono::milliseconds patience, bool& by_itself);

    ChildProcess child_;
    UniqueFd socket_;
    UniqueFd err_; ///< a file in memory
};

} // namespace slimgrad
