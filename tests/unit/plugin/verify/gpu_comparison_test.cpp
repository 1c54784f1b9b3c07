// What holds with and without a device: scripts/gpu-check is for machines that have one.

#include "plugin/verify/gpu_comparison.h"

#include "cpu_kernels.h"
#include "plugin/cli/loaded_module.h"
#include "plugin/verify/cuda_device.h"

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

DeviceOptions device_options() {
    Result<CudaToolkit> toolkit = CudaToolkit::find();
    REQUIRE_MESSAGE(toolkit, toolkit.error().message);
    return {std::move(*toolkit), {}};
}

std::string ptx_of(const std::string& source, const std::string& arch = "sm_89") {
    NvccOptions options;
    options.arch = arch;
    const Result<PtxResult> compiled = compile_to_ptx(
        device_options().toolkit, variant_for(SlangTarget::cuda, source).code, options);
    REQUIRE_MESSAGE(compiled, to_string(compiled.error()));
    REQUIRE_MESSAGE(compiled->succeeded(), compiled->detail);
    return compiled->ptx;
}

const std::string compute = "RWStructuredBuffer<float> gIn;\nRWStructuredBuffer<float> gGrad;\n"
                            "[Differentiable] float f(float x) { return sin(x) * x; }\n"
                            "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
                            "void gradMain(uint3 tid : SV_DispatchThreadID)\n{\n"
                            "    var p = diffPair(gIn[tid.x], 0.f);\n    bwd_diff(f)(p, 1.f);\n"
                            "    gGrad[tid.x] = p.d;\n}\n";
const std::string tensors = "[AutoPyBindCUDA] [CUDAKernel] [Differentiable]\n"
                            "void square(DiffTensorView x, DiffTensorView y)\n{\n"
                            "    uint i = cudaThreadIdx().x;\n    if (i < x.size(0)) y.store(i, "
                            "x.load(i) * x.load(i));\n}\n";

StepReport device_step(const std::string& before, const std::string& after) {
    static SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    const TemporaryFolder folder;
    std::vector<LoadedModule> modules;
    for (const auto& [name, source] : {std::pair{"a.slang", before}, std::pair{"b.slang", after}}) {
        Result<LoadedModule> loaded = load_module(
            compiler, {folder.write(name, source), folder.path().string(), {"-O3"}, {}});
        REQUIRE_MESSAGE(loaded, to_string(loaded.error()));
        modules.push_back(std::move(*loaded));
    }
    VerifyOptions options;
    options.derivatives = false;
    options.device = device_options();
    const Result<std::vector<VerifyResult>> results =
        ModuleVerifier(compiler, shared_verifier())
            .compare(modules[0].view(), modules[1].view(), options, {});
    REQUIRE_MESSAGE(results, to_string(results.error()));
    REQUIRE(results->size() == 1);
    REQUIRE(results->front().steps.back().step == Step::device);
    return results->front().steps.back();
}

} // namespace

TEST_CASE("entry_symbol finds kernels under plain and mangled names") {
    CHECK(entry_symbol(ptx_of(compute), "gradMain") == "gradMain");
    const std::string ptx = ptx_of(tensors);
    const std::string backward = entry_symbol(ptx, "__kernel__square_bwd_diff");
    REQUIRE_FALSE(backward.empty());
    CHECK(ptx.find(".entry " + backward + "(") != std::string::npos);
    CHECK(entry_symbol(ptx, "__kernel__square").starts_with("_Z"));
    CHECK(entry_symbol(ptx, "square") == "");
}

TEST_CASE("entry_symbol: two kernels of one name cannot be told apart") {
    CHECK(entry_symbol(".visible .entry _Z1fi(\n)\n.visible .entry _Z1ff(\n)\n", "f") == "");
}

TEST_CASE("arch_for: no more than the device has") {
    CHECK(arch_for("sm_89", 90) == "sm_89");
    CHECK(arch_for("sm_89", 89) == "sm_89");
    CHECK(arch_for("sm_89", 75) == "sm_75");
    CHECK(arch_for("sm_90a", 100) == "sm_90a");
    CHECK(arch_for("sm_120", 90) == "sm_90");
    CHECK(ptx_of(compute, arch_for("sm_120", 75)).find(".target sm_75") != std::string::npos);
}

TEST_CASE("a device is there, or the reason why none is") {
    const Result<CudaDevice> device = CudaDevice::open();
    const Result<KernelRunner::Device> runners = shared_verifier().runner().device({});
    REQUIRE(device.has_value() == runners.has_value());
    if (device) {
        CHECK(runners->name == device->name());
        CHECK(runners->capability == device->capability());
        CHECK(device->capability() >= 50);
    } else {
        CHECK(device.error().message.starts_with("no CUDA device: "));
        CHECK(runners.error().message == device.error().message);
    }
}

TEST_CASE("the device step is passed on a device, else it says that it did not run") {
    const Result<KernelRunner::Device> device = shared_verifier().runner().device({});
    const StepReport right = device_step(compute, edited(compute, "sin(x) * x", "x * sin(x)"));
    const StepReport wrong =
        device_step(compute, edited(compute, "sin(x) * x", "x * sin(1.01f * x)"));
    CAPTURE(right.detail);
    CAPTURE(wrong.detail);
    if (device) {
        CHECK(right.state == StepState::passed);
        CHECK(right.detail.find(device->name) != std::string::npos);
        CHECK(wrong.state == StepState::failed);
    } else {
        for (const StepReport& step : {right, wrong}) {
            CHECK(step.state == StepState::not_run);
            CHECK(step.detail == device.error().message);
        }
    }
}

TEST_CASE("what left an array on the host is not run on a device") {
    const std::string loop =
        edited(compute, "float f(float x) { return sin(x) * x; }",
               "float f(float x) { float y = x;\n"
               "    [MaxIters(8)] for (int i = 0; i < 8; i++) y = sin(y) * x;\n    return y; }");
    const StepReport step = device_step(loop, edited(loop, "MaxIters(8)", "MaxIters(3)"));
    CHECK(step.state == StepState::not_run);
    CHECK(step.detail == "on the host it did not run to its end with every index inside");
}
