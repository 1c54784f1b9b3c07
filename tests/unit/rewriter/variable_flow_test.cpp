#include "rewriter/variable_flow.h"

#include "rewriter/flow_text.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

std::uint32_t line_of(const Read& read, const Site& site) {
    return site.range.empty() ? 0 : read.model.place(site).line;
}

/// "3 5@4": the uses of a variable on a line get what is defined on lines 3 and 5, the latter from
/// the trip before of the loop on line 4. 0 is the function's entry.
std::string reaching(const Read& read, const std::string& name, std::uint32_t line) {
    std::vector<std::string> found;
    for (const Use& use : read.flow.uses) {
        if (read.flow.variables[use.variable].name != name || line_of(read, use.site) != line)
            continue;
        for (const ReachingDefinition& reaching : use.reaching) {
            std::string text =
                std::to_string(line_of(read, read.flow.definitions[reaching.definition].site));
            if (reaching.carried_by != none)
                text +=
                    fmt::format("@{}", line_of(read, read.model.loops[reaching.carried_by].site));
            if (std::find(found.begin(), found.end(), text) == found.end())
                found.push_back(text);
        }
    }
    std::sort(found.begin(), found.end());
    return fmt::format("{}", fmt::join(found, " "));
}

/// "a b d:b": the uses in `f`, then what it sets after declarations, and the number of calls.
std::string uses_and_writes(const std::string& text) {
    const Read result = read(text);
    std::string found;
    for (const Use& use : result.flow.uses)
        found += result.flow.variables[use.variable].name + " ";
    for (const Definition& definition : result.flow.definitions)
        if (definition.kind != DefinitionKind::entry &&
            definition.kind != DefinitionKind::declaration)
            found += "d:" + result.flow.variables[definition.variable].name + " ";
    return fmt::format("{}calls {}", found, result.model.calls.size());
}

} // namespace

TEST_CASE("read_flow: definitions reach uses in straight code and over branches") {
    const Read result = read(R"(float f(float x, bool b)
{
    float y = x;
    if (b)
        y = 2;
    else
        x = y;
    float z = y + x;
    y = z;
    return y;
})");
    CHECK(result.flow.incomplete == "");
    CHECK(reaching(result, "x", 3) == "0");
    CHECK(reaching(result, "y", 7) == "3");
    CHECK(reaching(result, "y", 8) == "3 5");
    CHECK(reaching(result, "x", 8) == "0 7");
    CHECK(reaching(result, "y", 10) == "9");
}

TEST_CASE("read_flow: loops carry values to the next trip, inner loops theirs") {
    const Read result = read(R"(float f(int n)
{
    float a = 0, b = 0, c = 0;
    for (int i = 0; i < n; ++i)
    {
        float t = a;
        a = t + b;
        for (int j = 0; j < n; ++j)
            b += a;
        c = b;
    }
    return a + c;
})");
    CHECK(reaching(result, "a", 6) == "3 7@4");
    CHECK(reaching(result, "b", 7) == "3 9@4");
    CHECK(reaching(result, "b", 9) == "3 9@4 9@8");
    CHECK(reaching(result, "a", 9) == "7");
    CHECK(reaching(result, "b", 10) == "3 9 9@4");
    CHECK(reaching(result, "a", 12) == "3 7");
    CHECK(reaching(result, "c", 12) == "10 3");
}

TEST_CASE("read_flow: break, continue, return, switch, labels, do-while") {
    const Read result = read(R"(float f(int n)
{
    float a = 1;
    outer: for (int i = 0; i < n; ++i)
    {
        if (n > 3)
            { a = 6; continue; }
        if (n > 4)
            { a = 9; break; }
        do
        {
            a += 1;
            if (n > 7)
                { a = 13; break outer; }
        } while (a < 5);
        switch (n)
        {
        case 1: a = 19;
        case 2: a += 2; break;
        case 3: a = 21; return a;
        }
        a = a * 2;
    }
    return a;
})");
    CHECK(result.flow.incomplete == "");
    CHECK(reaching(result, "a", 12) == "12@10 22@4 3 7@4");
    CHECK(reaching(result, "a", 15) == "12");
    CHECK(reaching(result, "a", 19) == "12 18");
    CHECK(reaching(result, "a", 20) == "20");
    CHECK(reaching(result, "a", 22) == "12 19");
    CHECK(reaching(result, "a", 24) == "14 22 3 7 9");
}

