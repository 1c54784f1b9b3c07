// What must be alike in two kernels before their gradients are compared, and which threads run.

#include "cpu_kernels.h"

using namespace slimgrad;

namespace {

std::string kernel(const std::string& globals, const std::string& writes) {
    return "RWStructuredBuffer<float> gIn;\nRWStructuredBuffer<float> gGrad;\n" + globals +
           "[Differentiable] float f(float x) { return sin(x) * x; }\n"
           "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
           "void gradMain(uint3 tid : SV_DispatchThreadID)\n{\n"
           "    var p = diffPair(gIn[tid.x], 0.f);\n    bwd_diff(f)(p, 1.f);\n    " +
           writes + "\n}\n";
}

} // namespace

TEST_CASE("groups of one thread: threads that are not the first count too") {
    const std::string original = kernel("", "gGrad[tid.x] = p.d;");
    CHECK(compared(original, original).verdict == Verdict::equal);
    const VerifyResult result =
        compared(original, kernel("", "gGrad[tid.x] = p.d * (tid.x > 0 ? 2 : 1);"));
    REQUIRE(result.verdict == Verdict::different);
    CHECK(result.difference->element == 1);
    const VerifyResult third =
        compared(original, kernel("", "gGrad[tid.x] = p.d * (tid.x == 2 ? 2 : 1);"));
    REQUIRE(third.verdict == Verdict::different);
    CHECK(third.difference->element == 2);
}

TEST_CASE("groups along y and z run where their place counts") {
    const auto grid = [](const std::string& index) {
        return "RWStructuredBuffer<float> gIn;\nRWStructuredBuffer<float> gGrad;\n"
               "[Differentiable] float f(float x) { return sin(x) * x; }\n"
               "[shader(\"compute\")] [numthreads(4, 1, 1)]\n"
               "void gradMain(uint3 tid : SV_DispatchThreadID)\n{\n"
               "    var p = diffPair(gIn[tid.x], 0.f);\n    bwd_diff(f)(p, 1.f);\n    gGrad[" +
               index + "] = p.d;\n}\n";
    };
    CHECK(compared(grid("tid.y * 16 + tid.x"), grid("tid.x + 16 * tid.y")).verdict ==
          Verdict::equal);
    CHECK(compared(grid("tid.y * 16 + tid.x"), grid("tid.y + tid.x")).verdict ==
          Verdict::different);
    CHECK(compared(grid("tid.z * 16 + tid.x"), grid("min(tid.z, 1) * 16 + tid.x")).verdict ==
          Verdict::different);
    // What only the rewritten kernel reads counts, too.
    CHECK(compared(grid("tid.x"), grid("tid.x + tid.y")).verdict == Verdict::different);

    VerifyOptions one_group;
    one_group.threads = 1;
    CHECK(compared(grid("tid.y * 16 + tid.x"), grid("tid.y + tid.x"), one_group).verdict ==
          Verdict::equal);
}

TEST_CASE("a kernel that does not look at y runs one row of groups") {
    // More would write one place twice: nothing that its author means.
    for (const char* writes : {"gGrad[tid.x] += p.d;", "gGrad[tid.x] = p.d * (1 + tid.y);"}) {
        const VerifyResult result = compared(kernel("", writes), kernel("", writes));
        CHECK(result.verdict == Verdict::equal);
        CHECK(result.defaults.rows == 1);
        CHECK(result.defaults.layers == 1);
    }
}

TEST_CASE("groups of unlike sizes are not compared") {
    const std::string original = kernel("", "gGrad[tid.x] = p.d;");
    std::string wide = original;
    wide.replace(wide.find("numthreads(1"), 12, "numthreads(8");
    const VerifyResult result = compared(original, wide);
    CHECK(result.verdict == Verdict::cannot_run);
    CHECK(result.reason.find("groups have 1x1x1 and 8x1x1 threads") != std::string::npos);
}

