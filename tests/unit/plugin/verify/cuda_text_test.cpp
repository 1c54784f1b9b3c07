#include "plugin/verify/cuda_text.h"

#include "cuda_kernels.h"
#include "plugin/process/process.h"

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

const std::string prelude =
    "struct TensorView\n{\n"
    "    template<typename T>\n    __device__ T* data_ptr()\n    {\n        return 0;\n    }\n"
    "    template<typename T>\n    __device__ T& load(uint2 index)\n    {\n        return "
    "*data_ptr<T>();\n    }\n"
    "    template<typename T, unsigned int N>\n    __device__ void store(uint index[N], T val)\n   "
    " {\n    }\n"
    "};\n";

} // namespace

TEST_CASE("kernels are found with their parameters, and get functions that call them") {
    const std::string text =
        "\n#line 1 \"k.slang\"\nextern \"C\" {\n__global__ void f(FixedArray<float, 3>  a_0, float "
        "* p_0)\n{\n}\n\n}\n"
        "__global__ void g();\nextern \"C\" __global__ void __launch_bounds__(64) h()\n{\n}\n";
    const std::vector<EmittedKernel> kernels = emitted_kernels(text);
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0].name == "f");
    REQUIRE(kernels[0].parameters.size() == 2);
    CHECK(kernels[0].parameters[0].type == "FixedArray<float, 3>");
    CHECK(kernels[0].parameters[0].name == "a_0");
    CHECK(kernels[0].parameters[1].type == "float *");
    CHECK(kernels[1].name == "h");
    CHECK(kernels[1].parameters.empty());
    const HostText host = host_text(text, false);
    CHECK(host.kernels.find("__global__ void slimgrad_kernel_f(FixedArray") != std::string::npos);
    CHECK(host.after.find("slimgrad_call_f(") != std::string::npos);
    CHECK(host.after.find("slimgrad_call_h(") != std::string::npos);
}

TEST_CASE("PTX becomes calls") {
    const HostText host = host_text(
        "#define F(c) asm volatile( \\\n    \"sust.p \" \"[%0]\" ::\"l\"(s), \\\n   c(v))\n"
        "\n#line 1 \"k.slang\"\n{uint32_t w; asm(\"txq.width.b32 %0, [%1];\" : \"=r\"(w) : "
        "\"l\"((p->t_0)) : \"memory\"); asmx(1);}\n",
        false);
    CHECK(host.kernels == "#line 1 \"k.slang\"\n{uint32_t w; slimgrad_ptx(\"txq.width.b32 %0, "
                          "[%1];\", slimgrad_operand(w), "
                          "slimgrad_operand((p->t_0))); asmx(1);}\n");
    CHECK(host.before.ends_with("#define F(c) slimgrad_ptx(\"sust.p \" \"[%0]\", "
                                "slimgrad_operand(s), slimgrad_operand(v))\n\n"));
}

TEST_CASE("accessors of TensorView are checked in the checked text only") {
    const std::string text = "\n" + prelude + "\n#line 1 \"k.slang\"\n";
    CHECK(host_text(text, false).before.find("slimgrad_check_tensor(*this") == std::string::npos);
    const std::string checked = host_text(text, true).before;
    CHECK(checked.find("load(uint2 index)\n    { slimgrad_check_tensor(*this, index);") !=
          std::string::npos);
    CHECK(checked.find(
              "store(uint index[N], T val)\n    { slimgrad_check_tensor_array(*this, index, N);") !=
          std::string::npos);
    CHECK(checked.find("data_ptr()\n    {\n") != std::string::npos);
}

TEST_CASE("the text shows how many dimensions tensors have and whether y counts") {
    const std::string line =
        "\n#line 1 \"k.slang\"\n    uint t_0 = (((blockIdx)) * ((blockDim)) + ((threadIdx))).x;\n"
        "    float a = ((this_0->primal_0).load<float>((t_0)));\n";
    CHECK(!cuda_use(line).plane);
    CHECK(cuda_use(line).dimensions == 1);
    const std::string plane = "\n#line 1 \"k.slang\"\n    uint3  _S1 = blockIdx * blockDim + "
                              "threadIdx;\n    uint y = _S1.y;\n"
                              "    uint3  i_1 = f();\n    (a_0).store<float>((i_1), (1.0f));\n    "
                              "((a_0).load<float>((y), (0U)));\n";
    CHECK(cuda_use(plane).plane);
    CHECK(cuda_use(plane).dimensions == 3);
}

TEST_CASE("vectors and what holds them are laid out as nvcc lays them out") {
    // Asked of both compilers: the same assertions, and g++'s own sizes in them.
    std::string assertions;
    for (const char* scalar : {"char", "uchar", "short", "ushort", "int", "uint", "longlong",
                               "ulonglong", "float", "double"})
        for (const char count : {'1', '2', '3', '4'}) {
            const std::string type = scalar + std::string(1, count);
            assertions += "SAME(" + type + ")\n";
        }
    const std::string source =
        R"(RWStructuredBuffer<float> o; struct S { half3 a; bool3 b; float4 c; double2 d; };
RWStructuredBuffer<S> s;
[shader("compute")] [numthreads(1,1,1)] void main() { o[0] = s[0].c.x; })";
    std::string code = cuda_variant(source).code;
    assertions += "SAME(S_0)\nSAME(TensorView)\nSAME(GlobalParams_0)\n";
    const TemporaryFolder folder;
    const std::string print =
        host_text(code, false).whole() +
        "\n#undef printf\n#include <cstdio>\n"
        "#define SAME(T) printf(\"static_assert(sizeof(%s) == %zu && alignof(%s) == %zu, "
        "\\\"%s\\\");\\n\", #T, sizeof(T), #T, alignof(T), #T);\n"
        "int main(int, char**) {\n" +
        assertions + "}\n";
    ProcessOptions process;
    process.arguments = {"g++", "-std=c++17",
                         "-w",  folder.write("sizes.cpp", print),
                         "-o",  (folder.path() / "sizes").string()};
    Result<ProcessResult> compiled = run_process(process);
    REQUIRE(compiled);
    REQUIRE_MESSAGE(compiled->succeeded(), compiled->err);
    process.arguments = {(folder.path() / "sizes").string()};
    const Result<ProcessResult> sizes = run_process(process);
    REQUIRE(sizes);
    REQUIRE(sizes->out.find("sizeof(float3) == 12 && alignof(float3) == 4") != std::string::npos);
    process.arguments = {SLIMGRAD_SOURCE_DIR "/.deps/bin/nvcc",
                         "-std=c++17",
                         "-arch=sm_89",
                         "-DSLANG_CUDA_ENABLE_HALF=1",
                         "-cubin",
                         "-w",
                         folder.write("sizes.cu", code + "\n" + sizes->out),
                         "-o",
                         (folder.path() / "sizes.cubin").string()};
    compiled = run_process(process);
    REQUIRE(compiled);
    CHECK_MESSAGE(compiled->succeeded(), compiled->err);
}
