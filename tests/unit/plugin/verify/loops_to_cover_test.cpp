#include "plugin/verify/loops_to_cover.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

std::vector<LoopToCover> loops(const std::string& text, const std::string& entry_point = "gradMain",
                               const Promises& promises = {}) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return loops_to_cover(build_module_model(std::move(files)), entry_point, promises);
}

/// A differentiated function with this body, and the kernel that runs it backward.
std::string around(const std::string& body, const std::string& argument = "int(outb[1])") {
    return "RWStructuredBuffer<float> outb;\n"
           "[Differentiable] float f(float x, no_diff int n) {\n" +
           body +
           "\nreturn x; }\n"
           "[shader(\"compute\")] void gradMain(uint3 t : SV_DispatchThreadID) { var p = "
           "diffPair(outb[0], 0.f); bwd_diff(f)(p, " +
           argument +
           ", 1.f); }\n[shader(\"compute\")] void primalMain(uint3 t : SV_DispatchThreadID) { "
           "outb[2] = outb[3]; }\n";
}

} // namespace

TEST_SUITE("plugin/trial/coverage") {
    TEST_CASE("a loop whose trip count is an input, with its bound") {
        const auto found = loops(around("[MaxIters(8)]\nfor (int i = 0; i < n; ++i) x += 1;"));
        REQUIRE(found.size() == 1);
        CHECK(found[0].place == Place{"/p/a.slang", 4, 1});
        CHECK(found[0].bound == 8);
        CHECK(found[0].trip_count_is_input);
        CHECK_FALSE(found[0].tested_at_end);
    }

    TEST_CASE("loops of a kernel that slangc differentiates itself") {
        const std::string text = "[AutoPyBindCUDA] [CUDAKernel] [Differentiable]\n"
                                 "void net(DiffTensorView<float> x) {\n"
                                 "[MaxIters(8)]\nfor (int i = 0; i < 8; ++i) x[i] += 1;\n}\n";
        for (const char* entry : {"__kernel__net", "__kernel__net_bwd_diff"}) {
            const auto found = loops(text, entry);
            REQUIRE(found.size() == 1);
            CHECK(found[0].bound == 8);
        }
        CHECK(loops(text, "__kernel__other_bwd_diff").empty());
    }

    TEST_CASE("where a loop stands in the text") {
        const auto found = loops(
            around("for (int i = 0;\n    i < n;\n    ++i)\n{ x += 1; }\n"
                   "for (int i = 0; i < n; ++i) for (int k = 0; k < 4; ++k) x += 1;\n"
                   "for (int i = 0; i < 3; ++i) x += 1; for (int i = 0; i < n; ++i) x += 1;"));
        REQUIRE(found.size() == 5);
        CHECK(found[0].place.line == 3);
        CHECK(found[0].header_end == 5);
        CHECK_FALSE(found[0].shares_line);
        CHECK(found[1].header_end == 7);
        CHECK(found[1].outer_on_line == 0);
        CHECK(found[2].outer_on_line == 1);
        CHECK_FALSE(found[1].shares_line);
        CHECK_FALSE(found[2].shares_line);
        CHECK(found[3].shares_line);
        CHECK(found[4].shares_line);
        const auto unrolled = loops(around(
            "[ForceUnroll] for (int i = 0; i < 3; ++i) for (int k = 0; k < n; ++k) x += 1;"));
        REQUIRE(unrolled.size() == 1);
        CHECK(unrolled[0].outer_on_line == 0);
    }

    TEST_CASE("loops of functions that a custom derivative stands in for") {
        const std::string text = around("for (int i = 0; i < n; ++i) x += 1;");
        CHECK_FALSE(loops(text)[0].replaced);
        const std::string custom = "[BackwardDerivative(g)] ";
        std::string by_hand = text + "void g(inout DifferentialPair<float> x, int n, float d) {\n"
                                     "    x = diffPair(x.p, d); }\n";
        by_hand.replace(by_hand.find("[Differentiable] "), 17, custom);
        REQUIRE(loops(by_hand).size() == 1);
        CHECK(loops(by_hand)[0].replaced);
    }

    TEST_CASE("constant loops, loops without an end in sight, do-while") {
        const auto constant = loops(around("[MaxIters(9)]\nfor (int i = 0; i < 6; ++i) x += 1;"));
        REQUIRE(constant.size() == 1);
        CHECK(constant[0].bound == 6);
        CHECK_FALSE(constant[0].trip_count_is_input);

        const auto converges = loops(around("[MaxIters(20)]\nwhile (x > 1) x *= 0.5f;"));
        REQUIRE(converges.size() == 1);
        CHECK(converges[0].bound == 20);
        CHECK_FALSE(converges[0].trip_count_is_input);

        const auto at_end = loops(around("[MaxIters(3)]\ndo { x += 1; } while (x < 3);"));
        REQUIRE(at_end.size() == 1);
        CHECK(at_end[0].tested_at_end);
    }

    TEST_CASE("a clamp gives the bound where the attribute is missing") {
        const auto found =
            loops(around("for (int i = 0; i < n; ++i) x += 1;", "min(int(outb[1]), 5)"));
        REQUIRE(found.size() == 1);
        CHECK(found[0].bound == 5);
        CHECK(found[0].trip_count_is_input);
    }

    TEST_CASE("a trip that leaves where it begins is seen in no run") {
        const auto of = [](const std::string& head, const std::string& step) {
            return loops(around("int i = 0;\n[MaxIters(7)]\n" + head +
                                " { if (i >= 6) break; x += 1; " + step + " }"));
        };
        for (const auto& found : {of("while (true)", "i++;"), of("for (;; i++)", "")}) {
            REQUIRE(found.size() == 1);
            CHECK(found[0].bound == 6);
            CHECK(found[0].lowest == 6);
        }
    }

    TEST_CASE("only loops that run backward and stay loops") {
        CHECK(loops(around("[ForceUnroll]\nfor (int i = 0; i < 6; ++i) x += 1;")).empty());
        CHECK(loops(around("[MaxIters(6)]\nfor (int i = 0; i < 6; ++i) x += 1;"), "primalMain")
                  .empty());
        CHECK(loops("void h() { for (int i = 0; i < 3; ++i) { } }\n" + around("")).empty());
        CHECK(
            loops(around("[MaxIters(6)]\nfor (int i = 0; i < 6; ++i) x += 1;"), "nobody").empty());
    }
}
