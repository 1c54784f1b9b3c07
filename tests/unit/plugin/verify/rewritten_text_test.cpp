// Texts made by hand of what slangc emits for one kernel: right ones, with the checkpoints in a
// heap too, and ones with a fault each.

#include "plugin/verify/rewritten_text.h"

#include "cpu_kernels.h"
#include "plugin/cli/loaded_module.h"

#include <fmt/format.h>

using namespace slimgrad;

namespace {

const std::string shader = R"(RWStructuredBuffer<float> gIn;
RWStructuredBuffer<float> gGrad;
[Differentiable]
float f(float x)
{
    float y = x;
    [MaxIters(6)]
    for (int i = 0; i < 6; ++i)
        y = sin(y) + y * 0.5f;
    return y;
}
[shader("compute")] [numthreads(40, 1, 1)]
void gradMain(uint3 tid : SV_DispatchThreadID)
{
    var p = diffPair(gIn[tid.x], 0.f);
    bwd_diff(f)(p, 1.f);
    gGrad[tid.x] = p.d;
}
)";

const LoadedModule& module_of(const std::string& source) {
    static std::map<std::string, LoadedModule> known;
    if (const auto found = known.find(source); found != known.end())
        return found->second;
    static SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    const TemporaryFolder folder;
    Result<LoadedModule> module = load_module(
        compiler, {folder.write("k.slang", source), folder.path().string(), {"-O3"}, {}});
    REQUIRE_MESSAGE(module, to_string(module.error()));
    return known.emplace(source, std::move(*module)).first->second;
}

/// `rewritten` against what slangc emits for the shader.
VerifyResult compared_texts(const std::string& rewritten, VerifyOptions options = {},
                            const std::string& source = shader,
                            std::optional<double> tolerance = std::nullopt) {
    options.sanitize = true;
    const LoadedModule& module = module_of(source);
    const ModuleView view = module.view();
    const auto results = compare_rewritten(
        shared_verifier(), {&view, module.cuda.code, rewritten, "k.cu", tolerance}, options, {});
    REQUIRE_MESSAGE(results, to_string(results.error()));
    REQUIRE(results->size() == 1);
    return results->front();
}

StepState state_of(const VerifyResult& result, Step step) {
    for (const StepReport& report : result.steps)
        if (report.step == step)
            return report.state;
    return StepState::not_run;
}

std::string emitted() {
    return module_of(shader).cuda.code;
}

const std::string store = "(&_S7)->value0_1[_pc_0] = y_0;";
const std::string load = "(&_S12->value1_1)->value0_1[_dc_0]";

/// What single-copy makes of it: the caller owns the context, the callee fills it in.
std::string single_copy() {
    std::string text = emitted();
    text = edited(text, "    float value0_2;\n    s_minCtx_s_bwdCallableCtx_f_0 value1_0;\n",
                  "    float value0_2;\n");
    text = edited(text, "s_apply_f_0(float _S5)\n",
                  "s_apply_f_0(float _S5, s_minCtx_s_bwdCallableCtx_f_0 * _S7)\n");
    text = edited(text, "    s_minCtx_s_bwdCallableCtx_f_0 _S7;\n", "");
    text = edited(text, "    (&_S7)->value0_1 = _S6;\n", "");
    text = edited(text, store, "_S7->value0_1[_pc_0] = y_0;");
    text = edited(text, "    (&_S11)->value1_0 = _S7;\n", "");
    return edited(text, "(&_S28)->value1_1 = s_apply_f_0(_S26->primal_0).value1_0;",
                  "s_apply_f_0(_S26->primal_0, &_S28.value1_1);");
}

/// What a heap makes of it: the context holds where its array is. `before`: of the slice, in bytes;
/// `declared`: what the kernel says that it needs.
std::string in_heap(int layout, const std::string& declared = "{4, {8}}",
                    const std::string& slice = "slimgrad_checkpoint_slice(32)") {
    std::ifstream file(SLIMGRAD_SOURCE_DIR "/plugin/clang/runtime/checkpoint_heap.cuh");
    std::ostringstream runtime;
    runtime << "\n#define SLIMGRAD_CHECKPOINT_LAYOUT " << layout
            << "\n#define SLIMGRAD_CHECKPOINT_TRIPS 1\n"
            << file.rdbuf();
    std::string text = emitted();
    text = edited(text, "\n#line ", runtime.str() + "\n#line ");
    text = edited(text, "    FixedArray<float, 8>  value0_1;",
                  "    SlimgradCheckpointArray<float, 8> value0_1;");
    text = edited(text, "(&_S7)->value0_1 = _S6;", "(&_S7)->value0_1.slice = " + slice + ";");
    text = edited(text, store, "(&_S7)->value0_1.store(_pc_0, y_0);");
    text = edited(text, load, "(&_S12->value1_1)->value0_1.load(_dc_0)");
    return edited(text, "extern \"C\" __global__",
                  fmt::format("extern \"C\" __constant__ SlimgradCheckpointKernel<1> "
                              "slimgrad_checkpoint_of_gradMain = {{1, {}, 1, 0, {{{}}}}};\n"
                              "extern \"C\" __global__",
                              layout, declared));
}

} // namespace

