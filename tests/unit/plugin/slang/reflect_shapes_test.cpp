// Shapes of functions, by the worker.

#include "plugin/slang/compiler.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

std::vector<FunctionShape> shapes(const std::string& source,
                                  const std::vector<std::string>& names) {
    static SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    const TemporaryFolder folder;
    CompileRequest request;
    request.file =
        folder.write("k.slang", source + "\nRWStructuredBuffer<float> gOut; [shader(\"compute\")] "
                                         "[numthreads(1,1,1)] void main() { gOut[0] = 1; }\n");
    request.project_root = folder.path().string();
    request.target = SlangTarget::cpp;
    request.shapes = names;
    const Result<CompileResult> compiled = compiler.compile(request);
    REQUIRE_MESSAGE(compiled, compiled.error().message);
    REQUIRE_MESSAGE(compiled->succeeded(), compiled->detail);
    return compiled->reflection.shapes;
}

} // namespace

TEST_CASE("shapes: parameters, directions, structures with their differentials") {
    const auto found =
        shapes("enum Kind { A, B }\n"
               "namespace N { struct S : IDifferentiable { float3 v; int n; Kind kind; }\n"
               "[Differentiable] float f(S s, inout float2x3 m, out float t, no_diff float z,\n"
               "    float w[4], Kind k) { t = s.v.x; return t * z; } }",
               {"N.f"});
    REQUIRE(found.size() == 1);
    const FunctionShape& f = found[0];
    CHECK(f.known);
    CHECK(f.problem == "");
    REQUIRE(f.parameters.size() == 6);
    CHECK(f.parameters[0].type.name == "N.S");
    CHECK(f.parameters[0].type.fields[2].type->name == "Kind");
    CHECK(f.parameters[1].is_in);
    CHECK(f.parameters[1].is_out);
    CHECK(f.parameters[1].type.rows == 2);
    CHECK(!f.parameters[2].is_in);
    CHECK(f.parameters[3].no_diff);
    CHECK(f.parameters[4].type.element_count == 4);
    CHECK(f.parameters[5].type.name == "Kind");
    REQUIRE(f.result);
    CHECK(f.result->scalar == ScalarType::float32);
    REQUIRE(f.differentials.contains("N.S"));
    REQUIRE(f.differentials.at("N.S").fields.size() == 1); // v alone has a gradient
    CHECK(f.differentials.at("N.S").fields[0].name == "v");
}

TEST_CASE("shapes: generic functions with arguments, overloads, what is not there") {
    const auto found =
        shapes("[Differentiable] float g<let N : int>(float x[N]) { return x[0]; }\n"
               "float o(float x) { return x; }\nfloat o(float x, int n) { return x; }\n",
               {"g<3>", "g", "o", "nothing"});
    REQUIRE(found.size() == 5);
    CHECK(found[0].parameters[0].type.element_count == 3);
    CHECK(found[1].known);
    CHECK(found[1].problem ==
          "is generic, and its arguments are not written: write `bwd_diff(g<TYPE>)`");
    CHECK(found[2].name == "o");
    CHECK(found[3].name == "o");
    CHECK(found[2].parameters.size() + found[3].parameters.size() == 3);
    CHECK(!found[4].known);
}

TEST_CASE("shapes: methods take their object first") {
    const auto found =
        shapes("namespace N { struct S<T : IDifferentiable> : IDifferentiable { T v; int n;\n"
               "    [Differentiable] float f(float x) { return x; }\n"
               "    [Differentiable] [mutating] void m(float x) { n = 1; }\n"
               "    [Differentiable] static float s(float x) { return x; } }\n"
               "[Differentiable] float g(float x) { return x; } }\n",
               {"N.S<float>.f", "N::S<float>::m", "N::S<float>::s", "N.g"});
    REQUIRE(found.size() == 4);
    CHECK(found[0].has_this);
    REQUIRE(found[0].parameters.size() == 2);
    CHECK(found[0].parameters[0].name == "this");
    CHECK(found[0].parameters[0].type.fields.size() == 2);
    CHECK_FALSE(found[0].parameters[0].is_out);
    CHECK(found[0].differentials.size() == 1);
    CHECK(found[1].has_this);
    CHECK(found[1].parameters[0].is_out);
    for (std::size_t i = 2; i < 4; ++i) {
        CHECK(found[i].parameters.size() == 1);
        CHECK_FALSE(found[i].has_this);
    }
}
