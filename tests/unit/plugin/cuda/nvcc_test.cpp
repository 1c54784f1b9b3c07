#include "plugin/cuda/nvcc.h"
#include "temporary_folder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <unistd.h>

using namespace slimgrad;
using namespace std::chrono_literals;

namespace {

/// The CUDA text that slangc makes of a shader.
std::string cuda_of(const std::string& path, const std::vector<std::string>& arguments = {}) {
    ProcessOptions options;
    options.arguments = {SLIMGRAD_SOURCE_DIR "/.deps/bin/slangc", path, "-O3", "-target", "cuda"};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    auto result = run_process(options);
    REQUIRE_MESSAGE(result, result.error().message);
    REQUIRE_MESSAGE(result->succeeded(), result->err);
    return result->out;
}

std::string cuda_of_text(const std::string& shader) {
    TemporaryFolder folder;
    return cuda_of(folder.write("shader.slang", shader));
}

NvccResult measured(const std::string& cuda, const NvccOptions& options = {}) {
    auto toolkit = CudaToolkit::find();
    REQUIRE_MESSAGE(toolkit, toolkit.error().message);
    auto result = measure(*toolkit, cuda, options);
    REQUIRE_MESSAGE(result, to_string(result.error()));
    return *result;
}

const std::vector<std::string> grad_main = {"-entry", "gradMain", "-stage", "compute"};

} // namespace

TEST_CASE("measure: a volume march as written") {
    const std::string cuda =
        cuda_of(SLIMGRAD_SOURCE_DIR "/tests/unit/plugin/cuda/volume.slang", grad_main);
    NvccResult result = measured(cuda);
    CHECK(result.succeeded());
    CHECK(result.command == "nvcc -cubin -arch=sm_89 --ptxas-options=-v -w --use_fast_math");
    REQUIRE(result.kernels.size() == 1);
    const KernelFigures& kernel = result.kernels.front();
    CHECK(kernel.name == "gradMain");
    CHECK(kernel.direction == Direction::backward);
    CHECK_FALSE(kernel.device_function);
    CHECK(kernel.registers == 255);
    CHECK(kernel.stack_bytes == 14336);
    CHECK(kernel.spill_store_bytes == 4092);
    CHECK(kernel.spill_load_bytes == 4092);
    CHECK(kernel.code_bytes == 54272);
    CHECK(kernel.local_loads > 1000);
    CHECK(kernel.local_stores > 1000);
    CHECK(kernel.instructions == 0); // was not asked for
    CHECK(kernel.estimate == 0);
    CHECK(kernel.block_size == 128);
    CHECK(kernel.warps_per_sm == 8);

    SUBCASE("the code read") {
        NvccOptions options;
        options.estimate = true;
        KernelFigures read = measured(cuda, options).kernels.front();
        CHECK(read.instructions > 3000);
        CHECK(read.instructions <= read.code_bytes / 16); // without padding
        CHECK(read.atomics > 0);
        CHECK(read.local_loads == kernel.local_loads);
        CHECK(read.local_stores == kernel.local_stores);
    }

    SUBCASE("another block size, architecture, and arguments") {
        NvccOptions options;
        options.arch = "sm_80";
        options.fast_math = false;
        options.extra_arguments = {"-maxrregcount=64"};
        options.block_sizes = {{"gradMain", 256}};
        NvccResult other = measured(cuda, options);
        CHECK(other.command == "nvcc -cubin -arch=sm_80 --ptxas-options=-v -w -maxrregcount=64");
        REQUIRE(other.kernels.size() == 1);
        CHECK(other.kernels.front().registers == 64);
        CHECK(other.kernels.front().block_size == 256);
        CHECK(other.kernels.front().warps_per_sm == 32);
    }
}

TEST_CASE("measure: line information changes nothing but what is known of the loops") {
    const std::string cuda =
        cuda_of(SLIMGRAD_SOURCE_DIR "/tests/unit/plugin/cuda/volume.slang", grad_main);
    NvccOptions options;
    options.estimate = true;
    const KernelFigures without = measured(cuda, options).kernels.at(0);
    options.loop_trips = {{SLIMGRAD_SOURCE_DIR "/tests/unit/plugin/cuda/volume.slang", 1, 1000}};
    const NvccResult unknown = measured(cuda, options);
    CHECK(unknown.command.ends_with(" -lineinfo --use_fast_math"));
    CHECK(unknown.kernels.at(0) == without);
    options.loop_trips[0].trips = 8;
    KernelFigures eight = measured(cuda, options).kernels.at(0);
    options.loop_trips[0].trips = 16;
    KernelFigures sixteen = measured(cuda, options).kernels.at(0);
    CHECK(eight.unknown_loops == 0);
    CHECK(without.executed < eight.executed);
    CHECK(sixteen.executed - eight.executed > 8 * 100);
    CHECK(eight.estimate > eight.executed);
    eight.executed = sixteen.executed = 0;
    eight.estimate = sixteen.estimate = 0;
    CHECK(eight == sixteen);
}

