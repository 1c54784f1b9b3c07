// The verdicts, each from a real shader through slangc, g++ and slimgrad-run.

#include "cpu_kernels.h"

#include <chrono>
#include <cmath>

using namespace slimgrad;

namespace {

/// A one-buffer kernel: `body` computes `float f(float x, int n)`.
std::string kernel(const std::string& body, const std::string& main = "buffer[16] = p.d;") {
    return "RWStructuredBuffer<float> buffer;\n" + body +
           "[shader(\"compute\")] [numthreads(1,1,1)]\n"
           "void gradMain(uint3 tid : SV_DispatchThreadID)\n{\n"
           "    float x = buffer[0]; int n = int(buffer[1]);\n"
           "    var p = diffPair(x, 0.f);\n    bwd_diff(f)(p, n, 1.f);\n    " +
           main + "\n}\n";
}

/// A loop whose trip count is the input buffer[1]. The loop is at line 7.
std::string counted_loop(int bound) {
    return kernel(
        "[Differentiable]\nfloat f(float x, no_diff int n)\n{\n    float v = x;\n    [MaxIters(" +
        std::to_string(bound) +
        ")]\n    for (int i = 0; i < n; ++i) v = sin(v) * 1.5f;\n    return v;\n}\n");
}

VerifyOptions with_ranges(InputRanges ranges) {
    VerifyOptions options;
    options.ranges = std::move(ranges);
    return options;
}

std::string nested_loops(int inner) {
    return kernel("[Differentiable]\nfloat f(float x, no_diff int n)\n{\n    float acc = x;\n    "
                  "[MaxIters(12)]\n"
                  "    for (int i = 0; i < 12; ++i)\n    {\n        float t = acc * 0.5f;\n        "
                  "[MaxIters(" +
                  std::to_string(inner) +
                  ")]\n        for (int j = 0; j < 3; ++j)\n            t = sin(t) + 0.3f * acc;\n"
                  "        acc = acc + 0.1f * t * t;\n    }\n    return acc;\n}\n");
}

} // namespace

TEST_CASE("recomputing the volume's samples changes no bit of the gradients") {
    const std::string original = corpus_kernel("volume_march.slang");
    const std::string rewritten =
        edited(original, "[Differentiable]\nfloat4 sampleGrid",
               "[PreferRecompute(SideEffectBehavior.Allow)]\n[Differentiable]\nfloat4 sampleGrid");
    const VerifyResult result = compared(original, rewritten);
    CHECK(result.reason == "bit-equal on 32 inputs");
    CHECK(result.verdict == Verdict::equal);
    CHECK(result.bit_equal);
    CHECK(result.rewritten_clean);
    CHECK(result.samples == 32);
    CHECK(result.largest_error == 0);
}

TEST_CASE("a detach of a value that carries gradient is found, with both values and the input") {
    const auto carried = [](const std::string& previous) {
        return kernel("[Differentiable]\nfloat f(float x, no_diff int n)\n{\n    float v = x; "
                      "float prev = 0.f;\n    [MaxIters(5)]\n"
                      "    for (int i = 0; i < 5; ++i)\n    {\n        float n = v + 0.3f * sin(v "
                      "- prev);\n        prev = " +
                      previous + ";\n        v = n;\n    }\n    return v;\n}\n");
    };
    const VerifyResult result =
        compared(carried("v"), carried("detach(v)"), with_ranges({{"buffer[0]", {0.4, 0.4}}}));
    REQUIRE(result.verdict == Verdict::different);
    REQUIRE(result.difference);
    CHECK(result.difference->buffer == "buffer");
    CHECK(result.difference->element == 16);
    CHECK(result.difference->original == doctest::Approx(1.393).epsilon(1e-3));
    CHECK(result.difference->rewritten == doctest::Approx(3.639).epsilon(1e-3));
    CHECK(result.sample == 0);
    CHECK(result.reason.starts_with("buffer[16] is 1.3929"));
    CHECK(result.reason.ends_with("in the rewritten kernel (input 0, seed 1)"));
    CHECK_FALSE(result.bit_equal);
}

