#include "plugin/process/process.h"
#include "plugin/process/child_process.h"
#include "plugin/process/resident_memory.h"
#include "plugin/process/restarts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace slimgrad {
namespace {

using Clock = std::chrono::steady_clock;

/// The text as an open file: the child reads at its own pace, and nobody has to feed it or can
/// block on it.
Result<UniqueFd> as_file(std::string_view text) {
    UniqueFd file =
        above_standard(UniqueFd(memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
    while (file && !text.empty()) {
        ssize_t written = write(file.get(), text.data(), text.size());
        if (written < 0 && errno != EINTR)
            file.close();
        else if (written > 0)
            text.remove_prefix(static_cast<std::size_t>(written));
    }
    // Not even memory for the child to write to.
    constexpr int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    if (!file || lseek(file.get(), 0, SEEK_SET) != 0 || fcntl(file.get(), F_ADD_SEALS, seals) != 0)
        return fail(fmt::format("cannot pass standard input: {}", std::strerror(errno)));
    return file;
}

/// Appends what can be read now. False: end of the stream (or an error, which ends it too).
bool drain(int fd, std::string& text, std::uint64_t limit) {
    std::array<char, 65536> buffer;
    while (text.size() <= limit) {
        ssize_t got = read(fd, buffer.data(), buffer.size());
        if (got > 0)
            text.append(buffer.data(), static_cast<std::size_t>(got));
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return false;
        else if (errno == EAGAIN)
            return true;
    }
    return true;
}

/// Reads both streams until the child ends or a limit is reached, which kills it.
/// Returns the limit that was reached, if any.
std::optional<ProcessEnd> follow(const ChildProcess& child, int out, int err,
                                 Clock::time_point deadline, const ProcessLimits& limits,
                                 ProcessResult& result) {
    for (int fd : {out, err})
        fcntl(fd, F_SETFL, O_NONBLOCK);
    std::array<pollfd, 3> events = {pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0},
                                    pollfd{child.exit_event.get(), POLLIN, 0}};
    const std::array<std::string*, 2> texts = {&result.out, &result.err};
    while (true) {
        auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0)
            return ProcessEnd::timed_out;
        const long longest_wait = limits.resident_bytes != 0 ? 10 : 3'600'000;
        int ready =
            poll(events.data(), events.size(), static_cast<int>(std::min(left, longest_wait)));
        if (limits.resident_bytes != 0 && resident_bytes(child.pid) > limits.resident_bytes)
            return ProcessEnd::out_of_memory;
        if (ready <= 0)
            continue;
        // The end first: what it wrote before it is in the pipes by now, and is read below.
        const bool ended = events[2].revents != 0;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (events[i].fd >= 0 && (ended || events[i].revents != 0) &&
                !drain(events[i].fd, *texts[i], limits.output_bytes))
                events[i].fd = -1; // poll passes over it
            if (texts[i]->size() > limits.output_bytes)
                return ProcessEnd::too_much_output;
        }
        if (ended)
            return std::nullopt;
    }
}

/// Whether an abnormal end was for want of memory. Compilers say so before they give up; one that
/// crashes on a null pointer does not, but has come close to its limit by then.
bool ran_out_of_memory(const ProcessResult& result, std::uint64_t peak_rss_bytes,
                       std::uint64_t memory_bytes) {
    if (result.succeeded())
        return false;
    if (memory_bytes != 0 && peak_rss_bytes > memory_bytes / 10 * 8)
        return true;
    constexpr std::string_view signs[] = {
        "bad_alloc",     "Cannot allocate memory", "virtual memory exhausted",
        "out of memory", "Out of memory",          "memory exhausted"};
    return std::any_of(std::begin(signs), std::end(signs), [&](std::string_view sign) {
        return result.err.find(sign) != std::string::npos;
    });
}

std::string describe_bytes(std::uint64_t bytes) {
    if (bytes >= 1ull << 30)
        return fmt::format("{:.3g} GiB", static_cast<double>(bytes) / (1ull << 30));
    if (bytes >= 1ull << 20)
        return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1ull << 20));
    return fmt::format("{} bytes", bytes);
}

std::uint64_t cpu_seconds(const ProcessLimits& limits) {
    if (limits.cpu_seconds != 0)
        return limits.cpu_seconds;
    // Should we be killed, our child dies with us but its own children do not: this ends them. No
    // process can use more than all cores until the wall clock's limit, so it never strikes first.
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(limits.wall_clock).count() + 1;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 1)) *
           std::max(1u, std::thread::hardware_concurrency());
}