TEST_CASE("rewritten text: the same text, and one copy of the context") {
    for (const std::string& text : {emitted(), single_copy()}) {
        const VerifyResult result = compared_texts(text);
        CAPTURE(result.reason);
        CHECK(result.verdict == Verdict::equal);
        CHECK(result.bit_equal);
        CHECK(state_of(result, Step::sanitized) == StepState::passed);
        CHECK(state_of(result, Step::coverage) == StepState::passed);
    }
}

TEST_CASE("rewritten text: what differs is found, by one bit too") {
    for (const auto& [from, to] : {
             std::pair{store, std::string("(&_S7)->value0_1[_pc_0 ^ 1] = y_0;")},
             {store, "if (_pc_0 != 3) (&_S7)->value0_1[_pc_0] = y_0;"},
             {load, "(&_S12->value1_1)->value0_1[_dc_0 > 0 ? _dc_0 - 1 : 0]"},
             {"_S15 = _S22 + _S23 + _S21;", "_S15 = _S22 + (_S23 + _S21) * 1.0000001f;"},
         }) {
        CAPTURE(to);
        const VerifyResult result = compared_texts(edited(emitted(), from, to));
        CAPTURE(result.reason);
        CHECK(result.verdict == Verdict::different);
        REQUIRE(result.difference);
        CHECK(result.difference->buffer == "gGrad");
    }
}

TEST_CASE("rewritten text: a tolerance that is given counts, else every bit") {
    const std::string text = edited(emitted(), "_S15 = _S22 + _S23 + _S21;",
                                    "_S15 = _S22 + (_S23 + _S21) * 1.0000001f;");
    const VerifyResult exact = compared_texts(text);
    CHECK(exact.verdict == Verdict::different);
    CHECK(exact.reason.ends_with("every bit is wanted where --tolerance is not given"));
    const VerifyResult near = compared_texts(text, {}, shader, 1e-3);
    CAPTURE(near.reason);
    CHECK(near.verdict == Verdict::equal);
    CHECK_FALSE(near.bit_equal);
    CHECK(near.reason.starts_with("equal within 0.001 on 32 inputs, largest relative error "));
}

TEST_CASE("rewritten text: an original that leaves its arrays, and the other text alone") {
    const std::string source = edited(shader, "[MaxIters(6)]", "[MaxIters(4)]");
    const std::string wrong = module_of(source).cuda.code;
    const VerifyResult same = compared_texts(wrong, {}, source);
    CAPTURE(same.reason);
    CHECK(same.verdict == Verdict::original_wrong);
    CHECK(same.reason.ends_with("nor does the rewritten text run with every index inside"));
    CHECK(wrong.find("FixedArray<float, 6>") != std::string::npos);
    std::string repaired = wrong;
    for (std::size_t at; (at = repaired.find("FixedArray<float, 6>")) != std::string::npos;)
        repaired.replace(at, 20, "FixedArray<float, 8>");
    const VerifyResult alone = compared_texts(repaired, {}, source);
    CAPTURE(alone.reason);
    CHECK(alone.verdict == Verdict::original_wrong);
    CHECK(alone.reason.find("the rewritten text keeps every index inside") != std::string::npos);
}

TEST_CASE("rewritten text: one of another shader is named") {
    const VerifyResult other = compared_texts(edited(emitted(), "void gradMain(", "void other("));
    CHECK(other.verdict == Verdict::cannot_run);
    CHECK(other.reason ==
          "k.cu has no kernel gradMain, but other: it was made from another shader");
    CHECK(compared_texts("").reason == "k.cu has no kernel at all");
}

TEST_CASE("rewritten text: zeros of another sign are other bits") {
    const std::string source = edited(shader, "y = sin(y) + y * 0.5f", "y = y * 0.0f");
    const std::string text = module_of(source).cuda.code;
    CHECK(compared_texts(text, {}, source).verdict == Verdict::unverified); // nothing but zeros
    const std::string negative = edited(text, "= p_0.differential_0;", "= -p_0.differential_0;");
    const VerifyResult result = compared_texts(negative, {}, source);
    CAPTURE(result.reason);
    CHECK_FALSE(result.bit_equal);
    CHECK(result.verdict != Verdict::equal);
}