TEST_CASE("no_diff of a call and detach are not the same") {
    const auto cut = [](const std::string& term) {
        return kernel("[Differentiable] float sq(float x) { return x * x; }\n"
                      "[Differentiable] float f(float x, no_diff int n) { return " +
                      term + " + x; }\n");
    };
    VerifyOptions options = with_ranges({{"buffer[0]", {0.4, 0.4}}});
    const VerifyResult result = compared(cut("no_diff(sq(x))"), cut("detach(sq(x))"), options);
    REQUIRE(result.verdict == Verdict::different);
    CHECK(result.difference->original == doctest::Approx(1.8));
    CHECK(result.difference->rewritten == doctest::Approx(1.0));

    SUBCASE("one sample can be run again alone") {
        options.sample = 7;
        options.ranges.clear();
        const VerifyResult again = compared(cut("no_diff(sq(x))"), cut("detach(sq(x))"), options);
        REQUIRE(again.verdict == Verdict::different);
        CHECK(again.sample == 7);
        options.sample.reset();
        options.samples = 8;
        const VerifyResult all = compared(cut("sq(x)"), cut("sq(x)"), options);
        CHECK(all.verdict == Verdict::equal);
    }
}

TEST_CASE("nested loops with unequal bounds: the original's checkpoint arrays are wrong") {
    const VerifyResult result = compared(nested_loops(3), nested_loops(12));
    CHECK(result.verdict == Verdict::original_wrong);
    CHECK(result.rewritten_clean);
    CHECK(result.place.line == 9);
    CHECK(result.reason.find("checkpoint array of 5 elements with 5 at ") != std::string::npos);
    const VerifyResult reversed = compared(nested_loops(12), nested_loops(3));
    CHECK(reversed.verdict == Verdict::rewritten_wrong);
    CHECK_FALSE(reversed.rewritten_clean);
    CHECK(compared(nested_loops(12), nested_loops(12)).verdict == Verdict::equal);
}

TEST_CASE("a bound below the trip count that the inputs allow") {
    CHECK(compared(counted_loop(4), counted_loop(12), with_ranges({{"buffer[1]", {12, 12}}}))
              .verdict == Verdict::original_wrong);
    CHECK(compared(counted_loop(12), counted_loop(4), with_ranges({{"buffer[1]", {12, 12}}}))
              .verdict == Verdict::rewritten_wrong);
    CHECK(
        compared(counted_loop(12), counted_loop(4), with_ranges({{"buffer[1]", {0, 4}}})).verdict ==
        Verdict::equal);
}

TEST_CASE("equal needs loops that ran with 0, 1, N-1 and N trips") {
    VerifyOptions options;
    options.loops.push_back(loop_at(7, 12, true));
    const VerifyResult unknown = compared(counted_loop(12), counted_loop(12), options);
    CHECK(unknown.verdict == Verdict::unverified);
    CHECK(unknown.place == Place{"k.slang", 7, 5});
    CHECK(unknown.reason ==
          "loop at k.slang:7 never ran with 11 and 12 trips; give the input that "
          "sets its trip count a range under [inputs] that makes trip counts in [0, 12]");
    options.ranges["buffer[1]"] = {0, 12};
    CHECK(compared(counted_loop(12), counted_loop(12), options).verdict == Verdict::equal);
    options.ranges["buffer[1]"] = {1, 12};
    options.loops[0].input = "buffer[1]";
    CHECK(
        compared(counted_loop(12), counted_loop(12), options).reason ==
        "loop at k.slang:7 never ran with 0 trips; give `\"buffer[1]\" = [0, 12]` under [inputs]");
    // An input that is known to set the trip count is drawn within the bound without being told.
    options.ranges.clear();
    CHECK(compared(counted_loop(12), counted_loop(12), options).verdict == Verdict::equal);
}

TEST_CASE("a bound is wrong only for inputs that were said to come") {
    VerifyOptions options;
    options.loops.push_back(loop_at(7, 1, true));
    options.samples = 256; // enough for a few that are two and more
    const VerifyResult assumed = compared(counted_loop(1), counted_loop(1), options);
    CHECK(assumed.verdict == Verdict::unverified);
    CHECK(assumed.reason.starts_with(
        "loop at k.slang:7 assumes at most 1 trips and would make more (input "));
    options.ranges["buffer[1]"] = {0, 3};
    CHECK(compared(counted_loop(1), counted_loop(1), options).verdict == Verdict::original_wrong);
}