TEST_CASE("read_flow: parts of a variable, arguments, deferred code, conditional operands") {
    const Read result = read(R"(void g(out float o, inout float p, float q) { o = p; }
float f(float x)
{
    float3 v = x;
    v.y = 2;
    float w = v.x;
    float o = 0;
    g(o, w, x);
    bool b = x > 1 && (x = 9) > 2;
    defer w = x;
    {
        defer { o = w; }
        w = 13;
    }
    return o + w;
})");
    CHECK(reaching(result, "v", 6) == "4 5");
    CHECK(reaching(result, "w", 8) == "6");
    CHECK(reaching(result, "o", 8) == "");
    CHECK(reaching(result, "x", 10) == "0 9");
    CHECK(reaching(result, "w", 12) == "13");
    CHECK(reaching(result, "o", 15) == "12");
    CHECK(reaching(result, "w", 15) == "13");
}

TEST_CASE(
    "read_flow: names hide names, lambdas declare theirs, fields and globals come from outside") {
    const Read result = read(R"(static float gS;
struct S { float k; [mutating] void m() { k = 1; }
    [mutating] float f(float k2)
    {
        float x = k;
        { float x = gS; x += k2; }
        let h = (float x) => x * k2;
        this.k = x;
        m();
        return k + x + gS;
    } })");
    CHECK(reaching(result, "k", 5) == "0");
    CHECK(reaching(result, "x", 6) == "6");
    CHECK(reaching(result, "x", 7) == "7");
    CHECK(reaching(result, "x", 8) == "5");
    CHECK(reaching(result, "k", 10) == "8 9");
    CHECK(reaching(result, "gS", 10) == "0 9");
    CHECK(reaching(result, "x", 10) == "5");
}

TEST_CASE("read_flow: an object and its fields are set together, and no call sets them") {
    const Read whole = read("struct S { float x;\n"
                            "[mutating] float f() {\n"
                            "    this = {};\n"
                            "    return x; } }\n");
    std::vector<std::string> set;
    for (const Definition& definition : whole.flow.definitions) {
        if (definition.kind == DefinitionKind::entry)
            continue;
        CHECK(definition.kind == DefinitionKind::assignment);
        set.push_back(whole.flow.variables[definition.variable].name +
                      (definition.partial ? " a part" : ""));
    }
    std::sort(set.begin(), set.end());
    CHECK(set == std::vector<std::string>{"this", "x a part"});
}

TEST_CASE("read_flow: what it cannot follow it says") {
    CHECK(read("#define SET(v) v = 1\nvoid f(float x) { SET(x); float y = x; }").flow.incomplete !=
          "");
    CHECK(read("void f(float x) { EACH(i, n) { x = 1; } }").flow.incomplete != "");
    CHECK(read("#define N 4\nvoid f(float x) { x += N; }").flow.incomplete == "");
    CHECK(read("#define W (x = 3)\nvoid f(float x) { x += W; }").flow.incomplete != "");
    CHECK(read("void f(float x) { x += ; ) }").flow.incomplete != "");
    CHECK(read("float f(float x);").flow.variables.size() == 1);
}

TEST_CASE("read_flow: a function's name in a call is no use of a variable of that name") {
    const auto g = [](const std::string& inside, const std::string& global) {
        return answer("namespace n { " + inside + " float f(float x) { return g(x); } }\n" + global,
                      "g");
    };
    CHECK(g("float g(float x) { return x; }", "static float g;") == "no use");
    CHECK(g("struct g { float x; };", "static float g;") == "no use");
    CHECK(g("", "struct S { float operator()(float x) { return x; } };\nstatic S g;") != "no use");
}

TEST_CASE("read_flow: macros that only compute are looked through") {
    const auto of = [](const std::string& macro, const std::string& body) {
        Read result = read("#define M" + macro +
                           "\nRWStructuredBuffer<float> gO;\n"
                           "float g(float x) { gO[0] = x; return x; }\n"
                           "[Differentiable] float f(float x, float y) { return " +
                           body + "; }");
        std::string found = result.flow.incomplete.empty() ? "" : "incomplete ";
        for (const Use& use : result.flow.uses)
            found += result.flow.variables[use.variable].name +
                     (use.derivative == DerivativeUse::carries ? "+ " : "? ");
        for (const Definition& definition : result.flow.definitions) {
            if (definition.kind != DefinitionKind::entry)
                found += "set ";
        }
        return found;
    };
    CHECK(of("(a) ((a) * (a))", "M(x) * y") == "x+ y+ ");
    CHECK(of("(a, b) ((a) * 2.5f - (b))", "M(x + 1, y)") == "x+ y+ ");
    CHECK(of("(a) (-(a) / 3)", "M(sin(x))") == "x+ ");
    // A cast of what is not in parentheses casts its first part; an operator of the argument may
    // take in what stands beside it.
    CHECK(of("(a, b) a + b", "(float)(int) M(x, y)") == "x? y? ");
    CHECK(of("(a, b) (b + a)", "M(x > 0 ? 1 : 2, y)").starts_with("incomplete "));
    // Derivatives are followed through sums and products alone.
    for (const char* macro : {"(a) (- -a)", "(a) (2)", "(a) (a ? 1 : 2)", "(a) ((int)(a))",
                              "(a) clamp(a, 0.0, 1.0)", "(a) float2(a, sin(a)).x"}) {
        CAPTURE(macro);
        CHECK(of(macro, "M(x)") == "x? ");
    }
    // What writes, calls or names what is no argument.
    for (const char* macro : {"(a) (a += 1)", "(a) (a++)", "(a) (g(a))", "(a) ((a)(a))",
                              "(a) (a * y)", "(a) frexp(a, y)", "(a) a; y = 2", "(a) g"}) {
        CAPTURE(macro);
        CHECK(of(macro, "M(x)").starts_with("incomplete "));
    }
    CHECK(of("(a) ((a) * (a))", "M(g(x))").starts_with("incomplete "));
    CHECK(of("(a) ((a) * (a))", "M(x = y)").starts_with("incomplete "));
}

