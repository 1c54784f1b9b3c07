#include "attributes/frame_limit.h"

#include "module_text.h"
#include "plugin/cuda/frame_size.h"

using namespace slimgrad;

namespace {

const std::string shader = "RWStructuredBuffer<float> outb;\n"
                           "[Differentiable] float f(float x) { return x * x; }\n"
                           "[shader(\"compute\")] void train(uint3 t : SV_DispatchThreadID) { }\n";

std::vector<Finding> findings_for(std::uint64_t bytes, std::uint64_t stored = 0) {
    ModuleText module(shader);
    if (stored != 0)
        module.store("f", "x * x", 0, "float", stored);
    RuleInput input = module.input();
    input.frames = {{"train", bytes, true}};
    return frame_limit(input);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("attributes/frame_limit") {
    TEST_CASE("a limit itself is no finding, a byte more is") {
        CHECK(findings_for(0).empty());
        CHECK(findings_for(largest_metal_frame).empty());
        REQUIRE(findings_for(largest_metal_frame + 1).size() == 1);
        CHECK(findings_for(largest_metal_frame + 1)[0].severity == Severity::note);
        CHECK(findings_for(largest_held_frame)[0].severity == Severity::note);
        CHECK(findings_for(largest_held_frame + 1)[0].severity == Severity::cost);
        CHECK(findings_for(largest_cuda_frame)[0].severity == Severity::cost);
        CHECK(findings_for(largest_cuda_frame + 1)[0].severity == Severity::error);
    }

    TEST_CASE("the finding stands at the kernel and says the figures") {
        const Finding finding = findings_for(198'256, 66'048)[0];
        CHECK(finding.place == Place{"/p/a.slang", 3, 26});
        CHECK(finding.bytes == 198'256);
        CHECK(finding.fixes.empty());
        CHECK(contains(finding.message, "'train' has a stack frame of 198256 bytes"));
        // 198256 * 128 * 1536 and 198256 * 132 * 2048 bytes
        CHECK(contains(finding.message, "36.3 GiB on an RTX 4090 (128 multiprocessors"));
        CHECK(contains(finding.message, "49.9 GiB on an H100"));
        CHECK(contains(finding.message, "131056 bytes at most"));
        CHECK(contains(finding.message, "66048 bytes are stored"));
        CHECK(contains(finding.message, "--passes single-copy,heap"));
    }

    TEST_CASE("a pass is named only where most of the frame can be what is stored") {
        CHECK(
            contains(findings_for(600'000, 200'000)[0].message, "the launch fails; 200000 bytes"));
        CHECK_FALSE(contains(findings_for(600'000, 4)[0].message, "slimgrad cuda"));
        CHECK_FALSE(contains(findings_for(600'000)[0].message, "slimgrad cuda"));
        CHECK(contains(findings_for(20'000, 8'000)[0].message, "prefer-recompute"));
        CHECK_FALSE(contains(findings_for(20'000, 8'000)[0].message, "slimgrad cuda"));
    }

    TEST_CASE("the backward pass of a kernel is shown at the kernel") {
        ModuleText module(shader);
        RuleInput input = module.input();
        input.frames = {{"train_bwd_diff", 600'000, true}, {"unknown", 600'000, false}};
        const std::vector<Finding> findings = frame_limit(input);
        REQUIRE(findings.size() == 2);
        CHECK(findings[0].place.line == 3);
        CHECK(findings[1].place == Place{"/p/a.slang", 0, 0});
    }
}
