#include "attributes/prefer_recompute.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string buffers = "RWStructuredBuffer<float> outb;\nStructuredBuffer<float> "
                            "gW;\nRWStructuredBuffer<float> gWG;\n";
const std::string kernel = "[Differentiable]\nfloat run(float x)\n{\n    float a = 0.f;\n    "
                           "[MaxIters(3)]\n    for (int i = 0; i < 3; ++i)\n"
                           "        a += f(x, i);\n    return a;\n}\n"
                           "[shader(\"compute\")]\nvoid main(uint3 t : SV_DispatchThreadID) { var "
                           "p = diffPair(1.f, 0.f); bwd_diff(run)(p, 1.f); outb[0] = p.d; }\n";

/// A module in which the result of `f(x, i)` is stored.
ModuleText stored(const std::string& f) {
    ModuleText module(buffers + f + kernel);
    module.store("run", "f(x, i);", 1, "FixedArray<float, 5>", 20);
    return module;
}

std::vector<Finding> of(const ModuleText& module) {
    return prefer_recompute(module.input());
}

} // namespace

TEST_SUITE("attributes/prefer_recompute") {
    TEST_CASE("a pure callee gets the plain form first") {
        const ModuleText module =
            stored("[Differentiable]\nfloat f(float x, int i) { return x * (i / 3); }\n");
        const auto findings = of(module);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::cost);
        CHECK(findings[0].bytes == 20);
        CHECK(findings[0].message.find("20 B in the context of 'run'") != std::string::npos);
        REQUIRE(findings[0].fixes.size() == 2);
        CHECK(module.after(findings[0].fixes[0])
                  .find("\n[PreferRecompute]\n[Differentiable]\nfloat f(") != std::string::npos);
        CHECK(
            module.after(findings[0].fixes[1])
                .find(
                    "\n[PreferRecompute(SideEffectBehavior.Allow)]\n[Differentiable]\nfloat f(") !=
            std::string::npos);
        CHECK(findings[0].fixes[0].applicability == Applicability::safe);
    }

    TEST_CASE("a reader gets the form that allows reads, at the call that is reported") {
        const ModuleText module =
            stored("float inner(int i) { return gW[i]; }\n[Differentiable]\nfloat f(float x, int "
                   "i) { return x * inner(i); }\n");
        const auto findings = of(module);
        REQUIRE(findings.size() == 1);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(
            module.after(findings[0].fixes[0])
                .find("[PreferRecompute(SideEffectBehavior.Allow)]\n[Differentiable]\nfloat f(") !=
            std::string::npos);
    }

    TEST_CASE("a writer is refused with the reason") {
        const auto findings = of(
            stored("[Differentiable]\nfloat f(float x, int i) { outb[40] += 1.f; return x; }\n"));
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].fixes.empty());
        CHECK(findings[0].message.find("it writes 'outb'") != std::string::npos);
        REQUIRE(findings[0].why_not.size() == 1);
        CHECK(findings[0].why_not[0].find("it writes 'outb'") == 0);
    }

    TEST_CASE("rows of one callee are one finding") {
        ModuleText module(buffers +
                          "[Differentiable]\nfloat f(float x, int i) { return x * gW[i]; "
                          "}\n[Differentiable]\nfloat g(float x) { return f(x, 9); }\n" +
                          kernel);
        module.store("run", "f(x, i);", 1, "FixedArray<float, 5>", 20);
        module.store("g", "f(x, 9);", 1, "float", 4);
        const auto findings = of(module);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].bytes == 24);
    }

    TEST_CASE("what the author decided stays") {
        CHECK(of(stored(
            "[PreferCheckpoint] [Differentiable]\nfloat f(float x, int i) { return x * i; }\n"))[0]
                  .fixes.empty());
        CHECK(of(stored("[PreferRecompute(SideEffectBehavior.Allow)] [Differentiable]\nfloat "
                        "f(float x, int i) { return x * gW[i]; }\n"))[0]
                  .fixes.empty());
        const ModuleText plain = stored(
            "[PreferRecompute] [Differentiable]\nfloat f(float x, int i) { return x * gW[i]; }\n");
        const auto findings = of(plain);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(plain.after(findings[0].fixes[0])
                  .find("[PreferRecompute(SideEffectBehavior.Allow)] [Differentiable]") !=
              std::string::npos);
    }

    TEST_CASE("a callee from a macro, without a body, or of another project is not marked") {
        for (const std::string& f :
             {std::string(
                  "#define F float f(float x, int i) { return x * i; }\n[Differentiable]\nF\n"),
              std::string("[Differentiable]\nfloat f(float x, int i);\n")}) {
            for (const Finding& finding : of(stored(f))) {
                CHECK(finding.fixes.empty());
                CHECK_FALSE(finding.why_not.empty());
            }
        }
        ModuleText module(ModuleText::Files{
            {"/p/a.slang", "#include \"../q/b.slangh\"\n" + kernel},
            {"/q/b.slangh",
             buffers + "[Differentiable]\nfloat f(float x, int i) { return x * i; }\n"}});
        module.store("run", "f(x, i);", 1, "FixedArray<float, 5>", 20);
        const auto findings = of(module);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].fixes.empty());
        CHECK(findings[0].why_not[0].find("/q/b.slangh") != std::string::npos);
    }

    TEST_CASE("an overload that cannot be told apart is left alone") {
        const auto findings =
            of(stored("[Differentiable]\nfloat f(float x, Elsewhere i) { return x; "
                      "}\n[Differentiable]\nfloat f(float x, Other i) { return x; }\n"));
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].fixes.empty());
    }

    TEST_CASE("of overloads that the arguments tell apart the called one is marked") {
        const ModuleText module =
            stored("[Differentiable]\nfloat f(float x, uint i) { return x; "
                   "}\n[Differentiable]\nfloat f(float x, int i) { return x; }\n");
        const auto findings = of(module);
        REQUIRE(findings.size() == 1);
        REQUIRE_FALSE(findings[0].fixes.empty());
        CHECK(module.after(findings[0].fixes[0])
                  .find("[Differentiable]\nfloat f(float x, uint i) { return x; "
                        "}\n[PreferRecompute]\n[Differentiable]\nfloat f(float x, int i)") !=
              std::string::npos);
    }

    TEST_CASE("a builtin method is not mistaken for a function of its name") {
        ModuleText module(
            "ByteAddressBuffer gB;\nfloat Load(uint at) { return at; }\n" +
            std::string("[Differentiable]\nfloat run(float x) { return x * gB.Load(4); }\n"
                        "[shader(\"compute\")]\nvoid main(uint3 t : SV_DispatchThreadID) { var p = "
                        "diffPair(1.f, 0.f); bwd_diff(run)(p, 1.f); }\n"));
        module.store("run", "Load(4)", 4, "uint", 4);
        for (const Finding& finding : of(module)) {
            for (const Fix& fix : finding.fixes)
                CHECK(fix.description.find("mark 'Load'") == std::string::npos);
        }
    }

    TEST_CASE("a direct read is wrapped, with every read of that buffer in the function") {
        ModuleText module(buffers +
                          "[Differentiable]\nfloat f(float x, int i)\n{\n    float a = gW[i];\n    "
                          "return x * a * gW[2 * i + 1];\n}\n" +
                          kernel);
        module.store("f", "gW[i]", 2, "float", 4);
        module.store("f", "gW[2", 2, "float", 4);
        const auto findings = of(module);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::cost);
        CHECK(findings[0].bytes == 8);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(module.after(findings[0].fixes[0]) ==
              buffers +
                  "[PreferRecompute(SideEffectBehavior.Allow)]\n[Differentiable]\nfloat "
                  "slimgrad_read_gW(uint i) { return gW[i]; }\n\n"
                  "[Differentiable]\nfloat f(float x, int i)\n{\n    float a = "
                  "slimgrad_read_gW(i);\n    return x * a * slimgrad_read_gW(2 * i + 1);\n}\n" +
                  kernel);
    }

    TEST_CASE("the helper stands above the first function that names the buffer, in every build") {
        const std::string early = "float early(int i) { return gW[i]; }\n";
        const std::string run = "[Differentiable]\nfloat run(float x)\n{\n    float a = 0.f;\n    "
                                "[MaxIters(3)]\n    for (int i = 0; i < 3; ++i)\n        a += "
                                "gW[i] * x;\n    return a;\n}\n";
        const auto helper_is_first = [&](const std::string& text) {
            ModuleText module(buffers + text + run);
            module.store("run", "[i] * x;", 0, "FixedArray<float, 5>", 20);
            const auto findings = of(module);
            REQUIRE(findings.size() == 1);
            REQUIRE(findings[0].fixes.size() == 1);
            const std::string after = module.after(findings[0].fixes[0]);
            const auto helper = after.find("float slimgrad_read_gW(uint i)");
            REQUIRE(helper != after.npos);
            return helper < after.find("float early(");
        };
        CHECK(helper_is_first(early));
        CHECK_FALSE(helper_is_first("float early(int i) { return gWG[i] /* gW */; }\n"));
        CHECK_FALSE(helper_is_first("#ifndef FAST\n" + early + "#endif\n"));
    }

    TEST_CASE("a tensor parameter is passed to the helper; that it may overlap is said") {
        ModuleText module("[AutoPyBindCUDA] [CUDAKernel] [Differentiable]\nvoid "
                          "k(DiffTensorView<float> from, DiffTensorView<float> to)\n{\n"
                          "    uint2 at = uint2(1, 2);\n    float v = from.loadOnce(at);\n    "
                          "to.storeOnce(at, v * v);\n}\n");
        module.store("k", "loadOnce(at)", 8, "float", 4);
        const auto findings = of(module);
        REQUIRE(findings.size() == 1);
        REQUIRE(findings[0].fixes.size() == 1);
        const Fix& fix = findings[0].fixes[0];
        CHECK(fix.applicability == Applicability::unsafe);
        CHECK_FALSE(fix.condition.empty());
        CHECK(module.after(fix).find("float slimgrad_loadOnce_from(DiffTensorView<float> from, "
                                     "uint2 i) { return from.loadOnce(i); }") != std::string::npos);
        CHECK(module.after(fix).find("float v = slimgrad_loadOnce_from(from, at);") !=
              std::string::npos);
        module.promises.noalias = true;
        CHECK(of(module)[0].fixes[0].applicability == Applicability::safe);
    }

    TEST_CASE("what rests on the promise noalias is not asked slangc about") {
        ModuleText module(
            "[Differentiable]\nfloat f(DiffTensorView<float> t, float x, int i)\n{\n    "
            "return x * t.loadOnce(uint(i));\n}\n"
            "[AutoPyBindCUDA] [CUDAKernel] [Differentiable]\nvoid "
            "k(DiffTensorView<float> from, DiffTensorView<float> to)\n{\n"
            "    to.storeOnce(0, f(from, 2.f, 1));\n}\n");
        module.store("k", "f(from", 1, "float", 4);
        const auto fix = [&] {
            const auto findings = of(module);
            REQUIRE(findings.size() == 1);
            REQUIRE(findings[0].fixes.size() == 1);
            return findings[0].fixes[0];
        };
        CHECK(fix().applicability == Applicability::unsafe);
        CHECK(fix().probe.empty());
        module.promises.noalias = true;
        CHECK(fix().applicability == Applicability::safe);
        CHECK(fix().probe.empty());

        // Globals are different memory without any promise: the second opinion is asked for.
        ModuleText globals =
            stored("[Differentiable]\nfloat f(float x, int i) { return x * gW[i]; }\n");
        globals.promises.noalias = true;
        CHECK(of(globals)[0].fixes[0].probe_code == "E42050");
    }

    TEST_CASE("reads that cannot be wrapped say why") {
        struct Read {
            const char* f;
            const char* mark;
        };
        const Read reads[] = {
            {"[Differentiable]\nfloat f(float x, int i) { return x * outb[i]; }\n", "outb[i]"},
            {"[Differentiable]\nfloat f(float x, int i) { let b = gW; return x * b[i]; }\n",
             "b[i]"},
            {"struct S { [Differentiable]\nfloat f(float x, int i) { return x * gW[i]; } };\n",
             "gW[i]"},
            {"float slimgrad_read_gW(float other) { return other; }\n[Differentiable]\nfloat "
             "f(float x, int i) { return x * gW[i]; }\n",
             "gW[i]"},
            {"#define READ(i) gW[i]\n[Differentiable]\nfloat f(float x, int i) { return x * "
             "READ(i); }\n",
             "gW[i]"},
        };
        for (const Read& read : reads) {
            CAPTURE(std::string(read.f));
            ModuleText module(buffers + read.f + kernel);
            module.store("f", read.mark, std::uint32_t(std::string(read.mark).find('[')), "float",
                         4);
            for (const Finding& finding : of(module)) {
                CHECK(finding.fixes.empty());
                CHECK_FALSE(finding.why_not.empty());
            }
        }
    }

    TEST_CASE("rows that point to nothing that is known are left out") {
        ModuleText module(buffers + "[Differentiable]\nfloat f(float x, int i) { return x; }\n" +
                          kernel);
        CheckpointContext context;
        context.function = "run";
        CheckpointValue nowhere, beyond;
        beyond.place = {"/p/a.slang", 4000, 1};
        beyond.bytes = nowhere.bytes = 4;
        context.values = {nowhere, beyond};
        module.compiled.contexts.push_back(context);
        CHECK(of(module).empty());
    }
}