TEST_CASE("read_flow: `out` arguments of core functions are set as a whole, and not read") {
    const auto of = [](const std::string& body, const std::string& name) {
        Read result = read(
            "RWStructuredBuffer<uint> gO; Texture2D<float> gT;\nuint f(float y) {\n" + body + " }");
        std::string found;
        for (const Definition& definition : result.flow.definitions) {
            if (result.flow.variables[definition.variable].name == name &&
                definition.kind == DefinitionKind::argument)
                found += definition.partial ? "part " : "whole ";
        }
        for (const Use& use : result.flow.uses) {
            if (result.flow.variables[use.variable].name == name)
                found += "used ";
        }
        return found;
    };
    CHECK(of("uint old; InterlockedAdd(gO[0], 1, old);", "old") == "whole ");
    CHECK(of("uint old; gO.InterlockedAdd(0, 1, old);", "old") == "whole ");
    CHECK(of("uint x = 0; InterlockedAdd(x, 1);", "x") == "part used ");
    CHECK(of("uint w, h; gT.GetDimensions(w, h);", "w") == "whole ");
    CHECK(of("uint w, h, n; gT.GetDimensions(0, w, h, n);", "w") == "whole ");
    CHECK(of("float s, c; sincos(y, s, c);", "c") == "whole ");
    CHECK(of("float s, c; sincos(y, s, c);", "y") == "used ");
}

TEST_CASE("read_flow: two comparisons that are written like a call with generic arguments") {
    CHECK(uses_and_writes("bool f(int a, int b, int c) { return a < b > (c); }") ==
          "a b c calls 0");
    CHECK(uses_and_writes("bool f(int b, int c) { int a = 2; return a < b > (c); }") ==
          "a b c calls 0");
    CHECK(uses_and_writes("static int a; bool f(int b, int c) { return a < b > (c); }") ==
          "a b c calls 0");
    CHECK(uses_and_writes("T a<T>(T c) { return c; } int f(int c) { return a<int>(c); }") ==
          "c calls 1");
    CHECK(uses_and_writes("void g(bool x, bool y) { } void f(int a, int b, int c) { g(a < b, b > "
                          "(c)); }") == "a b b c calls 1");
}

TEST_CASE("read_flow: what a variable holds takes its arguments by value where its type says so") {
    const auto sets = [](const std::string& head, const std::string& before = "") {
        const Read result =
            read(head + " { " + before + " float y = 1; float z = g(y); return z; }");
        return std::any_of(result.flow.definitions.begin(), result.flow.definitions.end(),
                           [&](const Definition& definition) {
                               return definition.kind == DefinitionKind::argument &&
                                      result.flow.variables[definition.variable].name == "y";
                           });
    };
    CHECK_FALSE(sets("float f<T : IFunc<float, float>>(T g)"));
    CHECK_FALSE(sets("float f(IFunc<float, float> g)"));
    CHECK_FALSE(sets("float f(functype(float) -> float g)"));
    CHECK_FALSE(sets("float f()", "let g = (float a) => a * 2;"));
    CHECK_FALSE(sets("struct G { float operator()(float x) { return x; } } float f(G g)"));
    CHECK(sets("struct G { float operator()(inout float x) { return x; } } float f(G g)"));
    CHECK(sets("float f(Unseen g)"));
    CHECK(sets("float f<T : IUnseen>(T g)"));
    CHECK(sets("interface IFunc<A, B> { void m(); } float f<T : IFunc<float, float>>(T g)"));
}
