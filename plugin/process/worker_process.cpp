#include "plugin/process/worker_process.h"
#include "plugin/process/message_frame.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slimgrad {
namespace {

using Clock = std::chrono::steady_clock;

/// The last bytes of a file: where a program says what ended it.
std::string tail(int file) {
    std::array<char, 4096> buffer;
    off_t size = lseek(file, 0, SEEK_END);
    off_t begin = std::max<off_t>(0, size - static_cast<off_t>(buffer.size()));
    ssize_t got = pread(file, buffer.data(), buffer.size(), begin);
    return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
}

} // namespace

Result<WorkerProcess> WorkerProcess::start(std::vector<std::string> arguments,
                                           std::uint64_t memory_bytes) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(fmt::format("cannot open a socket: {}", std::strerror(errno)));
    UniqueFd ours = above_standard(UniqueFd(ends[0]));
    UniqueFd theirs = above_standard(UniqueFd(ends[1]));
    UniqueFd err = above_standard(UniqueFd(memfd_create("stderr", MFD_CLOEXEC)));
    if (!ours || !theirs || !err)
        return fail(fmt::format("cannot open a socket: {}", std::strerror(errno)));
    fcntl(ours.get(), F_SETFL, O_NONBLOCK);

    ChildOptions options;
    options.arguments = std::move(arguments);
    options.standard_input = theirs.get();
    options.standard_error = err.get();
    options.memory_bytes = memory_bytes;
    Result<ChildProcess> child = start_child(options);
    if (!child)
        return tl::unexpected(child.error());
    return WorkerProcess(std::move(*child), std::move(ours), std::move(err));
}

WorkerProcess::WorkerProcess(ChildProcess child, UniqueFd socket, UniqueFd err)
    : child_(std::move(child)), socket_(std::move(socket)), err_(std::move(err)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
    if (this != &other) {
        stop();
        child_ = std::move(other.child_);
        socket_ = std::move(other.socket_);
        err_ = std::move(other.err_);
    }
    return *this;
}

WorkerProcess::~WorkerProcess() {
    stop();
}

void WorkerProcess::stop() {
    bool by_itself = false;
    if (socket_)
        reap(std::chrono::milliseconds(0), by_itself);
}

bool WorkerProcess::alive() const {
    if (!socket_)
        return false;
    pollfd event{child_.exit_event.get(), POLLIN, 0};
    return poll(&event, 1, 0) == 0;
}

WorkerAnswer WorkerProcess::receive(std::chrono::milliseconds limit, std::uint64_t longest) {
    return receive_until(Clock::now() + limit, longest);
}

WorkerAnswer WorkerProcess::exchange(std::string_view message, std::chrono::milliseconds limit,
                                     std::uint64_t longest) {
    const Deadline deadline = Clock::now() + limit;
    const FrameHeader header = frame_header(message.size());
    WorkerAnswer answer;
    if (!send({header.data(), header.size()}, deadline, answer) || !send(message, deadline, answer))
        return ended(answer);
    return receive_until(deadline, longest);
}

WorkerAnswer WorkerProcess::receive_until(Deadline deadline, std::uint64_t longest) {
    WorkerAnswer answer;
    FrameHeader header;
    if (!read(header.data(), header.size(), deadline, answer))
        return ended(answer);
    const std::uint64_t length = frame_length(header);
    if (length > longest) {
        answer.too_long = true;
        return ended(answer);
    }
    std::string message(length, '\0');
    if (!read(message.data(), message.size(), deadline, answer))
        return ended(answer);
    answer.message = std::move(message);
    return answer;
}

bool WorkerProcess::wait_for(short event, Deadline deadline, WorkerAnswer& answer) const {
    pollfd events{socket_.get(), event, 0};
    while (true) {
        auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) {
            answer.timed_out = true;
            return false;
        }
        if (poll(&events, 1, static_cast<int>(std::min<long>(left, 3'600'000))) > 0)
            return true;
    }
}

bool WorkerProcess::send(std::string_view bytes, Deadline deadline, WorkerAnswer& answer) const {
    while (!bytes.empty()) {
        ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        else if (errno == EAGAIN ? !wait_for(POLLOUT, deadline, answer) : errno != EINTR)
            return false;
    }
    return true;
}

bool WorkerProcess::read(char* to, std::size_t size, Deadline deadline,
                         WorkerAnswer& answer) const {
    while (size > 0) {
        ssize_t got = recv(socket_.get(), to, size, 0);
        if (got > 0) {
            to += got;
            size -= static_cast<std::size_t>(got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            return false;
        } else if (errno == EAGAIN && !wait_for(POLLIN, deadline, answer)) {
            return false;
        }
    }
    return true;
}

/// No answer will come: says why. A worker that closed its socket is ending and is left a moment to
/// do so by itself, because how it ends is the reason.
WorkerAnswer& WorkerProcess::ended(WorkerAnswer& answer) {
    const bool wait = !answer.timed_out && !answer.too_long;
    bool by_itself = false;
    const int status = reap(std::chrono::milliseconds(wait ? 2000 : 0), by_itself);
    if (by_itself && WIFEXITED(status))
        answer.exit_code = WEXITSTATUS(status);
    if (by_itself && WIFSIGNALED(status))
        answer.signal = WTERMSIG(status);
    answer.err = tail(err_.get());
    err_.close();
    return answer;
}

int WorkerProcess::reap(std::chrono::milliseconds patience, bool& by_itself) {
    socket_.close();
    pollfd event{child_.exit_event.get(), POLLIN, 0};
    by_itself = poll(&event, 1, static_cast<int>(patience.count())) > 0;
    kill_child(child_);
    const int status = wait_child(child_).status;
    child_ = {};
    return status;
}

} // namespace slimgrad
