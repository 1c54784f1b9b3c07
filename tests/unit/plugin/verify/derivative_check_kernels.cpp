#include "derivative_check_kernels.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad::derivative_cases {

std::string kernel(const std::string& functions, const std::string& body) {
    return fmt::format("RWStructuredBuffer<float> gIn;\nRWStructuredBuffer<float> gGrad;\n"
                       "StructuredBuffer<float> gW;\nRWStructuredBuffer<float> gWG;\n{}\n"
                       "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
                       "void gradMain(uint3 tid : SV_DispatchThreadID)\n{{\n"
                       "    uint b = tid.x * 16;\n    var x = diffPair(gIn[b], 0.0f);\n"
                       "    var y = diffPair(gIn[b + 1], 0.0f);\n{}\n"
                       "    gGrad[b] = x.d; gGrad[b + 1] = y.d;\n}}\n",
                       functions, body);
}

std::string kernel_of(const std::string& f) {
    return kernel(f, "bwd_diff(f)(x, y, 1.0f);");
}

std::string file(const std::string& path) {
    std::ifstream stream(SLIMGRAD_SOURCE_DIR "/" + path);
    std::ostringstream text;
    text << stream.rdbuf();
    REQUIRE(!text.str().empty());
    return text.str();
}

std::vector<DifferentiatedCall> check(const std::string& source, const std::string& entry_point,
                                      VerifyOptions options,
                                      const std::vector<std::string>& arguments,
                                      verify::Machine machine) {
    static SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    const TemporaryFolder folder;
    ModuleVariant variant;
    variant.file = folder.write("k.slang", source);
    variant.root = folder.path().string();
    variant.slang_arguments = arguments;
    std::vector<SourceFile> files;
    files.emplace_back(variant.file, source);
    const ModuleModel model = build_module_model(std::move(files), macro_definitions(arguments));
    const Reflection reflection;
    verify::DerivativeRequest request;
    request.variant = &variant;
    request.model = &model;
    request.reflection = &reflection;
    request.entry_point = entry_point;
    request.machine = machine;
    options.samples = std::min(options.samples, 12u);
    request.options = &options;
    const auto calls = verify::check_derivatives(compiler, shared_verifier().libraries(),
                                                 shared_verifier().runner(), request);
    REQUIRE_MESSAGE(calls, calls.error().message);
    return *calls;
}

DifferentiatedCall check_one(const std::string& source, const VerifyOptions& options) {
    const std::vector<DifferentiatedCall> calls = check(source, "gradMain", options);
    REQUIRE(calls.size() == 1);
    return calls.front();
}

void require_right(const DifferentiatedCall& call) {
    CAPTURE(call.dot_product.detail);
    CAPTURE(call.differences.detail);
    CHECK(call.dot_product.state == StepState::passed);
    CHECK(call.differences.state == StepState::passed);
    CHECK(call.backward == doctest::Approx(call.central_difference).epsilon(1e-3));
    CHECK(call.mismatches == 0);
}

void require_wrong(const DifferentiatedCall& call) {
    CAPTURE(call.differences.detail);
    CHECK(call.differences.state == StepState::failed);
    CHECK(call.mismatches > 0);
}

} // namespace slimgrad::derivative_cases
