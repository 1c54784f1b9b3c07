#include "plugin/verify/verification_cache.h"

#include "cpu_kernels.h"
#include "plugin/cache/result_cache.h"
#include "plugin/cli/loaded_module.h"
#include "plugin/verify/module_verifier.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

std::string kernel(const std::string& function) {
    return "RWStructuredBuffer<float> gIn;\nRWStructuredBuffer<float> gGrad;\n" + function +
           "\n[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
           "void gradMain(uint3 tid : SV_DispatchThreadID)\n{\n"
           "    var p = diffPair(gIn[tid.x], 0.f);\n    bwd_diff(f)(p, 1.f);\n"
           "    gGrad[tid.x] = p.d;\n}\n";
}

const std::string square = kernel("[Differentiable] float f(float x) { return x * x; }");

/// A cache, and a g++ that notes every call.
struct Laboratory {
    TemporaryFolder folder;
    SlangCompiler compiler{{SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}}};
    std::string host =
        folder.write("g++", "#!/bin/sh\necho called >>" + (folder / "log") + "\nexec g++ \"$@\"\n");
    VerifyOptions options;
    Promises promises;

    Laboratory() {
        fs::permissions(host, fs::perms::owner_exec, fs::perm_options::add);
        folder.write("log", "");
    }
    LoadedModule module(const std::string& source, const std::string& name = "a.slang") {
        Result<LoadedModule> loaded = load_module(
            compiler, {folder.write(name, source), folder.path().string(), {"-O3"}, {}});
        REQUIRE_MESSAGE(loaded, to_string(loaded.error()));
        return std::move(*loaded);
    }
    std::vector<VerifyResult> check(const LoadedModule& module) {
        Result<Verifier> verifier = Verifier::create({host, SLIMGRAD_BUILD_DIR "/slimgrad-run"});
        REQUIRE(verifier);
        Result<std::vector<VerifyResult>> results =
            ModuleVerifier(compiler, *verifier, std::make_shared<ResultCache>(folder / "cache"))
                .check(module.view(), options, promises);
        REQUIRE_MESSAGE(results, to_string(results.error()));
        return std::move(*results);
    }
    std::size_t calls() const {
        const std::string log = folder.read("log");
        return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
    }
};

std::string key(const LoadedModule& module, const VerifyOptions& options = {},
                const Promises& promises = {}, const std::string& tools = "tools") {
    const ModuleView view = module.view();
    return verify::verification_key(view, view, options, promises, tools);
}

} // namespace

TEST_SUITE_BEGIN("verification cache");

