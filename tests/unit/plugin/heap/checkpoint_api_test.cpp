// The host helper compiled against CUDA's own headers, as programs use it. Of CUDA only its runtime
// is here, not a driver or a device: what that says without them has to come out.

#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

const std::string cuda = SLIMGRAD_SOURCE_DIR "/.deps/cuda";

/// Uses every function of the heap.
std::string program(const std::string& module) {
    return R"(
#include <cstdio>
template class slimgrad::CheckpointHeap<>;
int main() {
    using Heap = slimgrad::CheckpointHeap<>;
    slimgrad::CheckpointSettings settings;
    settings.budget = 1 << 20;
    Heap heap(settings);
    Heap::Stream stream{};
)" + module +
           R"(
    const slimgrad::CheckpointSize grid{16}, block{128};
    const slimgrad::CheckpointStatus ready = heap.prepare(stream, module, "bwd", grid, block, 100);
    if (ready)
        heap.launched(stream);
    heap.launch(stream, module, "bwd", grid, block, slimgrad::unknown_trips, [] {});
    if (heap.before_graph(stream))
        heap.launched(stream);
    heap.check(stream);
    heap.forget(module);
    std::printf("%s\n", ready.error.c_str());
    return heap.ensure_checkpoint_heap(heap.capacity()) ? 0 : 1;
}
)";
}

ProcessResult run(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.arguments = std::move(arguments);
    options.limits.wall_clock = std::chrono::milliseconds{120'000};
    options.limits.memory_bytes = 0; // a driver, where there is one, takes what it likes
    const Result<ProcessResult> result = run_process(options);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

ProcessResult compile(const std::string& source, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"g++",        "-std=c++17",     "-Wall",   "-Wextra",
                                          "-Wpedantic", "-Wshadow",       "-Werror", source,
                                          "-isystem",   cuda + "/include"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
}

const std::string driver_module = "    CUmodule module{};\n";
const std::string runtime_module = R"(
    static const unsigned long long slimgrad_checkpoint_heap[5] = {}; // as the host sees a device's variable
    const slimgrad::CheckpointSymbols symbols = {SLIMGRAD_CHECKPOINT_SYMBOL(slimgrad_checkpoint_heap)};
    const Heap::Module module = &symbols;
)";

} // namespace

TEST_CASE(
    "the helper compiles against the driver's API and the runtime's, in parts and as one header") {
    const TemporaryFolder folder;
    for (const char* header : {SLIMGRAD_SOURCE_DIR "/plugin/heap/slimgrad_checkpoint_heap.h",
                               SLIMGRAD_BUILD_DIR "/slimgrad_checkpoint_heap.h"}) {
        CAPTURE(header);
        const std::string include = "#include \"" + std::string(header) + "\"\n";
        const ProcessResult driver = compile(
            folder.write("driver.cpp", include + program(driver_module)), {"-fsyntax-only"});
        CHECK_MESSAGE(driver.succeeded(), driver.err);
        const ProcessResult runtime =
            compile(folder.write("runtime.cpp", "#define SLIMGRAD_CHECKPOINT_RUNTIME_API\n" +
                                                    include + program(runtime_module)),
                    {"-fsyntax-only"});
        CHECK_MESSAGE(runtime.succeeded(), runtime.err);
    }
}

TEST_CASE("before C++17 the helper says that it needs it, first of all") {
    const TemporaryFolder folder;
    const std::string source =
        folder.write("old.cpp", "#include \"" SLIMGRAD_BUILD_DIR "/slimgrad_checkpoint_heap.h\"\n");
    const ProcessResult old = compile(source, {"-std=c++14", "-fsyntax-only"});
    CHECK_FALSE(old.succeeded());
    const std::size_t first = old.err.find("error: ");
    REQUIRE(first != std::string::npos);
    CHECK(
        old.err.substr(first).starts_with("error: #error slimgrad_checkpoint_heap.h needs C++17"));
}

TEST_CASE("what CUDA's runtime says comes out, as without a device") {
    const TemporaryFolder folder;
    const std::string source = folder.write(
        "runtime.cpp", "#define SLIMGRAD_CHECKPOINT_RUNTIME_API\n#include \"" SLIMGRAD_SOURCE_DIR
                       "/plugin/heap/slimgrad_checkpoint_heap.h\"\n" +
                           program(runtime_module));
    const ProcessResult compiled =
        compile(source, {"-o", folder / "runtime", cuda + "/lib/libcudart_static.a", "-ldl", "-lrt",
                         "-lpthread"});
    REQUIRE_MESSAGE(compiled.succeeded(), compiled.err);
    const ProcessResult result = run({folder / "runtime"});
    CAPTURE(result.out);
    if (result.out.starts_with(
            "the checkpoint heap cannot create an event: cudaEventCreate: ")) // no device
        CHECK(result.exit_code == 1);
    else
        CHECK(result.out.starts_with(
            "the module was not rewritten with --passes heap: no slimgrad_checkpoint_heap "));
}
