#include "plugin/process/process.h"
#include "plugin/process/sandbox.h"
#include "plugin/process/unique_fd.h"

#include <cerrno>
#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace slimgrad;
using namespace std::chrono_literals;

namespace {

ProcessOptions sandboxed(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.arguments = std::move(arguments);
    options.limits.wall_clock = 20s;
    options.sandboxed = true;
    return options;
}
ProcessOptions shell(std::string script) {
    return sandboxed({"/bin/sh", "-c", std::move(script)});
}
ProcessOptions perl(std::string script) {
    return sandboxed({"/usr/bin/perl", "-e", std::move(script)});
}

ProcessResult run(const ProcessOptions& options) {
    Result<ProcessResult> result = run_process(options);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

bool gone(pid_t pid) {
    for (int i = 0; i < 200; ++i) {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        const std::string text((std::istreambuf_iterator<char>(stat)), {});
        if (text.empty() || text.find(") Z ") != std::string::npos)
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

/// What `check` says ("" if nothing is wrong) in a process of an ordinary user: of ours, or of
/// "nobody" if we are root.
std::string as_user(const std::function<std::string()>& check) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        std::string wrong;
        if (geteuid() == 0 && (setgid(sandbox_group) != 0 || setuid(sandbox_user) != 0))
            wrong = "cannot become an ordinary user";
        prctl(PR_SET_DUMPABLE, 1); // as of one who logged in
        if (wrong.empty())
            wrong = check();
        [[maybe_unused]] const ssize_t written = write(ends[1], wrong.data(), wrong.size());
        _exit(0);
    }
    close(ends[1]);
    std::string wrong;
    char buffer[4096];
    for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
        wrong.append(buffer, static_cast<std::size_t>(got));
    close(ends[0]);
    waitpid(pid, nullptr, 0);
    return wrong;
}

/// "" if the run ended that way and its words are these.
std::string ends(const ProcessOptions& options, ProcessEnd end, const std::string& words) {
    const Result<ProcessResult> result = run_process(options);
    if (!result)
        return result.error().message;
    const std::string seen = describe_end(*result, options.limits);
    return result->end == end && seen == words ? "" : seen + "\n" + result->err;
}

std::string prints(const ProcessOptions& options, const std::string& out) {
    const Result<ProcessResult> result = run_process(options);
    if (!result)
        return result.error().message;
    return result->out == out ? "" : result->out + result->err;
}

/// Everything a limit has to hold for: the caller as it is (root, where the tests run so) and an
/// ordinary user.
void check_both(const std::function<std::string()>& check) {
    {
        INFO("as user ", geteuid());
        CHECK(check() == "");
    }
    INFO("as an ordinary user");
    CHECK(as_user(check) == "");
}

const bool is_root = geteuid() == 0;

} // namespace

TEST_CASE("sandbox: processor time") {
    check_both([] {
        ProcessOptions options = shell("while :; do :; done");
        options.limits.cpu_seconds = 1;
        return ends(options, ProcessEnd::out_of_cpu_time, "used more than 1 s of processor time");
    });
}

TEST_CASE("sandbox: wall clock") {
    check_both([] {
        ProcessOptions options = perl("sleep 100");
        options.limits.wall_clock = 300ms;
        return ends(options, ProcessEnd::timed_out, "took more than 0.3 s");
    });
}

TEST_CASE("sandbox: file size") {
    char folder[] = "/tmp/slimgrad-test-XXXXXX";
    REQUIRE(mkdtemp(folder) != nullptr);
    REQUIRE(chmod(folder, 0777) == 0);
    const std::string file = std::string(folder) + "/file";
    check_both([&] {
        ProcessOptions options = shell("echo x > " + file);
        options.limits.file_bytes = 0;
        const std::string none = ends(options, ProcessEnd::file_too_long, "wrote to a file");
        unlink(file.c_str());
        options = shell("while :; do echo xxxxxxxxxxxxxxx; done > " + file);
        options.limits.file_bytes = 1 << 20;
        const std::string some =
            ends(options, ProcessEnd::file_too_long, "wrote a file of more than 1 MiB");
        unlink(file.c_str());
        return none + some;
    });
    rmdir(folder);
}

TEST_CASE("sandbox: no process and no thread, however many others the user has") {
    check_both([] {
        return prints(perl("print defined(fork()) ? 'forked' : \"refused: $!\""),
                      "refused: Resource temporarily unavailable");
    });
    // Two at a time of the same user do not take anything from each other.
    std::string outputs[2];
    std::thread threads[2];
    for (int i = 0; i < 2; ++i)
        threads[i] = std::thread([&, i] {
            outputs[i] = prints(perl("select undef, undef, undef, 0.3; print 'x'"), "x");
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(outputs[0] == "");
    CHECK(outputs[1] == "");
}

TEST_CASE("sandbox: address space") {
    check_both([] {
        ProcessOptions options = perl("$s = 'x' x 1000; $s .= $s while 1");
        options.limits.memory_bytes = 256 << 20;
        return ends(options, ProcessEnd::out_of_memory, "ran out of memory (limit 256 MiB)");
    });
}

TEST_CASE("sandbox: resident memory, where the address space has no limit") {
    check_both([] {
        ProcessOptions options = perl("$s = 'x' x 1000; while (1) { $s .= $s if length $s < 1e9; "
                                      "sleep 1 if length $s > 5e8 }");
        options.limits.memory_bytes = 0;
        options.limits.resident_bytes = 128 << 20;
        return ends(options, ProcessEnd::out_of_memory, "ran out of memory (limit 128 MiB)");
    });
}

TEST_CASE("run_process: resident memory of children counts") {
    ProcessOptions options;
    options.arguments = {"/bin/sh", "-c", "perl -e '$s = q(x) x 3e8; sleep 100'; true"};
    options.limits = {20s, 0, 1 << 20, 128 << 20};
    CHECK(ends(options, ProcessEnd::out_of_memory, "ran out of memory (limit 128 MiB)") == "");
}

TEST_CASE("sandbox: output") {
    check_both([] {
        ProcessOptions options = perl("print 'x' x 1000 while 1");
        options.limits.output_bytes = 1 << 20;
        return ends(options, ProcessEnd::too_much_output, "wrote more than 1 MiB of output");
    });
}

TEST_CASE("sandbox: stack") {
    check_both([] {
        ProcessOptions options = shell("ulimit -s");
        options.limits.stack_bytes = 4 << 20;
        return prints(options, "4096\n");
    });
}

TEST_CASE("sandbox: no descriptor is inherited but the three") {
    std::ifstream open_file("/dev/zero"); // libstdc++ opens with no close-on-exec
    check_both([] {
        return prints(
            perl("opendir D, '/proc/self/fd'; print join ' ', sort grep /\\d/, readdir D"),
            "0 1 2 3"); // 3: the opened directory
    });
}

TEST_CASE("sandbox: standard input cannot be written to") {
    check_both([] {
        ProcessOptions options =
            perl("open F, '+<&=0' or die; print syswrite(F, 'x') ? 'wrote' : 'no'");
        options.standard_input = "text";
        return prints(options, "no");
    });
}

TEST_CASE("sandbox: the environment is empty but for what is given") {
    REQUIRE(setenv("SLIMGRAD_TEST", "secret", 1) == 0);
    check_both([] {
        ProcessOptions options = perl("print join ' ', map \"$_=$ENV{$_}\", sort keys %ENV");
        const std::string none = prints(options, "");
        options.environment = {"A=b"};
        return none + prints(options, "A=b");
    });
    unsetenv("SLIMGRAD_TEST");
}

TEST_CASE("sandbox: no new privileges") {
    check_both([] {
        return prints(
            shell("while read -r name value; do [ $name = NoNewPrivs: ] && echo $value; done "
                  "< /proc/self/status"),
            "1\n");
    });
}

TEST_CASE("sandbox: the group is ended, also where it ended by itself") {
    // In the sandbox there is nothing to leave behind; what runs without leaves something.
    ProcessOptions options;
    options.arguments = {"/bin/sh", "-c", "sleep 100 & echo $!"};
    const ProcessResult result = run(options);
    CHECK(result.succeeded());
    CHECK(gone(std::stoi(result.out)));
    check_both([] {
        ProcessOptions stubborn =
            perl("$SIG{$_} = 'IGNORE' for keys %SIG; $| = 1; print $$; sleep 100");
        stubborn.limits.wall_clock = 500ms;
        const Result<ProcessResult> ended = run_process(stubborn);
        if (!ended)
            return ended.error().message;
        return ended->end == ProcessEnd::timed_out && gone(std::stoi(ended->out))
                   ? std::string()
                   : describe_end(*ended, stubborn.limits);
    });
}

TEST_CASE("sandbox: dies with us") {
    check_both([] {
        int ends[2];
        if (pipe(ends) != 0)
            return std::string("pipe");
        const pid_t parent = fork();
        if (parent == 0) {
            ProcessOptions options = perl("sleep 100");
            (void)run_process(options);
            _exit(0);
        }
        std::this_thread::sleep_for(300ms);
        pid_t child = 0;
        std::ifstream("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                      "/children") >>
            child;
        kill(parent, SIGKILL);
        waitpid(parent, nullptr, 0);
        close(ends[0]);
        close(ends[1]);
        return child > 0 && gone(child) ? std::string() : "child " + std::to_string(child);
    });
}

TEST_CASE("sandbox: what cannot be started is an error") {
    const Result<ProcessResult> result = run_process(sandboxed({"/nonexistent/program"}));
    REQUIRE_FALSE(result);
    CHECK(result.error().message == "cannot start /nonexistent/program: No such file or directory");
}

TEST_CASE("sandbox: root becomes nobody, without groups" * doctest::skip(!is_root)) {
    CHECK(prints(perl("print \"$< $> $( $)\""), "65534 65534 65534 65534") == "");
    CHECK(prints(shell("while read -r name value; do [ $name = CapEff: ] && echo $value; done "
                       "< /proc/self/status"),
                 "0000000000000000\n") == "");
    CHECK(prints(perl("print open(F, '<', '/etc/shadow') ? 'read' : 'refused'"), "refused") == "");
}

TEST_CASE("sandbox: root's program and what it is given may stand in a closed folder" *
          doctest::skip(!is_root)) {
    const auto folder = TemporaryDirectory::create();
    REQUIRE(folder);
    const std::string copy = folder->path() + "/perl", text = folder->path() + "/text";
    std::ofstream(copy, std::ios::binary)
        << std::ifstream("/usr/bin/perl", std::ios::binary).rdbuf();
    std::ofstream(text) << "x";
    REQUIRE(chmod(copy.c_str(), 0755) == 0);
    REQUIRE(chmod(text.c_str(), 0600) == 0);
    const UniqueFd given(open(text.c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(given);
    const auto reads = [&](const std::string& path) {
        ProcessOptions options = perl("print open(F, '<', '" + path + "') ? 'read' : 'refused'");
        options.arguments[0] = copy;
        options.inherited = {given.get()};
        return options;
    };
    const std::string descriptor = "/proc/self/fd/" + std::to_string(given.get());
    CHECK(prints(reads(descriptor), "refused") == "");
    REQUIRE(let_sandbox_read(text));
    CHECK(prints(reads(descriptor), "read") == "");
    ProcessOptions options = perl("");
    options = perl("opendir(D, '" + folder->path() + "') ? print 'listed' : print 'refused'");
    CHECK(prints(options, "refused") == "");
}

TEST_CASE("sandbox: the cases for root") {
    WARN_MESSAGE(is_root, "skipped: these tests were not started by root");
}
