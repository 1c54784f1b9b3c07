#include "attributes/loop_replay.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string head = "RWStructuredBuffer<float> outb;\n";

std::string march(const std::string& attribute, const std::string& generics = "let N : int",
                  const std::string& end = "N") {
    return "[Differentiable]\nfloat march<" + generics +
           ">(float x)\n{\n    float v = x;\n    // " + "steps\n    " + attribute +
           "\n    for (int i = 0; i < " + end +
           "; ++i)\n    {\n        v = sin(v); // one\n\n        v *= 2;\n    }\n    return "
           "v;\n}\n";
}

std::string twice(const std::string& threshold, const std::string& bound = "N",
                  const std::string& end = "N") {
    const auto copy = [&](const std::string& attribute) {
        return "    {\n        " + attribute + "\n        for (int i = 0; i < " + end +
               "; ++i)\n        {\n            v = sin(v); // one\n\n            v *= 2;\n        "
               "}\n    }\n";
    };
    return "[Differentiable]\nfloat march<" + threshold +
           ">(float x)\n{\n    float v = x;\n    // " + "steps\n    if (" + bound +
           " > replayAbove)\n" + copy("[MaxIters(" + bound + ")]") + "    else\n" +
           copy("[ForceUnroll]") + "    return v;\n}\n";
}

/// A kernel with these calls, `p` being the pair that a derivative takes.
std::string kernel(const std::string& calls) {
    return "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID)\n{\n    var p = "
           "diffPair(outb[0], 0.f);\n" +
           calls + "    outb[1] = p.d;\n}\n";
}

struct Offer {
    std::string description, text;
    friend bool operator==(const Offer&, const Offer&) = default;
};

std::vector<Finding> findings(const ModuleText& module) {
    RuleInput input = module.input();
    input.frames.push_back({"main", 0, true, 168});
    return loop_replay(input);
}

/// Fixes that speak of thresholds.
std::vector<Offer> offered(const std::string& text) {
    ModuleText module(text);
    module.store("march", "v = x", 0, "FixedArray<float, 10>", 40);
    std::vector<Offer> offers;
    for (const Finding& finding : findings(module))
        for (const Fix& fix : finding.fixes)
            if (fix.description.find("(threshold") != std::string::npos)
                offers.push_back({fix.description, module.after(fix)});
    return offers;
}

const std::string two_calls =
    kernel("    bwd_diff(march<8>)(p, 1.f);\n    bwd_diff( march< 32 > )(p, 1.f);\n");

} // namespace

