#include "plugin/verify/kernel_run.h"
#include "plugin/verify/cpu_library.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;
using namespace slimgrad::verify;
using namespace std::chrono_literals;

namespace {

/// A library whose entry point `run` is this body; its arguments are those that slangc gives.
std::string library(const std::string& body) {
    static const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    REQUIRE(folder);
    static CpuLibraries libraries("g++", folder->path());
    const auto compiled =
        libraries.compile({"#include <cstddef>\n#include <cstdlib>\n#include <cstring>\n"
                           "struct Globals { float* values; size_t count; };\n"
                           "extern \"C\" void run(void*, void*, Globals* globals) {\n" +
                           body + "\n}\n"},
                          {});
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

    const KernelRun hang = run("static int calls; if (++calls == 2) for (;;) *(volatile int*)&calls;",
                               plan(), {500ms, 4ull << 30, 1});
    CHECK(hang.timed_out);
    CHECK(hang.failure == "took more than 0.5 s");
    CHECK(hang.sample == 1);
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