TEST_CASE("rewritten text: an index that leaves the context, and memory that does") {
    const VerifyResult index =
        compared_texts(edited(emitted(), store, "(&_S7)->value0_1[_pc_0 == 6 ? 8 : _pc_0] = y_0;"));
    CAPTURE(index.reason);
    CHECK(index.verdict == Verdict::rewritten_wrong);
    CHECK(index.reason.find("value0[8] of 8 elements at k.slang:6") != std::string::npos);

    // Two copies that share what one was: the context is gone when it is read.
    const std::string dangling = edited(
        edited(single_copy(), "    s_bwdCallableCtx_f_0 _S28;\n",
               "    s_bwdCallableCtx_f_0 *gone; { s_bwdCallableCtx_f_0 _S28; gone = &_S28;\n"),
        "    s_bwdProp_f_0(&_S28,", "    } s_bwdProp_f_0(gone,");
    const VerifyResult memory = compared_texts(dangling);
    CAPTURE(memory.reason);
    CHECK(memory.verdict == Verdict::rewritten_wrong);
    CHECK(state_of(memory, Step::sanitized) == StepState::failed);
}

TEST_CASE("rewritten text: code that the compiler rejects is no verdict") {
    const VerifyResult result = compared_texts(edited(emitted(), store, "no such thing;"));
    CHECK(result.verdict == Verdict::cannot_run);
    CHECK(result.code_rejected);
}

TEST_CASE("checkpoint heap: every layout is bit-equal") {
    for (const int layout : {0, 1, 2})
        for (const bool trips : {false, true}) {
            CAPTURE(layout);
            VerifyOptions options;
            options.samples = 4;
            if (trips)
                options.checkpoint_trips = 6;
            const VerifyResult result = compared_texts(
                in_heap(layout, "{4, {8}}",
                        trips ? "slimgrad_checkpoint_slice(4 * slimgrad_checkpoint_slots(8))"
                              : "slimgrad_checkpoint_slice(32)"),
                options);
            CAPTURE(result.reason);
            CHECK(result.verdict == Verdict::equal);
            CHECK(result.bit_equal);
        }
}

TEST_CASE("checkpoint heap: what a thread may not do is found") {
    struct Fault {
        std::string what, declared, slice, says;
    };
    const Fault faults[] = {
        {"one slice for all threads", "{4, {8}}",
         "SlimgradCheckpointSlice{slimgrad_checkpoint_heap.base}", "outside its slice"},
        {"an offset past its slice", "{4, {8}}", "slimgrad_checkpoint_slice(32) + 8",
         "outside its slice"},
        {"more than was asked for", "{4, {6}}", "slimgrad_checkpoint_slice(24)",
         "outside its slice"},
        {"another stride than was asked for", "{4, {10}}", "slimgrad_checkpoint_slice(32)",
         "outside its slice"},
        {"a heap that is too small for it", "{4, {6}}", "slimgrad_checkpoint_slice(32)", "crash"},
        {"before the heap", "{4, {8}}",
         "SlimgradCheckpointSlice{slimgrad_checkpoint_heap.base - 64}", "outside its slice"},
    };
    for (const int layout : {0, 1, 2})
        for (const Fault& fault : faults) {
            if (layout == 2 && fault.what == "another stride than was asked for")
                continue; // there threads lie as close whatever it is
            CAPTURE(layout);
            CAPTURE(fault.what);
            VerifyOptions options;
            options.samples = 2;
            const VerifyResult result =
                compared_texts(in_heap(layout, fault.declared, fault.slice), options);
            CAPTURE(result.reason);
            CHECK(result.verdict == Verdict::rewritten_wrong);
            CHECK(result.reason.find(fault.says) != std::string::npos);
        }
}

TEST_CASE("checkpoint heap: reads of what was not stored, and too few slots") {
    const std::string dropped =
        edited(in_heap(1), ".store(_pc_0, y_0);", ".store(_pc_0 == 3 ? 2 : _pc_0, y_0);");
    CHECK(compared_texts(dropped).verdict == Verdict::different);

    VerifyOptions options;
    options.checkpoint_trips = 5;
    const VerifyResult few = compared_texts(
        in_heap(1, "{4, {8}}", "slimgrad_checkpoint_slice(4 * slimgrad_checkpoint_slots(8))"),
        options);
    CAPTURE(few.reason);
    CHECK(few.verdict == Verdict::rewritten_wrong);
    CHECK(few.reason.find("needed 8 slots") != std::string::npos);
}

TEST_CASE("checkpoint heap: a form that is not known does not run") {
    const VerifyResult result =
        compared_texts(edited(in_heap(1), "slimgrad_checkpoint_of_gradMain = {1,",
                              "slimgrad_checkpoint_of_gradMain = {2,"));
    CHECK(result.verdict == Verdict::cannot_run);
    CHECK(result.reason.find("not known") != std::string::npos);
}