TEST_CASE("verification cache: all of a result comes back") {
    VerifyResult result;
    result.verdict = Verdict::different;
    result.entry_point = "gradMain";
    result.reason = "not UTF-8: \xff";
    result.place = {"k.slang", 3, 4};
    result.bit_equal = result.reference_is_repaired = true;
    result.largest_error = 1.0 / 3;
    result.difference = {"gGrad", 5, 0.1, std::numeric_limits<double>::infinity(), 6, "gGrad[5].x"};
    result.hidden_difference = {"gOther", 1, -0.0, 2, 3, ""};
    result.left_array = {-7, 8};
    result.sample = 9;
    result.samples = 32;
    result.seed = 0xffff'ffff'ffff'fff0;
    result.rewritten_clean = true;
    result.unused_ranges = {"one", "two"};
    result.steps = {{Step::equal, StepState::failed, "detail", std::chrono::milliseconds(12)}};
    result.differs_if_aliased = true;
    result.conflict = "conflict";
    result.conflict_place = {"c.slang", 1, 2};
    result.conflict_certain = result.not_finite = true;
    verify::DifferentiatedCall& call = result.calls.emplace_back();
    call.function = "f";
    call.place = {"f.slang", 7, 8};
    call.dot_product = {Step::dot_product, StepState::passed, "fine", {}};
    call.differences = {Step::differences, StepState::not_run, "", {}};
    call.backward = 1.25, call.forward = 2.5, call.central_difference = 1e-300;
    call.samples = 1, call.kinks = 2, call.mismatches = 3, call.sample = 4;
    call.typical_mismatch = 0.01;
    call.cuts = {{"cut.slang", 1, 1}};
    call.custom_derivatives = {"df"}, call.unpaired = {"gU"}, call.lost = "lost";
    result.defaults = {{-1, 1, {0.5, 2}}, 1, 2, 3};
    result.elements = {{"gIn", 70'000}};
    result.tensor_sizes = {{{"t", 1}, 64}};
    result.code_rejected = result.timed_out = result.cpp_branch = true;

    const std::string bytes = verify::encode({result, VerifyResult{}});
    const auto back = verify::decode_verification(bytes);
    REQUIRE(back);
    REQUIRE(back->size() == 2);
    CHECK(verify::encode(*back) == bytes);
    // Every field is there, and none of the filled one is as in an empty one.
    const nlohmann::json both = nlohmann::json::from_cbor(bytes);
    CHECK(both[0].size() == both[1].size());
    for (const auto& [name, value] : both[0].items()) {
        CAPTURE(name);
        CHECK(value != both[1][name]);
    }
    const VerifyResult& first = back->front();
    CHECK(first.difference->rewritten == std::numeric_limits<double>::infinity());
    CHECK(first.largest_error == 1.0 / 3);
    CHECK(first.seed == result.seed);
    CHECK(first.tensor_sizes == result.tensor_sizes);
    CHECK(first.steps[0].duration == std::chrono::milliseconds(12));
    CHECK(first.calls[0].custom_derivatives == call.custom_derivatives);
    CHECK_FALSE(verify::decode_verification(bytes.substr(0, bytes.size() - 1)));
}

TEST_CASE("verification cache: all that results depend on makes another key") {
    Laboratory lab;
    const LoadedModule module = lab.module(square);
    std::vector<std::string> keys{key(module)};
    const auto with = [&](auto&& change) {
        VerifyOptions options;
        change(options);
        keys.push_back(key(module, options));
    };
    with([](VerifyOptions& o) { o.samples = 31; });
    with([](VerifyOptions& o) { o.sample = 3; });
    with([](VerifyOptions& o) { o.seed = 2; });
    with([](VerifyOptions& o) { o.tolerance = 1e-4; });
    with([](VerifyOptions& o) { o.threads = 1; });
    with([](VerifyOptions& o) { o.ranges["gIn"] = {0, 1}; });
    with([](VerifyOptions& o) { o.gradients["gW"] = "gWG"; });
    with([](VerifyOptions& o) { o.loops.emplace_back(); });
    with([](VerifyOptions& o) { o.loops_are_all = true; });
    with([](VerifyOptions& o) { o.branches.emplace_back(); });
    with([](VerifyOptions& o) { o.rewritten_branches.emplace_back(); });
    with([](VerifyOptions& o) { o.noalias = true; });
    with([](VerifyOptions& o) { o.both_machines = false; });
    with([](VerifyOptions& o) { o.derivatives = false; });
    with([](VerifyOptions& o) { o.checkpoint_trips = 8; });
    with([](VerifyOptions& o) { o.sanitize = true; });
    with([](VerifyOptions& o) { o.limits.memory_bytes = 1; });
    Promises promises;
    promises.noalias = true;
    keys.push_back(key(module, {}, promises));
    promises = {};
    promises.ranges["gIn"] = {0, 1};
    keys.push_back(key(module, {}, promises));
    keys.push_back(key(module, {}, {}, "other tools"));
    keys.push_back(key(lab.module(square + "// more\n")));
    const ModuleView one = module.view(), same = module.view();
    keys.push_back(verify::verification_key(one, same, {}, {}, "tools"));
    std::sort(keys.begin(), keys.end());
    CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
    CHECK(key(module) == key(lab.module(square)));
}

TEST_CASE("verification cache: a module that was checked is not compiled and run again") {
    Laboratory lab;
    const LoadedModule module = lab.module(square);
    const std::vector<VerifyResult> first = lab.check(module);
    CHECK(first[0].verdict == Verdict::right);
    const std::size_t calls = lab.calls();
    CHECK(calls > 0);
    CHECK(verify::encode(lab.check(module)) == verify::encode(first));
    CHECK(lab.calls() == calls);
    lab.options.seed = 2;
    lab.check(module);
    CHECK(lab.calls() > calls);
}

TEST_CASE("verification cache: what a limit ended is not kept") {
    Laboratory lab;
    const LoadedModule module =
        lab.module(edited(square, "gGrad[tid.x] = p.d;",
                          "while (gIn[0] * gIn[0] >= 0) gGrad[1] += 1;\n    gGrad[tid.x] = p.d;"));
    lab.options.limits.wall_clock = std::chrono::milliseconds(2000);
    CHECK(lab.check(module)[0].timed_out);
    const std::size_t calls = lab.calls();
    CHECK(lab.check(module)[0].timed_out);
    CHECK(lab.calls() > calls);
}

TEST_SUITE_END();

} // namespace slimgrad
