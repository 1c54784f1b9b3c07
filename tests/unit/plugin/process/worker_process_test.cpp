#include "plugin/process/message_frame.h"
#include "plugin/process/worker_process.h"

#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <utility>

namespace slimgrad {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t any_length = 1 << 30;

WorkerProcess start(const std::string& script) {
    Result<WorkerProcess> worker = WorkerProcess::start({"/bin/sh", "-c", script}, 0);
    REQUIRE(worker.has_value());
    return std::move(*worker);
}

/// Sends back what it gets: the socket is its standard input.
WorkerProcess start_echo() {
    return start("exec cat >&0");
}

void wait_for_end(const WorkerProcess& worker) {
    for (int i = 0; i < 1000 && worker.alive(); ++i)
        std::this_thread::sleep_for(milliseconds(10));
    CHECK_FALSE(worker.alive());
}

} // namespace

TEST_CASE("messages are answered, one after the other, of any length and content") {
    WorkerProcess worker = start_echo();
    for (const std::string& message :
         {std::string("hello"), std::string(), std::string("\0\n", 2), std::string(100'000, 'x')}) {
        const WorkerAnswer answer = worker.exchange(message, seconds(20), any_length);
        REQUIRE(answer.message.has_value());
        CHECK(*answer.message == message);
    }
    CHECK(worker.alive());
}

TEST_CASE("a worker that does not answer in time is gone") {
    WorkerProcess worker = start("sleep 100 & sleep 100");
    const auto begin = std::chrono::steady_clock::now();
    const WorkerAnswer answer = worker.exchange("x", milliseconds(200), any_length);
    CHECK(std::chrono::steady_clock::now() - begin < seconds(20));
    CHECK(answer.timed_out);
    CHECK_FALSE(answer.message.has_value());
    CHECK_FALSE(worker.alive());
}

TEST_CASE("one that does not even read is given up at the limit too") {
    WorkerProcess worker = start("sleep 100");
    CHECK(worker.exchange(std::string(50'000'000, 'x'), milliseconds(200), any_length).timed_out);
}

TEST_CASE("an answer that is too long ends the worker") {
    WorkerProcess worker = start_echo();
    const WorkerAnswer answer = worker.exchange("12345", seconds(20), 4);
    CHECK(answer.too_long);
    CHECK_FALSE(worker.alive());
}

TEST_CASE("how a worker ended is told") {
    WorkerAnswer answer = start("echo reason >&2; exit 7").exchange("x", seconds(20), any_length);
    CHECK(answer.exit_code == 7);
    CHECK(answer.err == "reason\n");
    answer = start("kill -SEGV $$").receive(seconds(20), any_length);
    CHECK(answer.signal == SIGSEGV);
    CHECK(answer.exit_code == -1);
    CHECK_FALSE(answer.timed_out);
}

TEST_CASE("a worker that ended between two messages is seen") {
    WorkerProcess worker = start("exit 0");
    wait_for_end(worker);
    CHECK_FALSE(worker.exchange("x", seconds(20), any_length).message.has_value());
}

TEST_CASE("workers end with their owner, and do not hold each other's sockets") {
    WorkerProcess first = start("cat > /dev/null; exit 3");
    WorkerProcess second = start_echo();
    WorkerProcess third = std::move(first);
    third = start_echo(); // the first one is killed
    CHECK(third.exchange("x", seconds(20), any_length).message.has_value());
    CHECK(second.exchange("x", seconds(20), any_length).message.has_value());
}

TEST_CASE("a program that is not there") {
    CHECK_FALSE(WorkerProcess::start({"/no/such/program"}, 0).has_value());
}

TEST_CASE("frame headers") {
    CHECK(frame_length(frame_header(0)) == 0);
    CHECK(frame_length(frame_header(0x0123456789abcdef)) == 0x0123456789abcdef);
    CHECK(frame_header(258)[0] == 2);
    CHECK(frame_header(258)[1] == 1);
}

} // namespace slimgrad