TEST_CASE("measure: the estimate grows with the trips, and needs no frame") {
    const auto estimate = [](const std::string& trips, bool asked = true) {
        NvccOptions options;
        options.estimate = asked;
        return measured(cuda_of_text("RWStructuredBuffer<float> data;\n"
                                     "[shader(\"compute\")] [numthreads(32, 1, 1)]\n"
                                     "void primalMain(uint3 id : SV_DispatchThreadID) {\n"
                                     "    float x = data[id.x];\n"
                                     "    for (int i = 0; i < " +
                                     trips +
                                     "; ++i)\n"
                                     "        x = sin(x) + data[i];\n"
                                     "    data[id.x] = x;\n"
                                     "}\n"),
                        options)
            .kernels.at(0);
    };
    const KernelFigures few = estimate("1000"), many = estimate("4000");
    CHECK(few.unknown_loops == 0);
    CHECK(few.executed > 1000 * 3);
    CHECK(few.executed < 1000 * 40);
    CHECK(many.executed > few.executed * 39 / 10);
    CHECK(many.executed < few.executed * 41 / 10);
    CHECK(estimate("1000", false).instructions == 0);
    CHECK(estimate("1000", false).estimate == 0);
}

TEST_CASE("measure: a [CUDAKernel] and its differentiated forms") {
    NvccOptions options;
    options.block_sizes = {{"train", 256}};
    NvccResult result = measured(cuda_of_text(R"(
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void train(DiffTensorView<float> a, DiffTensorView<float> b)
{
    uint i = cudaThreadIdx().x;
    float v = a[i];
    [MaxIters(40)] for (int k = 0; k < 40; ++k) v = sin(v) * v;
    b[i] = v;
}
)"),
                                 options);
    REQUIRE(result.kernels.size() == 3);
    CHECK(result.kernels[0].name == "train_bwd_diff");
    CHECK(result.kernels[0].direction == Direction::backward);
    CHECK(result.kernels[0].stack_bytes >= 40 * 4);
    CHECK(result.kernels[0].local_stores > 0);
    CHECK(result.kernels[1].name == "train_fwd_diff");
    CHECK(result.kernels[1].direction == Direction::forward);
    CHECK(result.kernels[2].name == "train");
    CHECK(result.kernels[2].direction == Direction::forward);
    for (const KernelFigures& kernel : result.kernels) {
        CHECK(kernel.block_size == 256);
        CHECK(kernel.registers > 0);
        CHECK(kernel.code_bytes > 0);
    }
}

