// Two variants compared on the cuda machine: what the checked build says, and that it agrees with
// the C++ one.

#include "cuda_kernels.h"

using namespace slimgrad;

namespace {

VerifyResult on_cuda(const std::string& original, const std::string& rewritten,
                     const std::string& entry_point, const VerifyOptions& options = {}) {
    const Result<VerifyResult> result = shared_verifier().compare(
        cuda_variant(original), cuda_variant(rewritten), entry_point, options);
    REQUIRE_MESSAGE(result, result.error().message);
    CAPTURE(result->reason);
    return *result;
}

const std::string tensors = R"(
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void scale(DiffTensorView<float> x, DiffTensorView<float> y, no_diff float k)
{
    uint t = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).x;
    float v = x.load(uint2(t, 1));
    y.storeOnce(t, k * v * v);
}
)";

} // namespace

TEST_CASE("a gradient that changed is different, one that did not is equal") {
    CHECK(on_cuda(tensors, tensors, "__kernel__scale_bwd_diff").reason == "bit-equal on 32 inputs");
    CHECK(on_cuda(tensors, edited(tensors, "k * v * v", "v * v * k"), "__kernel__scale_bwd_diff")
              .verdict == Verdict::equal);
    const VerifyResult wrong = on_cuda(tensors, edited(tensors, "k * v * v", "k * detach(v) * v"),
                                       "__kernel__scale_bwd_diff");
    CHECK(wrong.verdict == Verdict::different);
    REQUIRE(wrong.difference);
    CHECK(wrong.difference->buffer == "x.diff");
}

TEST_CASE("a tensor's coordinate out of range has the place of the shader's call") {
    const VerifyResult result = on_cuda(
        tensors, edited(tensors, "uint2(t, 1)", "uint2(t, 4000000000u)"), "__kernel__scale");
    CHECK(result.verdict == Verdict::rewritten_wrong);
    CHECK(result.place.line == 6);
    CHECK(result.reason.starts_with("index out of range: x[4000000000] of "));
    CHECK(result.reason.find(" along dimension 1 at ") != std::string::npos);
}

TEST_CASE("a tensor grows until what the kernel reads is inside") {
    CHECK(on_cuda(edited(tensors, "uint2(t, 1)", "uint2(t, 500)"),
                  edited(tensors, "uint2(t, 1)", "uint2(t, 500)"), "__kernel__scale_bwd_diff")
              .verdict == Verdict::equal);
}

TEST_CASE("buffers and arrays are checked as on the C++ machine") {
    const auto kernel = [](const std::string& body) {
        return "RWStructuredBuffer<float> o; RWByteAddressBuffer raw;\n[shader(\"compute\")] "
               "[numthreads(32,1,1)]\n"
               "void main(uint3 tid : SV_DispatchThreadID)\n{\n" +
               body + "\n}\n";
    };
    const std::string right =
        kernel("float a[4] = {1, 2, 3, 4};\no[tid.x] = a[tid.x % 4] + raw.Load<float>(8);");
    const VerifyResult array = on_cuda(right, edited(right, "% 4", "% 5"), "main");
    CHECK(array.verdict == Verdict::rewritten_wrong);
    CHECK(array.reason.starts_with("index out of range: a[4] of 4 elements at k.slang:6 ("));
    const VerifyResult buffer = on_cuda(right, edited(right, "o[tid.x]", "o[tid.x - 1]"), "main");
    CHECK(buffer.verdict == Verdict::rewritten_wrong);
    CHECK(buffer.reason.starts_with(
        "index out of range: o[4294967295] of 65536 elements at k.slang:6"));
    CHECK(on_cuda(right, edited(right, "(8)", "(4294967292u)"), "main").verdict ==
          Verdict::rewritten_wrong);
}

TEST_CASE("a divergent barrier makes the rewritten kernel wrong, with its place") {
    const std::string right = R"(groupshared float tile[32]; RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(32,1,1)]
void main(uint gi : SV_GroupIndex)
{
    tile[gi] = gi;
    if (gi < 32)
        GroupMemoryBarrierWithGroupSync();
    o[gi] = tile[31 - gi];
})";
    const VerifyResult result = on_cuda(right, edited(right, "gi < 32", "gi < 31"), "main");
    CHECK(result.verdict == Verdict::rewritten_wrong);
    CHECK(result.reason.find("waits at a barrier that 1 of 32 threads do not reach at k.slang:7") !=
          std::string::npos);
    CHECK(on_cuda(right, edited(right, "if (gi < 32)", "if (gi < 99)"), "main").verdict ==
          Verdict::equal);
    CHECK(
        on_cuda(right, edited(right, "GroupMemoryBarrierWithGroupSync()", "{}"), "main").verdict !=
        Verdict::equal);
}

TEST_CASE("the C++ and the CUDA text of one kernel compute the same") {
    VerifyOptions options;
    options.tolerance = 1e-6;
    options.samples = 8;
    for (const char* name : {"volume_march.slang", "hash_grid.slang", "cloth_step.slang"}) {
        CAPTURE(name);
        const std::string source = corpus_kernel(name);
        const Result<VerifyResult> result = shared_verifier().compare(
            cpu_variant(source), cuda_variant(source), "gradMain", options);
        REQUIRE(result);
        CAPTURE(result->reason);
        CHECK(result->verdict == Verdict::equal);
    }
}