TEST_CASE("equal needs results: loops entered, finite, not all zero") {
    const std::string guarded = kernel("[Differentiable]\nfloat f(float x, no_diff int n)\n{\n    "
                                       "float v = x;\n    if (n > 1000000)\n    {\n"
                                       "        [MaxIters(8)]\n        for (int i = 0; i < 8; ++i) "
                                       "v = sin(v);\n    }\n    return v;\n}\n");
    VerifyOptions options;
    options.loops.push_back(loop_at(9, 8, false));
    const VerifyResult never = compared(guarded, guarded, options);
    CHECK(never.verdict == Verdict::unverified);
    CHECK(never.reason.starts_with("loop at k.slang:9 never ran"));

    const std::string undefined = kernel(
        "[Differentiable] float f(float x, no_diff int n) { return x * log(-1.0f - x * x); }\n");
    const VerifyResult nan = compared(undefined, undefined);
    CHECK(nan.verdict == Verdict::unverified);
    CHECK(nan.reason.starts_with("buffer[16] is not finite in the original (input 0, seed 1)"));

    const std::string constant =
        kernel("[Differentiable] float f(float x, no_diff int n) { return 0.0f * x; }\n");
    CHECK(compared(constant, constant).reason == "the original writes nothing but zeros");
}

TEST_CASE("inputs get smaller if only then the results are finite") {
    const std::string root =
        kernel("[Differentiable] float f(float x, no_diff int n) { return sqrt(x) * x; }\n");
    CHECK(compared(root, root).reason == "bit-equal on 32 inputs, floats in [0, 1]");
}

TEST_CASE("integers are not zero if the kernel divides by them") {
    const std::string hashed =
        "uniform uint size;\n" +
        kernel("[Differentiable] float f(float x, no_diff int n) { return sin(x); }\n",
               "buffer[16 + uint(1000 * abs(x)) % size] = p.d;");
    CHECK(compared(hashed, hashed).reason == "bit-equal on 32 inputs, integers from 1");
}

TEST_CASE("buffers grow when the original runs out of one") {
    const std::string far =
        kernel("[Differentiable] float f(float x, no_diff int n) { return sin(x); }\n",
               "buffer[300000] = p.d;");
    CHECK(compared(far, far).reason == "bit-equal on 32 inputs");
    // The rewritten kernel gets what the original needs and no more.
    const std::string near =
        kernel("[Differentiable] float f(float x, no_diff int n) { return sin(x); }\n",
               "buffer[70] = p.d;");
    const VerifyResult result = compared(near, far);
    CHECK(result.verdict == Verdict::rewritten_wrong);
    CHECK(result.reason.starts_with("index out of range: buffer[300000] of 65536 elements at "));
}

TEST_CASE("an index out of the user's own arrays and buffers: cannot run") {
    const std::string negative =
        kernel("[Differentiable] float f(float x, no_diff int n) { return sin(x); }\n",
               "buffer[n - 1000] = p.d;");
    const VerifyResult buffer = compared(negative, negative);
    CHECK(buffer.verdict == Verdict::cannot_run);
    CHECK(buffer.reason.starts_with("index out of range: buffer[-"));
    CHECK(buffer.place.line == 9);

    const std::string small = kernel("[Differentiable]\nfloat f(float x, no_diff int n)\n{\n    "
                                     "float table[4] = { x, x * x, 1.0f, 2.0f };\n"
                                     "    return table[n + 9] * x;\n}\n");
    const VerifyResult array = compared(small, small);
    CHECK(array.verdict == Verdict::cannot_run);
    CHECK(array.reason.starts_with("index out of range: table["));
    CHECK(array.place.line == 6);
}

TEST_CASE("a kernel that hangs or crashes ends at a limit, with the input") {
    const auto body = [](const std::string& statement) {
        return kernel("[Differentiable] float f(float x, no_diff int n) { return sin(x); }\n",
                      statement + " buffer[16] = p.d;");
    };
    const std::string good = body("");
    VerifyOptions options;
    options.limits.wall_clock = std::chrono::milliseconds{4000};
    const std::string endless = body("while (buffer[2] < 1e9f) buffer[3] += 1.0f;");
    const VerifyResult hang = compared(endless, good, options);
    CHECK(hang.verdict == Verdict::cannot_run);
    CHECK(hang.reason == "the original kernel took more than 4 s (input 0, seed 1)");
    CHECK(compared(good, endless, options).verdict == Verdict::cannot_run);

    const std::string division = body("buffer[4] = float(7 / int(buffer[5] * 0.0f));");
    CHECK(compared(division, good).reason ==
          "the original kernel crashed (signal 8, Floating point exception) (input 0, seed 1)");
    CHECK(compared(good, division).verdict == Verdict::rewritten_wrong);
}