TEST_CASE("measure: several entries, half, names of one letter and `main`") {
    NvccResult result = measured(cuda_of_text(R"(
RWStructuredBuffer<float> f; RWStructuredBuffer<half> h;
[shader("compute")] [numthreads(64,1,1)]
void a(uint3 t : SV_DispatchThreadID) { h[t.x] = sin(h[t.x]) * half(f[t.x]); }
[shader("compute")] [numthreads(64,1,1)]
void main(uint3 t : SV_DispatchThreadID) { f[t.x] = 1; }
)"));
    REQUIRE_MESSAGE(result.kernels.size() == 2, result.detail);
    CHECK(result.command.ends_with(" -DSLANG_CUDA_ENABLE_HALF=1"));
    CHECK(result.kernels[0].name == "a");
    CHECK(result.kernels[1].name == "main");
}

TEST_CASE("measure: device code without a kernel") {
    NvccResult result = measured(cuda_of_text(R"(
[CudaDeviceExport] [Differentiable] public float power(float x, no_diff float y)
{
    float v = x;
    [MaxIters(30)] for (int i = 0; i < 30; ++i) v = v * sin(v) + y;
    return v;
}
[CudaDeviceExport] public float gradient(float x, float y)
{
    var p = diffPair(x, 0.0f);
    bwd_diff(power)(p, y, 1.0f);
    return p.d;
}
)"));
    CHECK(result.command.ends_with(" -rdc=true"));
    REQUIRE_MESSAGE(result.kernels.size() == 2, result.detail);
    CHECK(result.kernels[0].name == "power");
    CHECK(result.kernels[0].direction == Direction::forward);
    CHECK(result.kernels[1].name == "gradient");
    CHECK(result.kernels[1].direction == Direction::backward);
    for (const KernelFigures& function : result.kernels) {
        CHECK(function.device_function);
        CHECK(function.registers > 0);
        CHECK(function.code_bytes > 0);
    }
    CHECK(result.kernels[1].registers > result.kernels[0].registers);
    CHECK(result.kernels[1].stack_bytes >= 30 * 4);
    CHECK(result.kernels[1].local_loads > 0);
}

TEST_CASE("measure: calls that are not inlined count where they are paid") {
    const std::string body = R"(
__device__ __noinline__ float deep(const float* p, int n)
{
    float a[64];
    for (int i = 0; i < 64; ++i) a[i] = p[i] * n;
    float s = 0;
    for (int i = 0; i < n; ++i) s += a[(i * 7) % 64] * s + 1;
    return s;
}
)";
    NvccResult kernel =
        measured(body + "extern \"C\" __global__ void k(float* p, int n) { p[0] = deep(p, n); }\n");
    REQUIRE(kernel.kernels.size() == 1);
    CHECK(kernel.kernels[0].stack_bytes >= 256);
    CHECK(kernel.kernels[0].local_loads > 0);
    NvccResult device =
        measured(body + "__device__ float outer(float* p, int n) { return deep(p, n) + 1; }\n");
    REQUIRE(device.kernels.size() == 2);
    CHECK(device.kernels[1].name == "outer");
    CHECK(device.kernels[1].stack_bytes >= 256);
    CHECK(device.kernels[1].stack_bytes >= device.kernels[0].stack_bytes);
    CHECK(device.kernels[1].registers >= device.kernels[0].registers);
    CHECK(device.kernels[1].code_bytes > device.kernels[0].code_bytes);
    CHECK(device.kernels[1].local_loads >= device.kernels[0].local_loads);
}

TEST_CASE("measure: flags of the environment take effect and are shown") {
    setenv("NVCC_APPEND_FLAGS", "-DANSWER=7", 1);
    NvccResult result = measured("__global__ void k(int* p) { p[0] = ANSWER; }\n");
    unsetenv("NVCC_APPEND_FLAGS");
    CHECK_MESSAGE(result.kernels.size() == 1, result.detail);
    CHECK(result.command.starts_with("NVCC_APPEND_FLAGS='-DANSWER=7' nvcc -cubin "));
}

TEST_CASE("measure: no function at all") {
    NvccResult result = measured("");
    CHECK(result.succeeded());
    CHECK(result.kernels.empty());
}

TEST_CASE("measure: text that nvcc rejects, with the shader's place") {
    // Slang accepts this loop and emits a name that it never declares.
    TemporaryFolder folder;
    const std::string shader = folder.write("start.slang", R"(
RWStructuredBuffer<float> outb;
float tap(int i) { return outb[i]; }
[BackwardDerivativeOf(tap)] void tap_bwd(int i, float g) { outb[32 + i] += g; }
[Differentiable] float blur(no_diff int c, no_diff int r)
{
    float mid = tap(c); float num = 0.f; float den = 0.f;
    [MaxIters(9)]
    for (int o = -r; o <= r; ++o)
    {
        float q = tap(clamp(c + o, 0, 4)); float w = exp(-4.f * (q - mid) * (q - mid));
        num += w * q; den += w;
    }
    return num / den;
}
[Differentiable] float total(int r)
{
    float s = 0.f;
    [MaxIters(5)] for (int c = 0; c < 5; ++c) s += blur(c, r);
    return s;
}
[shader("compute")] [numthreads(1,1,1)]
void computeMain() { bwd_diff(total)(int(outb[8]), 1.f); }
)");
    NvccResult result = measured(cuda_of(shader));
    CHECK(result.status == NvccStatus::rejected);
    CHECK(result.place == Place{shader, 9, 0});
    CHECK(result.detail.ends_with("is undefined"));
    CHECK(result.kernels.empty());

    NvccResult prelude = measured("extern \"C\" __global__ void k() { oops(); }\n");
    CHECK(to_string(prelude.place) == "generated CUDA:1");
}

TEST_CASE("measure: limits") {
    const std::string cuda = "extern \"C\" __global__ void k(float* p) { p[0] = p[1]; }\n";
    NvccOptions options;
    options.limits.wall_clock = 30ms;
    NvccResult slow = measured(cuda, options);
    CHECK(slow.status == NvccStatus::timed_out);
    CHECK(slow.detail == "nvcc took more than 0.03 s");

    options = {};
    options.limits.memory_bytes = 100 << 20;
    NvccResult large = measured(cuda, options);
    CHECK(large.status == NvccStatus::out_of_memory);
    CHECK(large.detail == "nvcc ran out of memory (limit 100 MiB)");
}

TEST_CASE("measure: a crash of the compiler") {
    // The CUDA front end recurses on nested parentheses until its stack ends; a small stack ends at
    // once.
    TemporaryFolder folder;
    auto toolkit = CudaToolkit::find();
    REQUIRE(toolkit);
    toolkit->nvcc =
        folder.write("nvcc", "#!/bin/sh\nulimit -s 200\nexec " + toolkit->nvcc + " \"$@\"\n");
    std::filesystem::permissions(toolkit->nvcc, std::filesystem::perms::owner_all);
    constexpr int depth = 20000;
    std::string open, close;
    for (int i = 0; i < depth; ++i) {
        open += "-(1+";
        close += ')';
    }
    auto result = measure(
        *toolkit,
        "extern \"C\" __global__ void k(float* p) { p[0] = " + open + "p[1]" + close + "; }\n", {});
    REQUIRE_MESSAGE(result, to_string(result.error()));
    CHECK(result->status == NvccStatus::crashed);
    CHECK(result->detail == "nvcc crashed (signal 11, Segmentation fault)");
    CHECK(result->kernels.empty());
}

TEST_CASE("measure: what is not the text's fault is an error") {
    auto toolkit = CudaToolkit::find();
    REQUIRE(toolkit);
    NvccOptions options;
    options.arch = "sm_12";
    auto arch = measure(*toolkit, "", options);
    REQUIRE_FALSE(arch);
    CHECK(arch.error().message.starts_with("unknown architecture 'sm_12'"));
    options = {};
    options.extra_arguments = {"--no-such-argument"};
    auto argument = measure(*toolkit, "", options);
    REQUIRE_FALSE(argument);
    CHECK(argument.error().message == "nvcc: Unknown option '--no-such-argument'");
    CHECK_FALSE(measure({"/nonexistent/nvcc", toolkit->nvdisasm}, "", {}));
}

TEST_CASE("measure: nothing is left in the temporary directory") {
    TemporaryFolder folder;
    setenv("TMPDIR", folder.path().c_str(), 1);
    NvccOptions options;
    options.limits.wall_clock = 100ms;
    measured("extern \"C\" __global__ void k(float* p) { p[0] = p[1]; }\n", options);
    unsetenv("TMPDIR");
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("compile_to_ptx: the virtual architecture, and what nvcc rejects") {
    auto toolkit = CudaToolkit::find();
    REQUIRE_MESSAGE(toolkit, toolkit.error().message);
    NvccOptions options;
    options.arch = "sm_90";
    options.extra_arguments = {"--fmad=false"};
    const std::string kernel =
        "extern \"C\" __global__ void k(float* a) { a[0] = a[1] * a[2] + a[3]; }";
    auto compiled = compile_to_ptx(*toolkit, kernel, options);
    REQUIRE_MESSAGE(compiled, compiled.error().message);
    CHECK(compiled->succeeded());
    CHECK(compiled->ptx.find(".target sm_90") != std::string::npos);
    CHECK(compiled->ptx.find(".entry k(") != std::string::npos);
    CHECK(compiled->ptx.find("fma") == std::string::npos);

    auto rejected =
        compile_to_ptx(*toolkit, "#line 7 \"k.slang\"\n__global__ void k() { x; }", options);
    REQUIRE_MESSAGE(rejected, rejected.error().message);
    CHECK(rejected->status == NvccStatus::rejected);
    CHECK(rejected->place.line == 7);
    CHECK(rejected->ptx.empty());
}

TEST_CASE("plain_name") {
    CHECK(plain_name("_Z15__kernel__train10TensorView") == "__kernel__train");
    CHECK(plain_name("gradMain") == "gradMain");
}
