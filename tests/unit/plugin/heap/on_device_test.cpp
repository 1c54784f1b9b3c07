// Host helper and device side together. Compiled everywhere; where there is no device, nothing more
// is known, and a message says so.

#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace slimgrad;

namespace {

ProcessResult run(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.arguments = std::move(arguments);
    options.limits.wall_clock = std::chrono::milliseconds{120'000};
    options.limits.memory_bytes = 0; // a driver takes what it likes
    const Result<ProcessResult> result = run_process(options);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

} // namespace

TEST_CASE("on a device: streams, growth, graphs, overflow, and launches that were not prepared") {
    const TemporaryFolder folder;
    for (int layout = 0; layout < 3; ++layout) {
        CAPTURE(layout);
        const std::string source = folder.write(
            "on_device.cu", fmt::format("#define SLIMGRAD_CHECKPOINT_LAYOUT {}\n"
                                        "#define SLIMGRAD_CHECKPOINT_TRIPS {}\n"
                                        "#include \"plugin/clang/runtime/checkpoint_heap.cuh\"\n"
                                        "#include \"tests/unit/plugin/heap/on_device.cu\"\n",
                                        layout, layout == 1 ? 1 : 0));
        const std::string program = folder / "on_device";
        const ProcessResult compiled =
            run({SLIMGRAD_SOURCE_DIR "/.deps/bin/nvcc", "-std=c++17", "-gencode",
                 "arch=compute_75,code=compute_75", "-I", SLIMGRAD_SOURCE_DIR, "-L",
                 SLIMGRAD_SOURCE_DIR "/.deps/cuda/lib", source, "-o", program});
        REQUIRE_MESSAGE(compiled.succeeded(), compiled.err);
        CHECK(compiled.err == "");
        const ProcessResult result = run({program});
        CHECK_MESSAGE(result.succeeded(), describe_end(result, {}));
        if (result.out == "no CUDA device\n")
            MESSAGE("compiled, and not run: no CUDA device");
        else
            CHECK(result.out == "all right\n");
    }
}
