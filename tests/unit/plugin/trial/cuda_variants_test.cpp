#include "plugin/trial/cuda_variants.h"

#include "environment_variable.h"
#include "plugin/cache/result_cache.h"
#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

std::string cuda_of(const std::string& shader) {
    const TemporaryFolder folder;
    ProcessOptions options;
    options.arguments = {SLIMGRAD_SOURCE_DIR "/.deps/bin/slangc",
                         shader,
                         "-target",
                         "cuda",
                         "-O3",
                         "-o",
                         folder / "out.cu"};
    const Result<ProcessResult> result = run_process(options);
    REQUIRE(result);
    REQUIRE_MESSAGE(result->succeeded(), result->err);
    return folder.read("out.cu");
}

CudaRewriteOptions rewrite_options() {
    CudaRewriteOptions options;
    options.beside = SLIMGRAD_BUILD_DIR;
    return options;
}

Result<CudaChoice> choose(const std::string& text, const CudaRewriteOptions& options,
                          const NvccOptions& nvcc = {}) {
    const Result<CudaToolkit> toolkit = CudaToolkit::find();
    REQUIRE(toolkit);
    return choose_cuda(text, options, *toolkit, nvcc);
}

} // namespace

TEST_CASE("variants: ptxas decides for the single copy, and the decision is remembered") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string()),
        other("SLIMGRAD_CLANG");
    const std::string text = cuda_of(SLIMGRAD_SOURCE_DIR "/tests/inputs/kernels/k10_ode.slang");
    NvccOptions cached;
    cached.cache = std::make_shared<ResultCache>(folder / "results");
    const Result<CudaChoice> choice = choose(text, rewrite_options(), cached);
    REQUIRE_MESSAGE(choice, choice.error().message);
    CHECK_FALSE(choice->remembered);
    REQUIRE(choice->variants.size() >= 2);
    const CudaVariant& generated = choice->variants[0];
    const CudaVariant& single_copy = choice->variants[1];
    CHECK(generated.name == "as generated");
    CHECK(generated.rewritten.text == text);
    CHECK(single_copy.name == "single-copy");
    CHECK(choice->chosen == 1);
    CHECK(value(single_copy.figures, Figure::local_memory) <
          value(generated.figures, Figure::local_memory));
    // The heap needs the host's help: it is shown, and not chosen where it was not asked for.
    for (std::size_t i = 2; i < choice->variants.size(); ++i)
        CHECK_FALSE(choice->variants[i].allowed);

    const Result<CudaChoice> again = choose(text, rewrite_options(), cached);
    REQUIRE(again);
    CHECK(again->remembered);
    CHECK(again->chosen == 1);
    REQUIRE(again->variants.size() == choice->variants.size());
    for (std::size_t i = 0; i < choice->variants.size(); ++i) {
        const auto& kernels = again->variants[i].figures.kernels;
        REQUIRE(kernels.size() == choice->variants[i].figures.kernels.size());
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            const KernelFigures& before = choice->variants[i].figures.kernels[k];
            CHECK(kernels[k].name == before.name);
            CHECK(kernels[k].direction == before.direction);
            CHECK(kernels[k].registers == before.registers);
            CHECK(kernels[k].stack_bytes == before.stack_bytes);
            CHECK(kernels[k].local_loads == before.local_loads);
            CHECK(kernels[k].warps_per_sm == before.warps_per_sm);
        }
    }
    // Only what was asked for is chosen; and other compiler arguments are another question.
    CudaRewriteOptions none = rewrite_options();
    none.passes = {"repair-extents"};
    const Result<CudaChoice> plain = choose(text, none, cached);
    REQUIRE(plain);
    CHECK(plain->chosen == 0);
    NvccOptions precise = cached;
    precise.fast_math = false;
    const Result<CudaChoice> measured = choose(text, rewrite_options(), precise);
    REQUIRE(measured);
    CHECK_FALSE(measured->remembered);
}

TEST_CASE("variants: what nvcc refuses is an error, with nvcc's words") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string()),
        other("SLIMGRAD_CLANG");
    // Loop-free: nothing to rewrite, one compilation.
    const std::string shader =
        folder.write("k.slang", "RWStructuredBuffer<float> data;\n[shader(\"compute\")]"
                                "[numthreads(1, 1, 1)] void main() { data[0] *= 2; }\n");
    const std::string text = cuda_of(shader) + "\n#ifdef __NVCC__\n#error for nvcc alone\n#endif\n";
    NvccOptions nvcc;
    const Result<CudaChoice> choice = choose(text, rewrite_options(), nvcc);
    REQUIRE_FALSE(choice);
    CHECK(choice.error().message.find("for nvcc alone") != std::string::npos);
}
