#include "plugin/cuda/cuda_text.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

const std::string prelude =
    "#include <cuda_fp16.h>\n__device__ __half prelude_half(__half x) { return x; }\n"
    "#if X\nstruct Broken {\n#endif\n";

/// "gradMain:kernel:backward helper_0" and so on.
std::string summary(const CudaText& text) {
    std::string result;
    for (const CudaFunction& function : text.functions) {
        result += (result.empty() ? "" : " ") + function.name;
        result += function.kernel ? ":kernel" : "";
        result += function.exported ? ":exported" : "";
        result += function.backward ? ":backward" : "";
    }
    return result;
}

} // namespace

TEST_CASE("read_cuda_text: kernels and the direction they run") {
    CudaText text = read_cuda_text(prelude + R"(
#line 4 "a { b.slang"
struct s_bwdCallableCtx_f_0
{
    float _S1;
};

extern "C" __constant__ GlobalParams_0 SLANG_globalParams;
#define globalParams_0 (&SLANG_globalParams)
static const __device__ int table_0[2] = { 1, 2 };
__device__ float f_0(float x_0)
{
    if(x_0 > 0.0f) { return x_0; } // a } in a comment
    return g("}", '}', '\'', "\"}");
}
__device__ void s_bwdProp_f_0(s_bwdCallableCtx_f_0 * _S2) { }
__device__ void _S3(float x_1) { s_bwdProp_f_0(&x_1); }
extern "C" __global__ void __launch_bounds__(64) gradMain() { _S3(1.0f); }
extern "C" __global__ void primalMain() { f_0(1.0f); }
extern "C" {
__global__ void __kernel__train_bwd_diff(TensorView a_0) { }
}
__global__ void __kernel__train(TensorView a_1) { f_0(1); }
)");
    CHECK(summary(text) == "f_0 s_bwdProp_f_0:backward _S3:backward gradMain:kernel:backward "
                           "primalMain:kernel __kernel__train_bwd_diff:kernel:backward "
                           "__kernel__train:kernel");
    CHECK(text.has_kernel());
    CHECK(text.defines.empty());
}

TEST_CASE("read_cuda_text: backward reaches callers that stand before their callees") {
    CHECK(summary(read_cuda_text("__global__ void k() { a_0(); }\nvoid a_0() { b_0(); }\n"
                                 "void b_0() { s_apply_f_0(); }\n")) ==
          "k:kernel:backward a_0:backward b_0:backward");
}

TEST_CASE("read_cuda_text: exported device functions") {
    CudaText text = read_cuda_text(
        prelude + "#line 1 \"a.slang\"\n__device__ float sq(float x_0) { return helper_12(x_0); }\n"
                  "__device__ float _S4() { }\n__device__ float helper_12(float x) { }\n");
    CHECK(summary(text) == "sq:exported _S4 helper_12");
    CHECK_FALSE(text.has_kernel());
}

TEST_CASE("read_cuda_text: types that Slang's prelude has to be asked for") {
    const auto defines = [](const std::string& body) {
        std::string all;
        for (const std::string& define :
             read_cuda_text(prelude + "#line 1 \"a.slang\"\n" + body).defines)
            all += define + " ";
        return all;
    };
    CHECK(defines("struct A { float half_0; };\n").empty());
    CHECK(defines("struct A { __half h_0; };\n") == "SLANG_CUDA_ENABLE_HALF=1 ");
    CHECK(defines("void f() { make___half2 (a, b); }\n") == "SLANG_CUDA_ENABLE_HALF=1 ");
    CHECK(defines("void f() { (F16_sin((x))); }\n") == "SLANG_CUDA_ENABLE_HALF=1 ");
    CHECK(defines("__nv_bfloat16 a; __nv_fp8_e4m3 b;\n") ==
          "SLANG_CUDA_ENABLE_HALF=1 SLANG_CUDA_ENABLE_BF16=1 SLANG_CUDA_ENABLE_FP8=1 ");
    CHECK(defines("OptixTraversableHandle a;\n") == "SLANG_CUDA_ENABLE_OPTIX=1 ");
    CHECK(defines("x = optixGetPayload_0();\n") == "SLANG_CUDA_ENABLE_OPTIX=1 ");
}

TEST_CASE("read_cuda_text: without line directives the prelude ends at the last #endif") {
    CudaText text = read_cuda_text(prelude + "extern \"C\" __global__ void k() { }\n");
    CHECK(summary(text) == "k:kernel");
    CHECK(text.defines.empty());
}

TEST_CASE("read_cuda_text: text that is cut off anywhere") {
    const std::string whole = prelude + "#line 1 \"a.slang\"\nextern \"C\" { __global__ void k(int "
                                        "a) { \"x\\\"\"; /* */ f('a'); } }";
    for (std::size_t size = 0; size <= whole.size(); ++size)
        CHECK(read_cuda_text(whole.substr(0, size)).functions.size() <= 2);
}

TEST_CASE("shader_name") {
    CHECK(shader_name("gradMain") == "gradMain");
    CHECK(shader_name("__kernel__train") == "train");
    CHECK(shader_name("__kernel__train_bwd_diff") == "train_bwd_diff");
    CHECK(shader_name("main_0") == "main");
}
