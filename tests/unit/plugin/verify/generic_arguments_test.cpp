#include "plugin/verify/generic_arguments.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

/// For the only bwd_diff of a kernel with this body.
std::string arguments(const std::string& declarations, const std::string& body) {
    std::vector<SourceFile> files;
    files.emplace_back("k.slang", declarations + "\nvoid main(uint3 tid) { " + body + " }\n");
    const ModuleModel model = build_module_model(std::move(files));
    const auto call =
        std::find_if(model.calls.begin(), model.calls.end(), [](const Call& candidate) {
            return candidate.kind == CallKind::backward_derivative;
        });
    REQUIRE(call != model.calls.end());
    return verify::generic_arguments(model, *call);
}

const std::string shapes = "struct Ball : IShape { float r; }\nStructuredBuffer<Ball> balls;\n"
                           "[Differentiable] float f<S : IShape>(S s, float x) { return x; }\n";

} // namespace

TEST_CASE("generic arguments: from declared types, through diffPair and other variables") {
    CHECK(arguments(shapes, "Ball b; var p = diffPair(b); bwd_diff(f)(p, x, 1);") == "<Ball>");
    CHECK(arguments(shapes, "let b = balls[tid.x]; bwd_diff(f)(diffPair(b, {}), x, 1);") ==
          "<Ball>");
    CHECK(arguments(shapes, "DifferentialPair<Ball> p = make(); bwd_diff(f)(p, x, 1);") ==
          "<Ball>");
    CHECK(arguments(shapes, "var b = Ball(1); bwd_diff(f)(b, x, 1);") == "<Ball>");
}

TEST_CASE("generic arguments: what the text does not show") {
    CHECK(arguments(shapes, "var p = diffPair(make()); bwd_diff(f)(p, x, 1);") == "");
    CHECK(arguments(shapes, "Ball b; bwd_diff(f<Ball>)(b, x, 1);") == ""); // written
    CHECK(arguments("float f(float x) { return x; }", "bwd_diff(f)(x, 1);") == "");
    CHECK(arguments(shapes + "float f(float s, float x) { return x; }",
                    "Ball b; bwd_diff(f)(b, x, 1);") == ""); // an overload
}

TEST_CASE("generic arguments: numbers and types that are part of a parameter's type") {
    CHECK(arguments("float f<let N : int>(float w[N]) { return w[0]; }",
                    "float w[8]; var p = diffPair(w); bwd_diff(f)(p, 1);") == "<8>");
    CHECK(arguments("float f<T : IFloat, let N : int>(Array<T, 2> a, int b[N]) { return 0; }",
                    "Array<half, 2> a; int b[3]; bwd_diff(f)(a, b, 1);") == "<half, 3>");
    CHECK(arguments("float f<let N : int>(vector<float, N> v) { return 0; }",
                    "float3 v; bwd_diff(f)(v, 1);") == "");
}
