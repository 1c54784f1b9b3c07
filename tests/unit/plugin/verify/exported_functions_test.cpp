#include "plugin/verify/exported_functions.h"

#include "cuda_kernels.h"

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

ExportCallers callers_of(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/k.slang", text);
    return export_callers(build_module_model(std::move(files)));
}

} // namespace

TEST_CASE("an exported function runs on arguments from buffers, on both machines") {
    const std::string source = R"(
struct Params { float3 axis; int count; };
[Differentiable] float f(float x, no_diff Params p) { return x * x * p.axis.y; }
[CudaDeviceExport]
float gradient(float x, Params p, inout float sum, float weights[2], out int count)
{
    var pair = diffPair(x, 0.0f);
    bwd_diff(f)(pair, p, weights[1]);
    sum += pair.d;
    count = p.count;
    return pair.d;
}
)";
    const ExportCallers callers = callers_of(source);
    REQUIRE(callers.functions.size() == 1);
    CHECK(callers.functions[0].entry_point == "slimgrad_call_gradient");
    const EntryInputs inputs{{"x", {3, 4}},
                             {"p", {0, 2, 0, 7, 0, 10, 0, 8}},
                             {"sum", {100, 100}},
                             {"weights", {0, 1, 0, 5}}};
    for (const SlangTarget target : {SlangTarget::cpp, SlangTarget::cuda}) {
        const auto result = shared_verifier().run_entry(variant_for(target, source + callers.text),
                                                        "slimgrad_call_gradient", {inputs}, {});
        REQUIRE_MESSAGE(result, result.error().message);
        CHECK(result->front().at("slimgrad_result")[0] == 12);
        CHECK(result->front().at("slimgrad_result")[1] == 400);
        CHECK(result->front().at("sum")[1] == 500);
        CHECK(result->front().at("count")[1] == 8);
    }
}

TEST_CASE("what cannot come from a buffer is named") {
    const ExportCallers callers =
        callers_of("[CudaDeviceExport] float f(Texture2D t) { return 0; }\n"
                   "[CudaDeviceExport] T g<T>(T x) { return x; }\n"
                   "float other(float x) { return x; }\n");
    REQUIRE(callers.functions.size() == 2);
    CHECK(callers.functions[0].problem == "its parameter t is a Texture2D");
    CHECK(callers.functions[1].problem == "it is generic");
    CHECK(callers.text.empty());
}
