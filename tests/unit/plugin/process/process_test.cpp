#include "plugin/process/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "temporary_folder.h"

using namespace slimgrad;
using namespace std::chrono_literals;

namespace {

ProcessOptions shell(std::string script) {
    ProcessOptions options;
    options.arguments = {"/bin/sh", "-c", std::move(script)};
    options.limits.wall_clock = 20s;
    return options;
}

ProcessResult run(const ProcessOptions& options) {
    Result<ProcessResult> result = run_process(options);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

bool gone(pid_t pid) {
    for (int i = 0; i < 200; ++i) {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        std::string text((std::istreambuf_iterator<char>(stat)), {});
        if (text.empty() || text.find(") Z ") != std::string::npos)
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

} // namespace

TEST_CASE("run_process: output, exit code, directory, environment") {
    ProcessOptions options = shell("echo out; echo err >&2; pwd; echo $SLIMGRAD_TEST; exit 7");
    options.working_directory = "/";
    options.environment = {"SLIMGRAD_TEST=a b=c"};
    ProcessResult result = run(options);
    CHECK(result.end == ProcessEnd::exited);
    CHECK(result.exit_code == 7);
    CHECK(result.out == "out\n/\na b=c\n");
    CHECK(result.err == "err\n");
    CHECK_FALSE(result.succeeded());
    CHECK(describe_end(result, options.limits) == "exit code 7");
}

TEST_CASE("run_process: a program without a slash is looked up on PATH") {
    ProcessOptions options;
    options.arguments = {"true"};
    CHECK(run(options).succeeded());
}

TEST_CASE("run_process: what cannot be started is an error") {
    ProcessOptions options;
    CHECK_FALSE(run_process(options));
    options.arguments = {"/nonexistent/program"};
    auto missing = run_process(options);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message ==
          "cannot start /nonexistent/program: No such file or directory");
    options.arguments = {"/bin/true"};
    options.working_directory = "/nonexistent";
    auto folder = run_process(options);
    REQUIRE_FALSE(folder);
    CHECK(folder.error().message == "cannot enter /nonexistent: No such file or directory");
}

TEST_CASE("run_process: large input and output do not block each other") {
    ProcessOptions options = shell("cat; cat /dev/null >&2");
    options.standard_input.assign(5'000'000, 'x');
    ProcessResult result = run(options);
    CHECK(result.succeeded());
    CHECK(result.out == options.standard_input);
}

TEST_CASE("run_process: input that is not read, and no input") {
    ProcessOptions options = shell("exit 0");
    options.standard_input.assign(5'000'000, 'x');
    CHECK(run(options).succeeded());
    CHECK(run(shell("cat")).out.empty());
}

TEST_CASE("run_process: the wall clock ends the whole group") {
    ProcessOptions options = shell("sleep 100 & echo $!; sleep 100");
    options.limits.wall_clock = 300ms;
    ProcessResult result = run(options);
    CHECK(result.end == ProcessEnd::timed_out);
    CHECK(result.duration < 10s);
    CHECK(gone(std::stoi(result.out)));
    CHECK(describe_end(result, options.limits) == "took more than 0.3 s");
}

TEST_CASE("run_process: what a program leaves running is ended with it") {
    ProcessResult result = run(shell("sleep 100 & echo $!"));
    CHECK(result.succeeded());
    CHECK(result.duration < 10s);
    CHECK(gone(std::stoi(result.out)));
}

TEST_CASE("run_process: no zombie is left") {
    run(shell("exit 0"));
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("run_process: too much output") {
    ProcessOptions options = shell("yes");
    options.limits.output_bytes = 1 << 20;
    ProcessResult result = run(options);
    CHECK(result.end == ProcessEnd::too_much_output);
    CHECK(result.out.size() == 1 << 20);
    CHECK(describe_end(result, options.limits) == "wrote more than 1 MiB of output");
}

TEST_CASE("run_process: what somebody kills now and then is started again") {
    const TemporaryFolder folder;
    const std::string count = folder.write("count", "");
    // `$1` times killed, as it says; then it comes to its end.
    const auto killed = [&](int times, const std::string& how) {
        folder.write("count", "");
        ProcessOptions options =
            shell("read word; echo x >>" + count + "; if [ $(wc -l <" + count + ") -le " +
                  std::to_string(times) + " ]; then echo part; " + how + "; fi; echo whole $word");
        options.standard_input = "input\n"; // each time anew
        return run(options);
    };
    for (const std::string how :
         {"kill -KILL $$", "exit 137",
          "echo \"'cicc' died due to signal 9 (Kill signal)\" >&2; exit 9",
          "echo g++: fatal error: Killed signal terminated program cc1plus >&2; "
          "exit 1",
          "echo collect2: fatal error: ld terminated with signal 9 [Killed] >&2; "
          "exit 1"}) {
        CAPTURE(how);
        const ProcessResult result = killed(3, how);
        CHECK(result.succeeded());
        CHECK(result.out == "whole input\n");
        CHECK(result.err == "");
    }
    const ProcessResult always = killed(6, "kill -KILL $$");
    CHECK(always.end == ProcessEnd::killed);
    CHECK(describe_end(always, {}).starts_with("was killed from outside each time"));
    const std::string runs = folder.read("count");
    CHECK(std::count(runs.begin(), runs.end(), 'x') == 6);
    CHECK(killed(1, "exit 1").exit_code == 1);
    CHECK(killed(1, "kill -SEGV $$").signal == SIGSEGV);
}

TEST_CASE("run_process: crashes are told from want of memory") {
    ProcessOptions options = shell("kill -SEGV $$");
    ProcessResult crash = run(options);
    CHECK(crash.end == ProcessEnd::signalled);
    CHECK(crash.signal == SIGSEGV);
    CHECK(describe_end(crash, options.limits) == "crashed (signal 11, Segmentation fault)");

    // A SIGKILL every time may be the kernel's or anybody's.
    CHECK(run(shell("kill -KILL $$")).end == ProcessEnd::killed);
    CHECK(run(shell("echo virtual memory exhausted >&2; kill -KILL $$")).end ==
          ProcessEnd::out_of_memory);
    CHECK(run(shell("echo std::bad_alloc >&2; kill -ABRT $$")).end == ProcessEnd::out_of_memory);
    CHECK(run(shell("echo std::bad_alloc >&2")).succeeded());
}

TEST_CASE("run_process: a real want of memory") {
    // perl doubles a string until the address space ends: "Out of memory!", exit code 1.
    ProcessOptions options;
    options.arguments = {"perl", "-e", "$s = 'x' x 1000; $s .= $s while 1"};
    options.limits.memory_bytes = 256 << 20;
    ProcessResult result = run(options);
    CHECK(result.end == ProcessEnd::out_of_memory);
    CHECK(describe_end(result, options.limits) == "ran out of memory (limit 256 MiB)");
}

TEST_CASE("run_process: a child inherits no descriptor of ours, and default signals") {
    std::signal(SIGPIPE, SIG_IGN);
    std::ifstream open_file("/dev/zero"); // libstdc++ opens with no close-on-exec
    ProcessResult result =
        run(shell("grep -E 'SigIgn|SigBlk' /proc/self/status; ls /proc/self/fd"));
    std::signal(SIGPIPE, SIG_DFL);
    CHECK(result.out.find("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n") == 0);
    CHECK(result.out.substr(result.out.find("\n0\n")) == "\n0\n1\n2\n3\n"); // 3: ls's own
}

TEST_CASE("run_process: runs of several threads do not disturb each other") {
    std::array<std::string, 8> outputs;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        threads.emplace_back([&, i] {
            ProcessOptions options = shell("cat; echo " + std::to_string(i));
            options.standard_input = std::to_string(i) + " ";
            if (auto result = run_process(options))
                outputs[i] = result->out;
        });
    for (std::thread& thread : threads)
        thread.join();
    for (std::size_t i = 0; i < outputs.size(); ++i)
        CHECK(outputs[i] == std::to_string(i) + " " + std::to_string(i) + "\n");
}

TEST_CASE("run_process: the child dies with us") {
    // A process of our own runs run_process and is killed meanwhile.
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t parent = fork();
    REQUIRE(parent >= 0);
    if (parent == 0) {
        (void)run_process(shell("echo $$ > /proc/" + std::to_string(getpid()) + "/fd/" +
                                std::to_string(ends[1]) + "; exec sleep 100"));
        _exit(0);
    }
    std::array<char, 32> text{};
    REQUIRE(read(ends[0], text.data(), text.size() - 1) > 0);
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    CHECK(gone(std::stoi(text.data())));
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("TemporaryDirectory: is there, and goes with its contents") {
    std::string path;
    {
        auto made = TemporaryDirectory::create();
        REQUIRE(made);
        TemporaryDirectory directory = std::move(*made);
        path = directory.path();
        std::filesystem::create_directories(path + "/a/b");
        std::ofstream(path + "/a/b/c") << "x";
        CHECK(std::filesystem::exists(path + "/a/b/c"));
    }
    CHECK_FALSE(std::filesystem::exists(path));
}