TEST_CASE("code that the C++ compiler rejects") {
    const CpuVariant good = cpu_variant(
        kernel("[Differentiable] float f(float x, no_diff int n) { return sin(x); }\n"));
    // What slangc emits for a loop that starts at a run-time value uses a name it does not declare.
    const CpuVariant broken = cpu_variant(kernel(
        "[Differentiable]\nfloat f(float x, no_diff int n)\n{\n    float v = x;\n    "
        "[MaxIters(8)]\n"
        "    for (int i = n; i < 8; ++i) v = sin(v) * 1.5f + float(i) * v;\n    return v;\n}\n"));
    const Result<std::optional<Error>> rejection = shared_verifier().rejection(broken);
    REQUIRE(rejection);
    REQUIRE(*rejection);
    CHECK((*rejection)->message.find("was not declared in this scope") != std::string::npos);
    CHECK((*rejection)->place.file.ends_with("k.slang"));
    const Result<std::optional<Error>> accepted = shared_verifier().rejection(good);
    REQUIRE(accepted);
    CHECK_FALSE(*accepted);
    const Result<VerifyResult> result = shared_verifier().compare(good, broken, "gradMain", {});
    REQUIRE(result);
    CHECK(result->verdict == Verdict::cannot_run);
    CHECK(result->code_rejected);
    CHECK(result->reason.starts_with("the C++ compiler rejects the rewritten kernel's code: "));
}

TEST_CASE("what cannot be run says why") {
    const std::string good =
        kernel("[Differentiable] float f(float x, no_diff int n) { return sin(x); }\n");
    SUBCASE("a texture that the entry point reads") {
        const std::string textured =
            "Texture2D<float> albedo;\n" +
            kernel("[Differentiable] float f(float x, no_diff int n) { return sin(x); }\n",
                   "buffer[16] = p.d * albedo.Load(int3(0, 0, 0));");
        CHECK(compared(textured, textured).reason ==
              "albedo is a Texture2D<float>, which a kernel on the CPU cannot be given");
    }
    SUBCASE("one that it does not read is no hindrance") {
        CHECK(compared("Texture2D<float> albedo;\n" + good, "Texture2D<float> albedo;\n" + good)
                  .verdict == Verdict::equal);
    }
    SUBCASE("a range that holds no value") {
        CHECK(compared(good, good, with_ranges({{"buffer", {2, 1}}})).reason ==
              "[inputs] gives buffer the range [2, 1], which holds nothing to draw");
    }
    SUBCASE("a range for an input that is not there may be another kernel's") {
        const VerifyResult result = compared(good, good, with_ranges({{"gain", {0, 1}}}));
        CHECK(result.verdict == Verdict::equal);
        CHECK(result.unused_ranges == std::vector<std::string>{"gain"});
    }
    SUBCASE("an entry point that C++ cannot call by its own name") {
        const CpuVariant variant = cpu_variant(edited(good, "gradMain", "main"));
        const Result<VerifyResult> result = shared_verifier().compare(variant, variant, "main", {});
        REQUIRE_MESSAGE(result, result.error().message);
        CHECK(result->reason == "bit-equal on 32 inputs");
    }
    SUBCASE("an entry point that is not there") {
        const CpuVariant variant = cpu_variant(good);
        const Result<VerifyResult> result =
            shared_verifier().compare(variant, variant, "backward", {});
        REQUIRE(result);
        CHECK(result->reason == "the module has no entry point 'backward'");
    }
    SUBCASE("the branch for C++ is named") {
        CpuVariant variant = cpu_variant(good);
        variant.target_switch = true;
        const Result<VerifyResult> result =
            shared_verifier().compare(variant, variant, "gradMain", {});
        REQUIRE(result);
        CHECK(result->reason == "bit-equal on 32 inputs (cpp branch)");
    }
}