TEST_CASE("two buffers of one name cannot be told apart") {
    const std::string globals = "namespace A { RWStructuredBuffer<float> g; }\n"
                                "namespace B { RWStructuredBuffer<float> g; }\n";
    const auto shader = [&](const std::string& factor) {
        return kernel(globals, "A::g[tid.x] = p.d" + factor + "; B::g[tid.x] = p.d;");
    };
    for (const char* factor : {"", " * 2"}) {
        const VerifyResult result = compared(shader(""), shader(factor));
        CHECK(result.verdict == Verdict::cannot_run);
        CHECK(result.reason == "the two variants do not both have one buffer g of this kind");
    }
}

TEST_CASE("a buffer that only one of the two may write") {
    const std::string reads =
        kernel("StructuredBuffer<float> gW;\n", "gGrad[tid.x] = p.d + gW[tid.x];");
    const std::string writes =
        kernel("RWStructuredBuffer<float> gW;\n", "gGrad[tid.x] = p.d + gW[tid.x]; gW[tid.x] = 7;");
    const std::string reason = "the two variants do not both have one buffer gW of this kind";
    CHECK(compared(reads, writes).reason == reason);
    CHECK(compared(writes, reads).reason == reason);
    CHECK(compared(reads, reads).verdict == Verdict::equal);
}

TEST_CASE("a buffer that only the rewritten kernel writes to") {
    const std::string globals = "RWStructuredBuffer<float> gLog;\n";
    const VerifyResult result =
        compared(kernel(globals, "gGrad[tid.x] = p.d + gLog[tid.x];"),
                 kernel(globals, "gGrad[tid.x] = p.d + gLog[tid.x]; gLog[tid.x + 9] = 7;"));
    REQUIRE(result.verdict == Verdict::different);
    CHECK(result.difference->buffer == "gLog");
}

TEST_CASE("code of the target language is not run") {
    const CpuVariant plain = cpu_variant(kernel("", "gGrad[tid.x] = p.d;"));
    CpuVariant marked = plain;
    marked.target_code = true;
    const CpuVariant& code = marked;
    for (const auto& [original, rewritten] : {std::pair{&code, &plain}, std::pair{&plain, &code}}) {
        const Result<VerifyResult> result =
            shared_verifier().compare(*original, *rewritten, "gradMain", {});
        REQUIRE(result);
        CHECK(result->verdict == Verdict::cannot_run);
        CHECK(result->reason.find("which slimgrad does not run") != std::string::npos);
    }
    for (const char* word :
         {"__intrinsic_asm", "__requirePrelude", "__target_intrinsic", "spirv_asm", "__extern_cpp"})
        CHECK(holds_target_code("void f() { " + std::string(word) + " }"));
    CHECK_FALSE(holds_target_code("void f() { __target_switch { default: return; } }"));
}

TEST_CASE(
    "a carried scalar that is used as a vector is read at the loop's exit and changes nothing") {
    const std::string marcher =
        "StructuredBuffer<float3> gRay;\nRWStructuredBuffer<float> gOut;\n"
        "[Differentiable] float distance(float3 p) { return sin(p.x) + 0.3f * p.y * p.z; }\n"
        "[Differentiable]\nfloat trace(float3 o, float3 d)\n{\n    float t = 0.0f;\n    "
        "[MaxIters(8)]\n    for (int i = 0; i < 8; ++i)\n        t += distance(o + d * t);\n    "
        "return t;\n}\n"
        "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
        "void gradMain(uint3 tid : SV_DispatchThreadID)\n{\n    var o = diffPair(gRay[tid.x]);\n   "
        " "
        "var d = diffPair(float3(0.5f, 0.5f, 0.5f));\n    bwd_diff(trace)(o, d, 1.0f);\n    "
        "gOut[tid.x] = o.d.x;\n}\n";
    CHECK(compared(marcher, marcher).reason == "bit-equal on 32 inputs");
    // A bound below the trips is still seen in the same loop.
    CHECK(compared(marcher, edited(marcher, "MaxIters(8)", "MaxIters(6)")).verdict ==
          Verdict::rewritten_wrong);
}
