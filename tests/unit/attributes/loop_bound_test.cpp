#include "attributes/loop_bound.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

std::string around(const std::string& loop, const std::string& argument = "int(outb[1])") {
    return "RWStructuredBuffer<float> outb;\n[Differentiable]\nfloat f(float x, no_diff int "
           "n)\n{\n" +
           loop +
           "        x += sin(x);\n    return x;\n}\n[shader(\"compute\")] void main(uint3 t : "
           "SV_DispatchThreadID)\n{\n"
           "    var p = diffPair(outb[0], 0.f);\n    bwd_diff(f)(p, " +
           argument + ", 1.f);\n}\n";
}

/// Says of the loop's `for` what slangc says of a loop without a bound.
void reject(ModuleText& module) {
    Diagnostic diagnostic;
    diagnostic.code = "E30510";
    diagnostic.place =
        module.model.place(0, std::uint32_t(module.model.files[0].text().find("for (")));
    module.compiled.status = CompileStatus::rejected;
    module.compiled.diagnostics.push_back(diagnostic);
}

} // namespace

TEST_SUITE("attributes/loop_bound") {
    TEST_CASE("a missing bound that is proved is inserted, in the loop's own words") {
        struct Form {
            const char* loop;
            const char* argument;
            const char* expected;
        };
        const Form forms[] = {
            {"    for (int i = 0; i < n; ++i)\n", "min(int(outb[1]), 8)",
             "    [MaxIters(8)]\n    for (int i = 0; i < n; ++i)\n"},
            {"    for (int i = 0; i <= n; ++i)\n", "min(int(outb[1]), 8)",
             "    [MaxIters(9)]\n    for (int i = 0; i <= n; ++i)\n"},
            {"    for (int i = 0; i != 6; ++i)\n", "1",
             "    [MaxIters(6)]\n    for (int i = 0; i != 6; ++i)\n"},
        };
        for (const Form& form : forms) {
            CAPTURE(std::string(form.loop));
            ModuleText module(around(form.loop, form.argument));
            reject(module);
            const auto findings = loop_bound(module.input());
            REQUIRE(findings.size() == 1);
            CHECK(findings[0].severity == Severity::error);
            REQUIRE(findings[0].fixes.size() == 1);
            CHECK(findings[0].fixes[0].applicability == Applicability::safe);
            CHECK(module.after(findings[0].fixes[0]).find(form.expected) != std::string::npos);
        }
        ModuleText generic("[Differentiable] float f<let N : int>(float x)\n{\n\tfor (int i = 0; i "
                           "< N; ++i)\n\t\tx += 1;\n\treturn x;\n}\n");
        reject(generic);
        const auto findings = loop_bound(generic.input());
        REQUIRE(findings.size() == 1);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(generic.after(findings[0].fixes[0]).find("\n\t[MaxIters(N)]\n\tfor (") !=
              std::string::npos);
    }

    TEST_CASE("a bound in generic values is none below zero, where the loop does not run") {
        for (const char* head : {"int i = 1; i < N; ++i", "int i = 0; i < N - 1; ++i"}) {
            CAPTURE(std::string(head));
            ModuleText module("[Differentiable] float f<let N : int>(float x) {\n    for (" +
                              std::string(head) + ") x += 1;\n    return x; }\n");
            reject(module);
            const auto findings = loop_bound(module.input());
            REQUIRE(findings.size() == 1);
            REQUIRE(findings[0].fixes.size() == 1);
            CHECK(module.after(findings[0].fixes[0]).find("[MaxIters(N)]") != std::string::npos);
        }
        ModuleText limited(
            "[Differentiable] float f<let N : int>(float x, int n) {\n    for (int i = "
            "0; i < min(n, N); ++i) x += 1;\n    return x; }\n");
        reject(limited);
        const auto findings = loop_bound(limited.input());
        REQUIRE(findings.size() == 1);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(limited.after(findings[0].fixes[0]).find("[MaxIters(N)]") != std::string::npos);
        // What is written so may be meant so.
        CHECK(
            loop_bound(ModuleText("[Differentiable] float f<let N : int>(float x) {\n    "
                                  "[MaxIters(N - 1)]\n    for (int i = 1; i < N; ++i) x += 1;\n    "
                                  "return x; }\n")
                           .input())
                .empty());
    }

    TEST_CASE("no bound is guessed") {
        ModuleText module(around("    for (int i = 0; i < n; ++i)\n"));
        reject(module);
        const auto findings = loop_bound(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
        CHECK(findings[0].fixes.empty());
        CHECK(findings[0].why_not == std::vector<std::string>{"no bound of 'n' is known"});
    }

    TEST_CASE("a loop from a macro is reported, not edited") {
        ModuleText module("#define EACH(i, n) for (int i = 0; i < n; ++i)\n[Differentiable] float "
                          "f(float x) { EACH(k, 4) x += 1; return x; }\n");
        reject(module);
        const auto findings = loop_bound(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].fixes.empty());
        CHECK(findings[0].message.find("macro") != std::string::npos);
    }

    TEST_CASE("a bound that is right is silent") {
        CHECK(
            loop_bound(
                ModuleText(around("    [MaxIters(8)]\n    for (int i = 0; i < 8; ++i)\n")).input())
                .empty());
        CHECK(loop_bound(ModuleText(around("    [MaxIters(8)]\n    for (int i = 0; i < n; ++i)\n",
                                           "min(int(outb[1]), 8)"))
                             .input())
                  .empty());
        CHECK(loop_bound(ModuleText("#define N 5\n" +
                                    around("    [MaxIters(N)]\n    for (int i = 0; i < N; ++i)\n"))
                             .input())
                  .empty());
    }

    TEST_CASE("a bound below the loop's own trips is an error") {
        const ModuleText module(around("    [MaxIters(4)]\n    for (int i = 0; i < 12; ++i)\n"));
        const auto findings = loop_bound(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(module.after(findings[0].fixes[0]).find("    [MaxIters(12)]\n    for") !=
              std::string::npos);
    }

    TEST_CASE("what a loop's bound assumes is a note; a promise makes it an error") {
        ModuleText module(around("    [MaxIters(4)]\n    for (int i = 0; i < n; ++i)\n"));
        auto findings = loop_bound(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].message.find("assumes at most 4 trips") == 0);
        CHECK(findings[0].fixes.empty());
        module.promises.ranges["outb[1]"] = {12, 12};
        findings = loop_bound(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(module.after(findings[0].fixes[0]).find("[MaxIters(12)]") != std::string::npos);
    }

    TEST_CASE("a clamp above the bound is no proof that more trips come") {
        const auto findings =
            loop_bound(ModuleText(around("    [MaxIters(4)]\n    for (int i = 0; i < n; ++i)\n",
                                         "min(int(outb[1]), 8)"))
                           .input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].fixes.empty());
    }

    TEST_CASE(
        "a bound above the proved trips costs; a range that the user promises does not lower it") {
        ModuleText module(around(
            "    int m = min(n, 8);\n    [MaxIters(32)]\n    for (int i = 0; i < m; ++i)\n"));
        auto findings = loop_bound(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::cost);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(module.after(findings[0].fixes[0]).find("[MaxIters(8)]") != std::string::npos);

        // What the calls of this module prove, a call of another one can break.
        ModuleText called(around("    [MaxIters(32)]\n    for (int i = 0; i < n; ++i)\n",
                                 "min(int(outb[1]), 8)"));
        findings = loop_bound(called.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].fixes.empty());
        CHECK(findings[0].why_not.size() == 1);

        ModuleText promised(around("    [MaxIters(32)]\n    for (int i = 0; i < n; ++i)\n"));
        promised.promises.ranges["outb[1]"] = {0, 8};
        findings = loop_bound(promised.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].fixes.empty());
    }

    TEST_CASE("a bound is not lowered to what one build, one branch or one module shows") {
        const std::string head = "RWStructuredBuffer<float> outb;\n";
        const std::string march =
            "[Differentiable] float march(float x, no_diff int n)\n{\n    "
            "[MaxIters(64)]\n    for (int i = 0; i < n; ++i) x += sin(x);\n    "
            "return x;\n}\n";
        const auto kernel = [](const std::string& call) {
            return "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID)\n{\n    var p = "
                   "diffPair(outb[0], 0.f);\n    bwd_diff(" +
                   call + ", 1.f);\n}\n";
        };
        const std::string configured = head + "#ifndef N\n#define N 8\n#endif\n";
        const std::pair<const char*, ModuleText::Files> modules[] = {
            {"a call in a branch of another build",
             {{"/p/a.slang", head + march +
                                 "[Differentiable] float scene(float x)\n{\n#if FINE\n    return "
                                 "march(x, 60);\n#else\n    return march(x, 4);\n#endif\n}\n" +
                                 kernel("scene)(p")}}},
            {"a call in a macro",
             {{"/p/a.slang",
               head + march +
                   "#define FAR(x) march(x, 60)\n[Differentiable] float scene(float x)\n{"
                   "\n    if (x > 50)\n        return FAR(x);\n    return march(x, 4);\n}\n" +
                   kernel("scene)(p")}}},
            {"calls of other modules", {{"/p/a.slang", head + march + kernel("march)(p, 4")}}},
            {"a function of an included file",
             {{"/p/a.slang", "#include \"lib.slang\"\n" + kernel("march)(p, 4")},
              {"/p/lib.slang", head + march}}},
            {"a configuration value",
             {{"/p/a.slang",
               configured +
                   "[Differentiable] float march(float x)\n{\n    [MaxIters(64)]\n    "
                   "for (int i = 0; i < N; i += 2) x += sin(x);\n    return x;\n}\n" +
                   kernel("march)(p")}}},
            {"a configuration value in a clamp",
             {{"/p/a.slang", configured +
                                 "[Differentiable] float march(float x, no_diff int n)\n{\n    "
                                 "[MaxIters(64)]\n    for (int i = 0; i < min(n, N * 2); ++i) x += "
                                 "sin(x);\n    return x;\n}\n" +
                                 kernel("march)(p, int(outb[1])")}}},
        };
        for (const auto& [name, files] : modules) {
            CAPTURE(std::string(name));
            const ModuleText module(files);
            const auto findings = loop_bound(module.input());
            REQUIRE(findings.size() == 1);
            CHECK(findings[0].severity == Severity::note);
            CHECK(findings[0].fixes.empty());
        }
    }

    TEST_CASE("no number is written where an #if decides the trips") {
        const std::string chosen = "#if N > 20\n32\n#else\n16\n#endif\n";
        const std::string assigned = "    int m = 16;\n#if N > 20\n    m = 32;\n#endif\n";
        const std::string loops[] = {
            "    [MaxIters(64)]\n    for (int i = 0; i <\n" + chosen + "; ++i)\n",
            assigned + "    [MaxIters(64)]\n    for (int i = 0; i < m; ++i)\n",
            assigned + "    [MaxIters(8)]\n    for (int i = 0; i < m; ++i)\n",
        };
        for (const std::string& loop : loops) {
            CAPTURE(loop);
            const auto findings = loop_bound(ModuleText("#define N 16\n" + around(loop)).input());
            REQUIRE(findings.size() == 1);
            CHECK(findings[0].severity ==
                  (loop.find("(8)") == std::string::npos ? Severity::note : Severity::error));
            CHECK(findings[0].fixes.empty());
            REQUIRE(findings[0].why_not.size() == 1);
            CHECK(findings[0].why_not[0].find("the directive at a.slang:") != std::string::npos);
        }
        ModuleText missing("#define N 16\n" +
                           around(assigned + "    for (int i = 0; i < m; i += 2)\n"));
        reject(missing);
        const auto findings = loop_bound(missing.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
        CHECK(findings[0].fixes.empty());
        CHECK(findings[0].message.find("a.slang:") != std::string::npos);
    }

    TEST_CASE("the argument alone is replaced") {
        const ModuleText module(
            around("    [MaxIters /*c*/ ( /* 64 */ 64 )]\n    for (int i = 0; i < 8; ++i)\n"));
        const auto findings = loop_bound(module.input());
        REQUIRE(findings.size() == 1);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(module.after(findings[0].fixes[0]).find("[MaxIters /*c*/ ( /* 64 */ 8 )]") !=
              std::string::npos);

        const std::string cut[] = {"32 /* and */ + 32", "\n#if 1\n64\n#else\n32\n#endif\n"};
        for (const std::string& bound : cut) {
            CAPTURE(bound);
            const auto notes =
                loop_bound(ModuleText(around("    [MaxIters(" + bound +
                                             ")]\n    for (int i = 0; i < 8; ++i)\n"))
                               .input());
            REQUIRE(notes.size() == 1);
            CHECK(notes[0].fixes.empty());
        }
    }

    TEST_CASE("a bound of a narrow constant is not called too small") {
        const auto findings =
            loop_bound(ModuleText("static const int8_t M = 300;\n" +
                                  around("    [MaxIters(64)]\n    for (int i = 0; i < M; ++i)\n"))
                           .input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].fixes.empty());
    }

    TEST_CASE(
        "bounds in a nest are not lowered: equal ones may be what keeps the gradients right") {
        const std::string nest = "    [MaxIters(12)]\n    for (int i = 0; i < 12; ++i)\n    "
                                 "[MaxIters(12)]\n    for (int j = 0; j < 3; ++j)\n";
        CHECK(loop_bound(ModuleText(around(nest)).input()).empty());
    }

    TEST_CASE("loops that are not differentiated, or unrolled, have no checkpoints") {
        CHECK(loop_bound(
                  ModuleText("void g(int n) { [MaxIters(4)] for (int i = 0; i < 12; ++i) { } }\n" +
                             around("    [MaxIters(8)]\n    for (int i = 0; i < 8; ++i)\n"))
                      .input())
                  .empty());
        CHECK(
            loop_bound(
                ModuleText(around("    [ForceUnroll]\n    for (int i = 0; i < 12; ++i)\n")).input())
                .empty());
    }

    TEST_CASE("bounds in macros and in other projects are reported only") {
        const auto findings =
            loop_bound(ModuleText("#define FEW [MaxIters(4)]\n" +
                                  around("    FEW for (int i = 0; i < 12; ++i)\n"))
                           .input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
        CHECK(findings[0].fixes.empty());
        CHECK_FALSE(findings[0].why_not.empty());

        const ModuleText foreign(ModuleText::Files{
            {"/q/a.slang", around("    [MaxIters(4)]\n    for (int i = 0; i < 12; ++i)\n")}});
        const auto elsewhere = loop_bound(foreign.input());
        REQUIRE(elsewhere.size() == 1);
        CHECK(elsewhere[0].fixes.empty());
    }
}
