#include "attributes/global_writes.h"

#include "module_text.h"
#include "rewriter/variable_flow.h"

#include <algorithm>
#include <fmt/format.h>

using namespace slimgrad;

namespace {

/// "a b": the globals that the calls of `callee` in the text may write.
std::string written(const std::string& text, const std::string& callee) {
    const ModuleText module(text);
    const EffectAnalysis effects(module.model);
    GlobalWrites writes(module.model, effects);
    std::vector<std::string> names;
    for (const Call& call : module.model.calls)
        for (Index i = 0; call.callee == callee && i < module.model.globals.size(); ++i)
            if (writes.may_write(call, i))
                names.push_back(module.model.globals[i].name);
    return fmt::format("{}", fmt::join(names, " "));
}

constexpr const char* globals = "RWStructuredBuffer<float> a; RWStructuredBuffer<float> b; "
                                "groupshared float m; static float s;\n";

} // namespace

TEST_SUITE("attributes/global_writes") {
    TEST_CASE("a call writes what its callee's effects say, and all they reach") {
        const std::string text = globals + std::string("float pure(float x) { return x * b[0]; }\n"
                                                       "void one(int i) { a[i] = pure(1); }\n"
                                                       "void two(int i) { one(i); s = 1; }\n"
                                                       "void main() { two(3); pure(2); }\n");
        CHECK(written(text, "pure") == "");
        CHECK(written(text, "one") == "a");
        CHECK(written(text, "two") == "a s");
    }

    TEST_CASE("buffers that are passed, second names of one memory, derivatives") {
        CHECK(written(globals + std::string("void put(RWStructuredBuffer<float> c) { c[0] = 1; } "
                                            "void main() { put(b); }"),
                      "put") == "b");
        CHECK(written("[[vk::binding(0)]] RWStructuredBuffer<float> a; [[vk::binding(0)]] "
                      "RWStructuredBuffer<uint> c; RWStructuredBuffer<float> b;\n"
                      "void put() { c[0] = 1; } void main() { put(); }",
                      "put") == "a c");
        const std::string derivative =
            globals +
            std::string("[BackwardDerivative(fBwd)] float f(float x) { return x; }\n"
                        "void fBwd(inout DifferentialPair<float> x, float d) { b[0] = d; }\n");
        CHECK(written(derivative + "void main() { f(1); }", "f") == "");
        CHECK(written(derivative + "void main() { var p = diffPair(1.f); bwd_diff(f)(p, 1.f); }",
                      "f") == "b");
    }

    TEST_CASE("what is not known, or overlaps, may be any") {
        CHECK(written(globals + std::string("void put(float* p) { *p = 1; }\n"
                                            "[CUDAKernel] void k(float* q) { put(q); }"),
                      "put") == "a b m s");
        CHECK(written(globals + std::string("void f() { strange(); } void main() { f(); }"), "f") ==
              "a b m s");
        CHECK(written(globals + std::string("#define F(x) (a[0] = x)\nvoid main() { F(2); }"),
                      "F") == "a b m s");
    }

    TEST_CASE("a local lambda writes what its body writes") {
        const auto of_lambda = [](const std::string& body) {
            return written(globals +
                               std::string("float pure(float x) { return x; }\n"
                                           "float put(float x) { a[0] = x; return x; }\n"
                                           "float apply(IFunc<float, float> h) { return h(1); }\n"
                                           "void main() { float k = 2; let g = ") +
                               body + "; float r = g(1); }",
                           "g");
        };
        CHECK(of_lambda("(float x) => x * k + pure(x) + a[0]") == "");
        CHECK(of_lambda("(float x) => { b[1] = x; return x; }") == "b");
        CHECK(of_lambda("(float x) => put(x) + s") == "a");
        CHECK(of_lambda("(float x) => strange(x)") == "a b m s");
        CHECK(of_lambda("(float x) => apply(put)") == "a b m s");
        CHECK(of_lambda("(float x) => x; g = other") == "a b m s");
        CHECK(written(globals + std::string("void f(IFunc<float, float> g) { g(1); }"), "g") ==
              "a b m s");
    }

    TEST_CASE("static members of types") {
        const std::string text =
            "struct Tab { static int hits; static int other; void count() { hits++; } }\n"
            "void main() { Tab t; t.count(); }\n";
        CHECK(written(text, "count") == "Tab.hits");
    }

    TEST_CASE("the flow of a function has those writes alone") {
        const ModuleText module(globals +
                                std::string("float pure(float x) { return x; }\n"
                                            "void put() { a[0] = 1; }\n"
                                            "void main() { float x = pure(a[1] + b[1]); put(); "
                                            "x += a[2] + b[2]; }\n"));
        const EffectAnalysis effects(module.model);
        GlobalWrites writes(module.model, effects);
        const FlowAnalysis analysis(module.model, [&](const Call& call, Index global) {
            return writes.may_write(call, global);
        });
        const FunctionFlow flow = analysis.of_function(module.function("main"));
        std::string by_calls;
        for (const Definition& definition : flow.definitions)
            if (definition.kind == DefinitionKind::call)
                by_calls += fmt::format("{} by {};", flow.variables[definition.variable].name,
                                        module.model.text(definition.site));
        CHECK(by_calls == "a by put();");
    }
}