TEST_SUITE("attributes/replay_threshold") {
    TEST_CASE("an unrolled loop of a helper with several specializations is replayed for one") {
        const auto offers = offered(head + march("[ForceUnroll]") + two_calls);
        REQUIRE(offers.size() == 2);
        CHECK(offers[0].description ==
              "replay the loop over 'i' of 'march' for march<8> in 'main' (threshold 7)");
        CHECK(offers[0].text ==
              head + twice("let N : int, let replayAbove : int = N") +
                  kernel("    bwd_diff(march<8, 7>)(p, 1.f);\n    bwd_diff( march< 32 , 32> )(p, "
                         "1.f);\n"));
        CHECK(offers[1].description ==
              "replay the loop over 'i' of 'march' for march<32> in 'main' (threshold 31)");
        CHECK(offers[1].text ==
              head + twice("let N : int, let replayAbove : int = N") +
                  kernel("    bwd_diff(march<8, 8>)(p, 1.f);\n    bwd_diff( march< 32 , 31> )(p, "
                         "1.f);\n"));
    }

    TEST_CASE("a loop that is replayed is unrolled for one") {
        const auto offers = offered(head + march("[MaxIters(N)]") + two_calls);
        REQUIRE(offers.size() == 2);
        CHECK(offers[0].description ==
              "unroll the loop over 'i' of 'march' for march<8> in 'main' (threshold 8)");
        CHECK(offers[0].text ==
              head + twice("let N : int, let replayAbove : int = 0") +
                  kernel("    bwd_diff(march<8, 8>)(p, 1.f);\n    bwd_diff( march< 32 , 0> )(p, "
                         "1.f);\n"));
        // What is too long to be unrolled is not, the other one is.
        CHECK(offered(head + march("[MaxIters(N)]") +
                      kernel("    bwd_diff(march<8>)(p, 1.f);\n    bwd_diff(march<65>)(p, 1.f);\n"))
                  .size() == 1);
    }

    TEST_CASE("calls that a default serves are not edited") {
        const std::string loss = "[Differentiable]\nfloat loss(float x) { return march<8>(x) * "
                                 "march<32>(x); }\n";
        const auto offers =
            offered(head + march("[ForceUnroll]") + loss + kernel("    bwd_diff(loss)(p, 1.f);\n"));
        REQUIRE(offers.size() == 2);
        CHECK(offers[1].text == head + twice("let N : int, let replayAbove : int = N") +
                                    "[Differentiable]\nfloat loss(float x) { return march<8>(x) * "
                                    "march<32, 31>(x); }\n" +
                                    kernel("    bwd_diff(loss)(p, 1.f);\n"));
    }

    TEST_CASE("a trip count that is an expression; a call that hands on its own generic value") {
        const std::string generic = "[Differentiable]\nfloat g<let M : int>(float x) { return "
                                    "march<M>(x); }\n";
        const std::string calls = kernel("    bwd_diff(g<4>)(p, 1.f);\n    bwd_diff(march<8>)(p, "
                                         "1.f);\n    bwd_diff(march<32>)(p, 1.f);\n");
        const auto offers =
            offered(head + march("[ForceUnroll]", "let N : int", "N + 1") + generic + calls);
        REQUIRE(offers.size() == 2);
        CHECK(offers[1].text ==
              head + twice("let N : int, let replayAbove : int = N + 1", "N + 1", "N + 1") +
                  generic +
                  kernel("    bwd_diff(g<4>)(p, 1.f);\n    bwd_diff(march<8, 9>)(p, 1.f);\n    "
                         "bwd_diff(march<32, 32>)(p, 1.f);\n"));
    }

    TEST_CASE("one specialization needs no threshold") {
        CHECK(offered(head + march("[ForceUnroll]") +
                      kernel("    bwd_diff(march<8>)(p, 1.f);\n    outb[2] = march<8>(outb[3]);\n"))
                  .empty());
    }

    TEST_CASE("a pair that is there: the threshold of each call changes, and no attribute") {
        const std::string pair = twice("let N : int, let replayAbove : int = N");
        const std::string loss = "[Differentiable]\nfloat loss(float x) { return march<4>(x); }\n";
        const auto text = [&](const std::string& eight, const std::string& other) {
            return head + pair + loss +
                   kernel("    bwd_diff(march<8, " + eight +
                          ">)(p, 1.f);\n    bwd_diff(march<32, " + other +
                          ">)(p, 1.f);\n    bwd_diff(loss)(p, 1.f);\n");
        };
        const auto offers = offered(text("8", "31"));
        REQUIRE(offers.size() == 3);
        CHECK(offers[0].text.find("return march<4, 3>(x)") != std::string::npos);
        CHECK(offers[1] ==
              Offer{"replay the loop over 'i' of 'march' for march<8> in 'main' (threshold 7)",
                    text("7", "31")});
        CHECK(offers[2] ==
              Offer{"unroll the loop over 'i' of 'march' for march<32> in 'main' (threshold 32)",
                    text("8", "32")});

        ModuleText module(text("8", "31"));
        module.store("march", "v = x", 0, "FixedArray<float, 10>", 40);
        const auto found = findings(module);
        REQUIRE(found.size() == 1);
        CHECK(found[0].fixes.size() == 3);
    }

    TEST_CASE("written by hand: other names, one line, comments between") {
        const auto text = [](const std::string& condition) {
            return head +
                   "[Differentiable] float march<let N : int, let R : int>(float x) { float v "
                   "= x; if (" +
                   condition +
                   ") /* a */ [MaxIters(N)] for (int i = 0; i < N; ++i) v = sin(v); // b\n else "
                   "[ForceUnroll] for (int i = 0; i < N; ++i) v = sin(v); return v; }\n" +
                   kernel("    bwd_diff(march<8, 100>)(p, 1.f);\n");
        };
        REQUIRE(offered(text("N > R")).size() == 1);
        CHECK(offered(text("N > R"))[0].text.find("march<8, 7>") != std::string::npos);
        CHECK(offered(text("N < R")).empty());
        CHECK(offered(text("N + 1 > R")).empty());
        CHECK(offered(text("R > N")).empty());
    }

    TEST_CASE("indentation, braces and line endings are those around the loop") {
        const std::string tabs =
            "[Differentiable]\r\nfloat march<let N : int>(float x) {\r\n\tfloat v = x;\r\n\tfor "
            "(int i = 0; i < N; ++i) {\r\n\t\tv = sin(v);\r\n\t}\r\n\treturn v;\r\n}\r\n";
        const std::string calls =
            "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = "
            "diffPair(0.f, "
            "0.f); bwd_diff(march<8>)(p, 1.f); bwd_diff(march<32>)(p, 1.f); }\r\n";
        const auto offers = offered(tabs + calls);
        REQUIRE(offers.size() == 2);
        CHECK(offers[0].text.starts_with(
            "[Differentiable]\r\nfloat march<let N : int, let replayAbove : int = 0>(float x) "
            "{\r\n\tfloat v = x;\r\n\tif (N > replayAbove) {\r\n\t\tfor (int i = 0; i < N; ++i) "
            "{\r\n\t\t\tv = sin(v);\r\n\t\t}\r\n\t} else {\r\n\t\t[ForceUnroll]\r\n\t\tfor (int i "
            "= "
            "0; i < N; ++i) {\r\n\t\t\tv = sin(v);\r\n\t\t}\r\n\t}\r\n\treturn v;\r\n}\r\n"));
    }

    TEST_CASE("a nest is written twice as a whole") {
        const std::string nest =
            "[Differentiable]\nfloat march<let N : int>(float x)\n{\n    float v = x;\n    "
            "[ForceUnroll] for (int i = 0; i < N; ++i)\n        [ForceUnroll] for (int j = 0; j < "
            "N; "
            "++j) v = sin(v);\n    return v;\n}\n";
        const auto offers = offered(head + nest + two_calls);
        REQUIRE(offers.size() == 2);
        CHECK(
            offers[0].text.find(
                "    {\n        [MaxIters(N)] for (int i = 0; i < N; ++i)\n            "
                "[MaxIters(N)] for (int j = 0; j < N; ++j) v = sin(v);\n    }\n    else\n    {\n   "
                " "
                "    [ForceUnroll] for (int i = 0; i < N; ++i)\n            [ForceUnroll] for (int "
                "j = 0; j < N; ++j) v = sin(v);\n    }\n") != std::string::npos);
    }

    TEST_CASE("the name is new; what cannot be added to is left") {
        const std::string used =
            "static const int replayAbove = 3;\n" + march("[ForceUnroll]") + two_calls;
        REQUIRE(offered(head + used).size() == 2);
        CHECK(offered(head + used)[0].text.find("let replayAbove2 : int = N") != std::string::npos);
        // Overloads, requirements, attributes that name it, preprocessor lines, macros.
        CHECK(offered(head + march("[ForceUnroll]") + "float march(float3 x) { return x.x; }\n" +
                      two_calls)
                  .empty());
        CHECK(offered(head + "interface I {}\nstruct S : I {\n" + march("[ForceUnroll]") + "}\n" +
                      kernel("    bwd_diff(S.march<8>)(p, 1.f);\n    bwd_diff(S.march<32>)(p, "
                             "1.f);\n"))
                  .empty());
        CHECK(offered(head + march("[ForceUnroll]\n#if A\n#endif") + two_calls).empty());
        CHECK(offered(head + march("[ForceUnroll]") + "#define CALL bwd_diff(march<32>)(p, 1.f)\n" +
                      kernel("    bwd_diff(march<8>)(p, 1.f);\n    CALL;\n"))
                  .empty());
        CHECK(offered(head + march("[ForceUnroll]") +
                      "[A(march)] float g(float x) { return x; }\n" + two_calls)
                  .empty());
        CHECK(offered(head + march("[ForceUnroll]") +
                      "[A(marches)] float g(float x) { return x; }\n" + two_calls)
                  .size() == 2);
        CHECK(offered(head + march("[ForceUnroll]") +
                      "#if A\nvoid g() { bwd_diff(march<2>)(p, 1.f); }\n#endif\n" + two_calls)
                  .empty());
    }
}
