#include "plugin/cli/context_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace slimgrad;

namespace {

// What slimgrad-clang prints, shortened.
constexpr std::string_view report = R"({"changed": false, "contexts": [
  {"name": "s_paramCtx_s_bwdCallableCtx_march_0", "kind": "parameters", "size": 4, "alignment": 4,
   "reported_size": 4, "file": "/p/a.slang", "line": 3,
   "fields": [{"name": "x_0", "type": "float", "offset": 0, "size": 4, "alignment": 4,
               "file": "/p/a.slang", "line": 3}]},
  {"name": "s_minCtx_s_bwdCallableCtx_march_12", "kind": "stored", "size": 24, "alignment": 8,
   "reported_size": 28, "file": "/p/a.slang", "line": 3,
   "fields": [{"name": "value0_0", "type": "double", "offset": 0, "size": 8, "alignment": 8,
               "file": "/p/a.slang", "line": 5},
              {"name": "value1_0", "type": "FixedArray<bool, 10>", "offset": 8, "size": 10,
               "alignment": 1, "file": "/p/a.slang", "line": 6}]},
  {"name": "s_bwdCallableCtx_march_0", "kind": "both", "size": 32, "alignment": 8,
   "reported_size": 32, "file": "/p/a.slang", "line": 3, "fields": []}]})";

CudaContexts example() {
    Result<std::vector<CudaContext>> contexts = parse_cuda_contexts(report);
    REQUIRE_MESSAGE(contexts, contexts.error().message);
    return {std::move(*contexts), ""};
}

} // namespace

TEST_SUITE("cli/context_report") {
    TEST_CASE("records go by their function, the largest first") {
        const CudaContexts layouts = example();
        REQUIRE(layouts.contexts.size() == 3);
        for (const CudaContext& context : layouts.contexts)
            CHECK(context.function == "march");
        CHECK(layouts.contexts[0].kind == "both");
        CHECK(layouts.contexts[1].kind == "stored");
        CHECK(layouts.contexts[1].fields[1].offset == 8);
        CHECK(layouts.contexts[1].fields[1].place == Place{"/p/a.slang", 6, 0});
    }

    TEST_CASE("a person sees the parameters beside what is stored, and why sizes differ") {
        TextOptions options;
        options.directory = "/p";
        const SlangNames names{CompileResult()};
        CHECK(cuda_contexts_text(example(), names, options) ==
              "  contexts in CUDA's memory, for each thread; Slang's report counts a bool as 4 B "
              "and aligns a vector as its elements:\n"
              "  a.slang:3 stored of march: 24 B, aligned to 8 (reported: 28 B)\n"
              "    at      0  double                     8 B  a.slang:5\n"
              "    at      8  FixedArray<bool, 10>      10 B  a.slang:6\n"
              "  a.slang:3 parameters of march: 4 B, aligned to 4\n"
              "    at      0  float       4 B  a.slang:3\n");
        CHECK(cuda_contexts_text({}, names, options).empty());
        CudaContexts of_core = example();
        for (CudaContext& context : of_core.contexts)
            context.place = {"core", 733, 0};
        CHECK(cuda_contexts_text(of_core, names, options)
                  .find("\n  (Slang's core module) parameters of march: 4 B") != std::string::npos);
    }

    TEST_CASE("without slimgrad-clang one line says so") {
        const CudaContexts missing{{}, "slimgrad-clang is not there"};
        CHECK(cuda_contexts_text(missing, SlangNames({}), {}) ==
              "  no layouts of contexts: slimgrad-clang is not there\n");
        CHECK(cuda_contexts_json(missing)["no_layouts"] == "slimgrad-clang is not there");
        CHECK(cuda_contexts_json(missing)["layouts"].empty());
    }

    TEST_CASE("what is no report is refused") {
        CHECK_FALSE(parse_cuda_contexts(""));
        CHECK_FALSE(parse_cuda_contexts("[]"));
        CHECK_FALSE(parse_cuda_contexts(R"({"contexts": [{"name": 1}]})"));
    }
}
