#include "attributes/loop_replay.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

constexpr const char* kernel =
    "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = diffPair(outb[0], "
    "0.f); bwd_diff(f)(p, 1.f); outb[1] = p.d; }\n";

/// A differentiated function with this body, between `float v = x;` and `return v;`.
std::string function(const std::string& body, const std::string& before = "") {
    return "RWStructuredBuffer<float> outb;\n" + before +
           "[Differentiable]\nfloat f(float x)\n{\n    float v = x;\n" + body +
           "    return v;\n}\n" + kernel;
}

std::vector<Finding> findings(const ModuleText& module, std::uint32_t registers = 168) {
    RuleInput input = module.input();
    input.frames.push_back({"main", 0, true, registers});
    return loop_replay(input);
}

/// All texts that a fix makes of the module.
std::vector<std::string> offered(const ModuleText& module, std::uint32_t registers = 168) {
    std::vector<std::string> texts;
    for (const Finding& finding : findings(module, registers)) {
        CHECK(finding.rule == "loop-replay");
        for (const Fix& fix : finding.fixes) {
            CHECK(fix.applicability == Applicability::safe);
            texts.push_back(module.after(fix));
        }
    }
    return texts;
}

std::vector<std::string> offered(const std::string& body) {
    return offered(ModuleText(function(body)));
}

/// The same where the function stores `v` in a loop.
std::vector<std::string> offered_if_stored(const std::string& body,
                                           const std::string& before = "") {
    ModuleText module(function(body, before));
    module.store("f", "v = x", 0, "FixedArray<float, 10>", 40);
    return offered(module);
}

using Texts = std::vector<std::string>;

} // namespace

