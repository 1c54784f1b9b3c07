#include "plugin/verify/cpu_library.h"
#include "plugin/verify/kernel_run.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;
using namespace slimgrad::verify;
using namespace std::chrono_literals;

namespace {

/// A library whose entry point `run` is this body; its arguments are those that slangc gives.
std::string library(const std::string& body, CpuBuild build = CpuBuild::plain) {
    static const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    REQUIRE(folder);
    static CpuLibraries libraries("g++", folder->path());
    const auto compiled = libraries.compile(
        {"#include <cerrno>\n#include <cstddef>\n#include <cstdlib>\n#include <cstring>\n"
         "#include <fcntl.h>\n#include <signal.h>\n#include <sys/socket.h>\n"
         "#include <unistd.h>\n"
         "static const float loaded = fork() >= 0 ? 1 : 2;\n"
         "struct Globals { float* values; size_t count; };\n"
         "extern \"C\" void run(void*, void*, Globals* globals) {\n" +
         body + "\n}\n"},
        {}, build);
    REQUIRE_MESSAGE(compiled, compiled.error().message);
    REQUIRE_MESSAGE(!compiled->front().path.empty(), compiled->front().rejection.message);
    return compiled->front().path;
}

/// One writable buffer of floats.
InputPlan plan(std::uint64_t elements = 4) {
    InputPlan result;
    BufferPlan buffer;
    buffer.name = "values";
    buffer.elements = elements;
    buffer.stride = 4;
    buffer.writable = true;
    buffer.slots = {{"", 0, ScalarKind::float32, {}}};
    result.buffers = {buffer};
    result.blocks.resize(2);
    result.blocks[0].bytes = 16;
    result.blocks[0].buffers = {{0, 0, HandleForm::pointer_and_count}};
    return result;
}

Result<KernelRun> try_run(const std::string& body, const InputPlan& input,
                          const ProcessLimits& limits = {}, std::uint32_t samples = 2) {
    KernelRunner runner(SLIMGRAD_BUILD_DIR "/slimgrad-run");
    return runner.run({library(body), "run", 0, samples}, input, limits);
}

KernelRun run(const std::string& body, const InputPlan& input = plan(),
              const ProcessLimits& limits = {}, std::uint32_t samples = 2) {
    const Result<KernelRun> result = try_run(body, input, limits, samples);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

} // namespace

TEST_CASE("KernelRunner: what a kernel changed, by sample") {
    const KernelRun result = run("globals->values[2] = 5;");
    CHECK(result.end == KernelRun::End::done);
    CHECK(result.sample == 1);
    REQUIRE(result.changes.size() == 2);
    for (std::uint32_t sample = 0; sample < 2; ++sample) {
        const BufferChanges& changes = result.changes[sample];
        CHECK(changes.sample == sample);
        REQUIRE(changes.changes.size() == 1);
        CHECK(changes.changes[0].index == 2);
        CHECK(value_of_bits(changes.changes[0].after, ScalarKind::float32) == 5);
    }
    CHECK(result.changes[0].changes[0].before != result.changes[1].changes[0].before);
}

TEST_CASE("KernelRunner: 32 samples of a large buffer are not too much output") {
    const KernelRun result =
        run("for (size_t i = 0; i < globals->count; ++i) globals->values[i] += 1;", plan(200'000),
            {}, 32);
    CHECK(result.failure == "");
    REQUIRE(result.changes.size() == 32);
    CHECK(result.changes[31].changes.size() == 200'000);
}

TEST_CASE("KernelRunner: a crash and a hang name their sample") {
    const KernelRun crash = run("static int calls; if (++calls == 2) *(volatile int*)8 = 1;");
    CHECK(crash.end == KernelRun::End::failed);
    CHECK(crash.failure == "crashed (signal 11, Segmentation fault)");
    CHECK(crash.sample == 1);
    CHECK(crash.changes.empty());

    const KernelRun hang =
        run("static int calls; if (++calls == 2) for (;;) *(volatile int*)&calls;", plan(),
            {500ms, 4ull << 30, 1});
    CHECK(hang.timed_out);
    CHECK(hang.failure == "took more than 0.5 s");
    CHECK(hang.sample == 1);
}

TEST_CASE("KernelRunner: a kernel can compute, and nothing else") {
    // Each writes 1 if it could, 2 if not.
    const std::string_view attempts[] = {
        "open(\"/dev/null\", O_RDWR) >= 0",
        "open(\"/tmp/slimgrad-kernel-test\", O_CREAT | O_WRONLY, 0600) >= 0",
        "socket(AF_INET, SOCK_STREAM, 0) >= 0",
        "fork() >= 0",
        "kill(getppid(), 0) == 0",
        "execl(\"/bin/true\", \"true\", (char*)nullptr) == 0 || errno != ENOSYS",
    };
    for (const std::string_view attempt : attempts) {
        CAPTURE(attempt);
        const KernelRun result =
            run("globals->values[0] = (" + std::string(attempt) + ") ? 1 : 2;");
        REQUIRE(result.end == KernelRun::End::done);
        REQUIRE(result.changes.size() == 2);
        REQUIRE(result.changes[0].changes.size() == 1);
        CHECK(value_of_bits(result.changes[0].changes[0].after, ScalarKind::float32) == 2);
    }
}

TEST_CASE("KernelRunner: a kernel may have 200 MiB of locals") {
    const KernelRun result =
        run("volatile char locals[200 << 20]; for (size_t i = 0; i < sizeof locals; i += 4096) "
            "locals[i] = 1; globals->values[0] = locals[4096];");
    CHECK(result.failure == "");
    CHECK(result.end == KernelRun::End::done);
}

TEST_CASE("KernelRunner: memory") {
    const KernelRun result = run("char* all = nullptr; for (;;) { all = (char*)malloc(64 << 20); "
                                 "if (!all) abort(); memset(all, 1, 64 << 20); }",
                                 plan(), {10s, 1ull << 30});
    CHECK(result.end == KernelRun::End::failed);
    CHECK(result.failure == "ran out of memory (limit 1 GiB)");
}

TEST_CASE("KernelRunner: what a library does when it is loaded is in the sandbox, too") {
    const KernelRun result = run("static int calls; globals->values[0] = loaded; (void)calls;");
    REQUIRE(result.changes.size() == 2);
    CHECK(value_of_bits(result.changes[0].changes[0].after, ScalarKind::float32) == 2);
}

TEST_CASE("KernelRunner: what the runner cannot use is an error") {
    KernelRunner runner(SLIMGRAD_BUILD_DIR "/slimgrad-run");
    const auto missing = runner.run({"/nonexistent.so", "run", 0, 1}, plan(), {});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("/nonexistent.so") != std::string::npos);
    const auto entry = runner.run({library(""), "none", 0, 1}, plan(), {});
    REQUIRE_FALSE(entry);
    CHECK(entry.error().message == "slimgrad-run: the kernel has no entry point 'none'");
}

namespace {

KernelRun run_sanitized(const std::string& body, const ProcessLimits& limits = {}) {
    KernelRunner runner(SLIMGRAD_BUILD_DIR "/slimgrad-run");
    const Result<KernelRun> result = runner.run(
        {library(body, CpuBuild::sanitized), "run", 0, 2, CpuBuild::sanitized}, plan(), limits);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

} // namespace

TEST_CASE("KernelRunner: sanitizers name the line") {
    const KernelRun clean = run_sanitized("globals->values[3] = 1;");
    CHECK(clean.failure == "");
    CHECK(clean.changes.size() == 2);

    const KernelRun heap = run_sanitized("\n#line 7 \"k.slang\"\nglobals->values[4] = 1;");
    CHECK(heap.end == KernelRun::End::failed);
    CHECK(heap.failure == "was stopped by AddressSanitizer: heap-buffer-overflow, WRITE of size 4");
    CHECK(to_string(heap.place) == "k.slang:7");
    CHECK(heap.sample == 0);

    const KernelRun index =
        run_sanitized("volatile int i = 5; float a[4] = {};\n#line 8 \"k.slang\"\n"
                      "globals->values[0] = a[i];");
    CHECK(index.failure == "was stopped by UndefinedBehaviorSanitizer: index 5 out of bounds for "
                           "type 'float [4]'");
    CHECK(to_string(index.place) == "k.slang:8");

    // A function of the prelude, without a #line: its caller is the shader's.
    const KernelRun inlined =
        run_sanitized("struct A { float a[4]; float& at(int i) { return a[i]; } } a{};"
                      "volatile int i = 5;\n#line 9 \"k.slang\"\na.at(i) = 1;\n"
                      "globals->values[0] = a.at(i - 3);");
    CHECK(to_string(inlined.place) == "k.slang:9");
}

TEST_CASE("KernelRunner: what shaders may do is no report") {
    const KernelRun result =
        run_sanitized("volatile int a = 2147483647, b = -1; a = a + 1; b = b << 3;"
                      "globals->values[0] = a + b;");
    CHECK(result.failure == "");
}

TEST_CASE("KernelRunner: resident memory limits a sanitized kernel") {
    const KernelRun result =
        run_sanitized("for (;;) { char* all = (char*)malloc(64 << 20); memset(all, 1, 64 << 20); }",
                      {10s, 1ull << 30});
    CHECK(result.failure == "ran out of memory (limit 1 GiB)");
}