/// `peak_rss_bytes`: of the program and those it waited for.
Result<ProcessResult> run_once(const ProcessOptions& options, std::uint64_t& peak_rss_bytes) {
    const ProcessLimits& limits = options.limits;
    ChildOptions child_options;
    child_options.arguments = options.arguments;
    child_options.working_directory = options.working_directory;
    child_options.environment = options.environment;
    child_options.inherited = options.inherited;
    child_options.memory_bytes = limits.memory_bytes;
    child_options.cpu_seconds = cpu_seconds(limits);
    child_options.stack_bytes = limits.stack_bytes;
    child_options.file_bytes = limits.file_bytes;
    child_options.sandboxed = options.sandboxed;

    UniqueFd input;
    if (!options.standard_input.empty()) {
        Result<UniqueFd> file = as_file(options.standard_input);
        if (!file)
            return tl::unexpected(file.error());
        input = std::move(*file);
    }
    Result<Pipe> out = open_pipe(), err = open_pipe();
    if (!out || !err)
        return tl::unexpected(!out ? out.error() : err.error());
    child_options.standard_input = input.get();
    child_options.standard_output = out->write_end.get();
    child_options.standard_error = err->write_end.get();

    const Clock::time_point start = Clock::now();
    Result<ChildProcess> child = start_child(child_options);
    if (!child)
        return tl::unexpected(child.error());
    out->write_end.close();
    err->write_end.close();

    ProcessResult result;
    std::optional<ProcessEnd> limit = follow(*child, out->read_end.get(), err->read_end.get(),
                                             start + limits.wall_clock, limits, result);
    kill_child(*child); // at its end too: what it left running would hold files and processor
    const ChildEnd end = wait_child(*child);
    peak_rss_bytes = end.peak_rss_bytes;
    result.duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);

    if (limit) {
        result.end = *limit;
        result.out.resize(std::min<std::size_t>(result.out.size(), limits.output_bytes));
        result.err.resize(std::min<std::size_t>(result.err.size(), limits.output_bytes));
        return result;
    }
    if (WIFSIGNALED(end.status)) {
        result.end = ProcessEnd::signalled;
        result.signal = WTERMSIG(end.status);
    } else {
        result.exit_code = WEXITSTATUS(end.status);
    }
    if (result.end == ProcessEnd::signalled && result.signal == SIGXCPU)
        result.end = ProcessEnd::out_of_cpu_time;
    else if (result.end == ProcessEnd::signalled && result.signal == SIGXFSZ)
        result.end = ProcessEnd::file_too_long;
    return result;
}

} // namespace

Result<ProcessResult> run_process(const ProcessOptions& options) {
    Restarts restarts(options.limits.wall_clock);
    std::uint64_t peak_rss_bytes = 0;
    Result<ProcessResult> result = run_once(options, peak_rss_bytes);
    while (result && was_killed(*result) && restarts.again())
        result = run_once(options, peak_rss_bytes);
    const bool by_itself =
        result && (result->end == ProcessEnd::exited || result->end == ProcessEnd::signalled);
    if (by_itself && ran_out_of_memory(*result, peak_rss_bytes, options.limits.memory_bytes))
        result->end = ProcessEnd::out_of_memory;
    else if (result && was_killed(*result))
        result->end = ProcessEnd::killed;
    return result;
}

std::string describe_end(const ProcessResult& result, const ProcessLimits& limits) {
    switch (result.end) {
    case ProcessEnd::exited:
        return fmt::format("exit code {}", result.exit_code);
    case ProcessEnd::signalled: {
        const char* name = sigdescr_np(result.signal);
        return fmt::format("crashed (signal {}{}{})", result.signal, name ? ", " : "",
                           name ? name : "");
    }
    case ProcessEnd::killed:
        return "was killed from outside each time it was started (signal 9): is memory short?";
    case ProcessEnd::timed_out:
        return fmt::format("took more than {:g} s",
                           static_cast<double>(limits.wall_clock.count()) / 1000);
    case ProcessEnd::out_of_memory:
        if (const std::uint64_t limit =
                limits.resident_bytes != 0 ? limits.resident_bytes : limits.memory_bytes)
            return fmt::format("ran out of memory (limit {})", describe_bytes(limit));
        return "ran out of memory";
    case ProcessEnd::too_much_output:
        return fmt::format("wrote more than {} of output", describe_bytes(limits.output_bytes));
    case ProcessEnd::out_of_cpu_time:
        return fmt::format("used more than {} s of processor time", cpu_seconds(limits));
    case ProcessEnd::file_too_long:
        return limits.file_bytes == 0u ? "wrote to a file"
                                       : fmt::format("wrote a file of more than {}",
                                                     describe_bytes(limits.file_bytes.value_or(0)));
    }
    return "ended in an unknown way";
}

} // namespace slimgrad