TEST_SUITE("attributes/loop_replay") {
    TEST_CASE("an unrolled loop is offered as one that is replayed") {
        CHECK(offered("    [ForceUnroll]\n    for (int i = 0; i < 8; ++i) v = sin(v);\n") ==
              Texts{function("    [MaxIters(8)]\n    for (int i = 0; i < 8; ++i) v = sin(v);\n")});
        CHECK(offered("    [ForceUnroll(9)] for (int i = 0; i < 8; ++i) v = sin(v);\n") ==
              Texts{function("    [MaxIters(8)] for (int i = 0; i < 8; ++i) v = sin(v);\n")});
        // A bound that stands there already stays.
        CHECK(
            offered("    [MaxIters(8)] [ForceUnroll] for (int i = 0; i < 8; ++i) v = sin(v);\n") ==
            Texts{function("    [MaxIters(8)] for (int i = 0; i < 8; ++i) v = sin(v);\n")});
        CHECK(offered("    [ForceUnroll, MaxIters(8)] for (int i = 0; i < 8; ++i) v = sin(v);\n")
                  .empty());
    }

    TEST_CASE("a loop is offered unrolled, bound or not") {
        CHECK(
            offered_if_stored("    [MaxIters(8)]\n    for (int i = 0; i < 8; ++i) v = sin(v);\n") ==
            Texts{function("    [ForceUnroll]\n    for (int i = 0; i < 8; ++i) v = sin(v);\n")});
        CHECK(offered_if_stored("    for (int i = 0; i < 8; ++i) v = sin(v);\n") ==
              Texts{function("    [ForceUnroll]\n    for (int i = 0; i < 8; ++i) v = sin(v);\n")});
    }

    TEST_CASE("nothing is offered where there is nothing to gain") {
        const std::string unrolled = "    [ForceUnroll] for (int i = 0; i < 8; ++i) v = sin(v);\n",
                          looped = "    for (int i = 0; i < 8; ++i) v = sin(v);\n";
        CHECK(offered(ModuleText(function(unrolled)), 40).empty());
        CHECK(offered(ModuleText(function(unrolled)), 41).size() == 1);
        CHECK(offered(ModuleText(function(looped))).empty());
        ModuleText scalar(function(looped));
        scalar.store("f", "v = x", 0, "float", 4);
        CHECK(offered(scalar).empty());
        ModuleText stored(function(unrolled));
        stored.store("f", "sin(v)", 3, "float", 4);
        CHECK(offered(stored, 40).size() == 1);
        // A forward kernel's registers are not what the rule is about.
        const ModuleText module(function(unrolled));
        RuleInput input = module.input();
        input.frames.push_back({"main", 0, false, 168});
        CHECK(loop_replay(input).empty());
        input.frames.push_back({"main", 0, true, 32, 8});
        CHECK(loop_replay(input).size() == 1);
    }

    TEST_CASE("functions that run without a derivative, or have one of their own, are left alone") {
        const std::string loop = "[ForceUnroll] for (int i = 0; i < 8; ++i) v = sin(v);";
        const std::string head = "RWStructuredBuffer<float> outb;\n";
        CHECK(offered(ModuleText(head + "float g(float x) { float v = x; " + loop +
                                 " return v; }\n[Differentiable] float f(float x) { return x * "
                                 "detach(g(x)); }\n" +
                                 kernel))
                  .empty());
        CHECK(offered(ModuleText(head +
                                 "[BackwardDerivative(f_bwd)] float f(float x) { float v = "
                                 "x; " +
                                 loop +
                                 " return v; }\nvoid f_bwd(inout DifferentialPair<float> p, float "
                                 "d) { p = diffPair(p.p, d); }\n" +
                                 kernel))
                  .empty());
    }

    TEST_CASE("a bound is written in the loop's own words, and only if it is proved for every "
              "build") {
        CHECK(
            offered(ModuleText(function("    [ForceUnroll]\n    for (int i = 0; i <= N; ++i) v = "
                                        "sin(v);\n",
                                        "static const int N = 4;\n"))) ==
            Texts{function("    [MaxIters(N + 1)]\n    for (int i = 0; i <= N; ++i) v = sin(v);\n",
                           "static const int N = 4;\n")});
        CHECK(
            offered("    int n = 4;\n#if V\n    n = 5;\n#endif\n    [ForceUnroll] for (int i = 0; "
                    "i < n; ++i) v = sin(v);\n")
                .empty());
        CHECK(offered("    [ForceUnroll /* all */] for (int i = 0; i < 8; ++i) v = sin(v);\n") ==
              Texts{function("    [MaxIters(8) /* all */] for (int i = 0; i < 8; ++i) v = "
                             "sin(v);\n")});
        CHECK(offered("    [ForceUnroll(/* all */ 8)] for (int i = 0; i < 8; ++i) v = sin(v);\n")
                  .empty());
        CHECK(
            offered_if_stored("    for (int i = 0; i < int(outb[2]); ++i) v = sin(v);\n").empty());
    }

    TEST_CASE("an attribute in a branch of #if is edited there") {
        const auto loop = [](const std::string& attribute) {
            return "#if !V\n    " + attribute +
                   "\n#else\n    [MaxIters(8)]\n#endif\n    for (int i "
                   "= 0; i < 8; ++i) v = sin(v);\n";
        };
        CHECK(offered(loop("[ForceUnroll]")) == Texts{function(loop("[MaxIters(8)]"))});
    }

    TEST_CASE("macros, broken text and files outside the project are not edited") {
        CHECK(offered(ModuleText(function("    UNROLL for (int i = 0; i < 8; ++i) v = sin(v);\n",
                                          "#define UNROLL [ForceUnroll]\n")))
                  .empty());
        CHECK(offered_if_stored("    LOOP v = sin(v);\n",
                                "#define LOOP for (int i = 0; i < 8; ++i)\n")
                  .empty());
        CHECK(offered("    [ForceUnroll] for (int i = 0; i < 8; ++i) v = sin(v) + ;\n").empty());
        const ModuleText outside(ModuleText::Files{
            {"/q/a.slang",
             function("    [ForceUnroll] for (int i = 0; i < 8; ++i) v = sin(v);\n")}});
        CHECK(offered(outside).empty());
    }

    TEST_CASE("long loops are not unrolled; generic ones by what calls give") {
        CHECK(offered_if_stored("    for (int i = 0; i < 64; ++i) v = sin(v);\n").size() == 1);
        CHECK(offered_if_stored("    for (int i = 0; i < 65; ++i) v = sin(v);\n").empty());
        const auto generic = [](const std::string& calls) {
            ModuleText module("RWStructuredBuffer<float> outb;\n[Differentiable] float g<let N : "
                              "int>(float x)\n{\n    float v = x;\n    [MaxIters(N)]\n    for (int "
                              "i = 0; i < N; ++i) v = sin(v);\n    return v;\n}\n[Differentiable] "
                              "float f(float x) { return " +
                              calls + "; }\n" + kernel);
            module.store("g", "v = x", 0, "FixedArray<float, 10>", 40);
            return offered(module).size();
        };
        CHECK(generic("g<8>(x)") == 1);
        CHECK(generic("g<65>(x)") == 0);
        CHECK(generic("g<8>(x) * g<65>(x)") == 1); // for the first call alone, by a threshold
    }

    TEST_CASE("no unrolling where slangc's time doubles with every trip, and a note says so") {
        const std::string step = "[Differentiable] float st(float v) { return v + sin(v); }\n";
        const auto loop = [](int trips, const std::string& body) {
            return "    for (int i = 0; i < " + std::to_string(trips) + "; ++i) { " + body + " }\n";
        };
        CHECK(offered_if_stored(loop(12, "v = st(v);"), step).size() == 1);
        CHECK(offered_if_stored(loop(13, "v = st(v);"), step).empty());
        CHECK(offered_if_stored(loop(13, "float t = 2 * v; float s = t + 1; v = st(s);"), step)
                  .empty());
        CHECK(offered_if_stored(loop(13, "float t; t = 2 * v; v = st(t);"), step).empty());
        CHECK(offered_if_stored(loop(13, "v += st(x * float(i));"), step).size() == 1);
        CHECK(offered_if_stored(loop(13, "v += 0.1f * sin(v);"), step).size() == 1);
        CHECK(offered_if_stored(loop(13, "v += st(detach(v));"), step).size() == 1);

        ModuleText module(function(loop(13, "v = st(v);"), step));
        module.store("f", "v = x", 0, "FixedArray<float, 15>", 60);
        const auto found = findings(module);
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::note);
        CHECK(found[0].bytes == 60);
        CHECK(found[0].message.find("its 13 trips hand a value on through 'st'") !=
              std::string::npos);
    }

    TEST_CASE("a nest: each loop alone, and all at once; never two loops with unequal bounds") {
        const auto nest = [](const std::string& outer, const std::string& inner, int n, int m) {
            return "    " + outer + "for (int i = 0; i < " + std::to_string(n) + "; ++i)\n    {\n" +
                   "        " + inner + "for (int j = 0; j < " + std::to_string(m) +
                   "; ++j) v = sin(v);\n    }\n";
        };
        const std::string U = "[ForceUnroll] ", L5 = "[MaxIters(5)] ", L4 = "[MaxIters(4)] ";
        CHECK(offered(nest(U, U, 5, 5)) == Texts{function(nest(L5, U, 5, 5)),
                                                 function(nest(L5, L5, 5, 5)),
                                                 function(nest(U, L5, 5, 5))});
        CHECK(offered(nest(U, U, 5, 4)) ==
              Texts{function(nest(L5, U, 5, 4)), function(nest(U, L4, 5, 4))});
        CHECK(offered_if_stored(nest(L5, L5, 5, 5)) == Texts{function(nest(U, L5, 5, 5)),
                                                             function(nest(U, U, 5, 5)),
                                                             function(nest(L5, U, 5, 5))});
        // The other loop stays one with another bound.
        CHECK(offered_if_stored(nest(L5, U, 5, 4)) == Texts{function(nest(U, U, 5, 4))});
        CHECK(offered_if_stored(nest(L5, U, 5, 5)) ==
              Texts{function(nest(U, U, 5, 5)), function(nest(L5, L5, 5, 5))});
        // 9 * 9 trips are too many to be written out, 9 are not.
        const std::string L9 = "[MaxIters(9)] ";
        CHECK(offered_if_stored(nest(L9, L9, 9, 9)) ==
              Texts{function(nest(U, L9, 9, 9)), function(nest(L9, U, 9, 9))});
        CHECK(offered_if_stored(nest(L9, U, 9, 9)) == Texts{function(nest(L9, L9, 9, 9))});
    }

    TEST_CASE("a triangular nest is not unrolled, and not replayed around what depends on it") {
        const auto nest = [](const std::string& outer, const std::string& inner) {
            return "    " + outer + "for (int i = 0; i < 6; ++i)\n        " + inner +
                   "for (int j = 0; j <= i; ++j) v = sin(v);\n";
        };
        CHECK(offered_if_stored(nest("[MaxIters(6)] ", "[MaxIters(6)] ")) ==
              Texts{function(nest("[ForceUnroll] ", "[MaxIters(6)] "))});
        CHECK(offered(nest("[ForceUnroll] ", "[ForceUnroll] ")) ==
              Texts{function(nest("[MaxIters(6)] ", "[MaxIters(6)] ")),
                    function(nest("[ForceUnroll] ", "[MaxIters(6)] "))});
        CHECK(offered("    [ForceUnroll] for (int i = 0; i < 3; ++i)\n        [ForceUnroll] for "
                      "(int j = i; j < i + 4; ++j) v = sin(v);\n")
                  .size() <= 1);
    }

    TEST_CASE("a nest that is miscompiled is left to nested-bounds") {
        ModuleText module(function("    [MaxIters(9)]\n    for (int i = 0; i < 9; ++i)\n        "
                                   "[MaxIters(3)]\n        for (int j = 0; j < 3; ++j) v = "
                                   "sin(v);\n"));
        module.store("f", "v = x", 0, "FixedArray<FixedArray<float, 5>, 11>", 220);
        CHECK(offered(module).empty());
    }

    TEST_CASE("loops of one function that look alike have names of their own") {
        ModuleText module(function("    for (int i = 0; i < 8; ++i) v = sin(v);\n    for (int i = "
                                   "0; i < 8; ++i) v = cos(v);\n"));
        module.store("f", "v = x", 0, "FixedArray<float, 10>", 80);
        const auto found = findings(module);
        REQUIRE(found.size() == 2);
        CHECK(found[0].fixes.at(0).description ==
              "unroll the loop over 'i' of 'f' with [ForceUnroll]");
        CHECK(found[1].fixes.at(0).description ==
              "unroll the 2nd loop over 'i' of 'f' with [ForceUnroll]");
        CHECK(found[0].message.find("'f' stores 80 B for") != std::string::npos);
    }
}
