#include "rewriter/module_model.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

ModuleModel read(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return build_module_model(std::move(files));
}

/// "callee: kind", line of the target and ?lines of candidates, one line for every call.
std::string callees(const ModuleModel& model) {
    constexpr const char* kinds[] = {"unresolved",  "function",     "method",  "static_method",
                                     "constructor", "construction", "builtin", "macro",
                                     "requirement", "value"};
    std::string result;
    const auto line = [&](Index function) {
        return std::to_string(model.place(model.functions[function].name_site).line);
    };
    for (const Call& call : model.calls) {
        std::string text = call.callee + ": " + kinds[int(call.callee_kind)];
        if (call.target != none)
            text += " " + line(call.target);
        for (const Index candidate : call.candidates)
            text += " ?" + line(candidate);
        result += text + "\n";
    }
    return result;
}

std::string lines(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& word : words)
        result += word + "\n";
    return result;
}

} // namespace

TEST_SUITE("rewriter/call_resolution") {
    TEST_CASE("overloads are told by their types, or not at all") {
        CHECK(callees(read("float f(float x) { return x; }\n"
                           "float f(int x) { return x; }\n"
                           "float f(float3 x, float y) { return y; }\n"
                           "void g(float x, int3 i)\n"
                           "{ f(x); f(i.y); f(i * x, 1); f(2); f(hidden(x)); }\n")) ==
              lines({"f: function 1", "f: function 2", "f: function 3", "f: function 2",
                     "f: unresolved ?1 ?2", "hidden: unresolved"}));
    }

    TEST_CASE("what an argument cannot be converted to is no candidate") {
        // A vector of another size, an array, a struct, another Optional.
        CHECK(callees(read("struct S { float x; __init(float a) { x = a; } }\n"
                           "int f(float2 x) { return 1; }\n"
                           "int f(int[2] x) { return 1; }\n"
                           "int f(S x) { return 1; }\n"
                           "int f(Optional<int> x) { return 1; }\n"
                           "void g(half2 h, int3 i, bool b, int[2] a)\n"
                           "{ f(h); f(i); f(b); f(a); f(1.0); }\n")) ==
              lines({"f: function 2", "f: unresolved ?2 ?3 ?4 ?5", "f: function 2", "f: function 3",
                     "f: function 2"}));
    }

    TEST_CASE("literals cost by their value, bool as the smallest unsigned integer") {
        CHECK(callees(read("int f(uint8_t x) { return 1; }\n"
                           "int f(float x) { return 1; }\n"
                           "int h(uint x) { return 1; }\n"
                           "int h(float x) { return 1; }\n"
                           "void g(bool b) { f(255); f(256); f(-1); f((1)); h(b); }\n")) ==
              lines({"f: function 1", "f: function 2", "f: function 1", "f: function 2",
                     "h: function 3"}));
    }

    TEST_CASE("operators look at the values of plain literals alone") {
        // As Slang 2026.14.1 runs them.
        CHECK(callees(read("int f(int x) { return 1; }\n"
                           "int f(uint x) { return 2; }\n"
                           "int f(float x) { return 3; }\n"
                           "int f(bool x) { return 4; }\n"
                           "void g(int n, bool b)\n"
                           "{ f(3L); f(3UL); f(b << n); f(n + 1u); f(1u | n); f(n + 1); f(b ? n : "
                           "1u); f(clamp(n, 0u, 3u));\n"
                           "  f(!n); f(pow(2, n)); f(!b); }\n")) ==
              lines({"f: function 1", "f: function 2", "f: unresolved ?1 ?2 ?3 ?4", "f: function 2",
                     "f: function 2", "f: function 1", "f: function 2", "f: function 2",
                     "clamp: builtin", "f: function 1", "f: unresolved ?1 ?2 ?3 ?4", "pow: builtin",
                     "f: function 4"}));
    }

    TEST_CASE("a function of a struct that is inherited from gives way to one further out") {
        // `member()` in B runs the global one in Slang 2026.14.1.
        CHECK(callees(read("struct A { int member() { return 20; } int own() { return 1; } }\n"
                           "struct B : A { int f() { return member() + own(); } }\n"
                           "int member() { return 22; }\n")) ==
              lines({"member: unresolved ?1 ?3", "own: method 1"}));
        // So does `up()` in an extension.
        CHECK(callees(read("void up() { }\n"
                           "struct S { void up() { } void own() { up(); } }\n"
                           "extension S { void d() { up(); } }\n")) ==
              lines({"up: method 2", "up: unresolved ?1 ?2"}));
    }

    TEST_CASE("types that macros stand for are read as any other") {
        CHECK(callees(read("#define real float\n"
                           "#define N 3\n"
                           "#define real3 vector<real, N>\n"
                           "#define OF(T) vector<T, 2>\n"
                           "struct S<let M : int> { float x; }\n"
                           "float f(float3 x) { return 1; }\n"
                           "float f(float2 x) { return 1; }\n"
                           "float f(S<3> x) { return 1; }\n"
                           "void g(real3 a, OF(float) b, S<N> c)\n"
                           "{ f(a); f(b); f(c); f(real3(1)); real3(0); N(1); }\n")) ==
              lines({"f: function 6", "f: function 7", "f: function 8", "f: function 6",
                     "real3: construction", "real3: construction", "N: unresolved"}));
    }

    TEST_CASE("generic functions are candidates with what they cost") {
        CHECK(callees(read("interface I { void m(); }\n"
                           "struct S : I { void m() {} }\n"
                           "int f<T : I>(T x) { return 1; }\n"
                           "int f<T>(T x) { return 1; }\n"
                           "int f<let N : int>(vector<float, N> x) { return 1; }\n"
                           "int f(int64_t x) { return 1; }\n"
                           "int h<T>(T a, T b) { return 1; }\n"
                           "int h(int a, int b = 2) { return 1; }\n"
                           "void g(S s, float3 v, int i, int8_t small)\n"
                           "{ f(s); f(v); f(i); f(1.0); h(small, 3); h(1.0, i); h(i); }\n")) ==
              lines({"f: function 3", "f: function 5", "f: function 4", "f: function 5",
                     "h: function 8", "h: function 7", "h: function 8"}));
    }

    TEST_CASE("operators of built-in types stay built in beside those of the module") {
        CHECK(callees(
                  read("struct Complex { float re, im; }\n"
                       "Complex operator*(Complex a, Complex b) { return a; }\n"
                       "Complex operator*(float a, Complex b) { return b; }\n"
                       "void g(uint u, Complex c, float3 v)\n"
                       "{ float a = 0.1f * u; v = v * a; c = c * c; c = a * c; c = 2 * c; }\n")) ==
              lines({"operator*: function 2", "operator*: function 3", "operator*: function 3"}));
    }

    TEST_CASE("names that using brings are further away") {
        CHECK(callees(
                  read("int f(float x) { return 1; }\n"
                       "namespace n { int f(float x) { return 2; } int f(uint x) { return 2; } }\n"
                       "using namespace n;\n"
                       "void g(uint u) { f(1.0); f(u); }\n")) ==
              lines({"f: function 1", "f: function 2"}));
    }

    TEST_CASE("a call with too many overloads is not resolved, and quickly") {
        std::string text;
        for (int i = 0; i < 300; ++i)
            text += "void f(int[" + std::to_string(i + 1) + "] x) {}\n";
        const ModuleModel model = read(text + "void g(int[7] x) { f(x); }\n");
        REQUIRE(model.calls.size() == 1);
        CHECK(model.calls[0].callee_kind == CalleeKind::unresolved);
        CHECK(model.calls[0].candidates.size() == 300);
    }

    TEST_CASE("many local variables in one body") {
        std::string text = "void f(float x) {}\nvoid g()\n{\n";
        for (int i = 0; i < 20000; ++i)
            text += "int a" + std::to_string(i) + " = " +
                    (i == 0 ? "1" : "a" + std::to_string(i - 1)) + ";\n";
        CHECK(callees(read(text + "f(a0); }\n")) == lines({"f: function 1"}));
    }

    TEST_CASE("functions of the core module compete only with what they could take") {
        CHECK(callees(read("struct S { float x; }\n"
                           "S max(S a, S b) { return a; }\n"
                           "float min(float a, float b) { return a; }\n"
                           "void g(S s, float x, half h) { max(s, s); max(x, x); min(x, x); min(h, "
                           "h); }\n")) ==
              lines({"max: function 2", "max: builtin", "min: function 3", "min: unresolved ?3"}));
    }

    TEST_CASE("names of a scope hide those around it") {
        CHECK(callees(
                  read("float f(float x) { return x; }\n"
                       "namespace n { float f(float x) { return x; } }\n"
                       "struct S { float f(float x) { return x; } float g() { return f(1.0); } }\n"
                       "void h(S s) { f(1.0); n::f(1.0); s.f(1.0); { float f = 2.0; max(f, f); } "
                       "}\n")) == lines({"f: method 3", "f: function 1", "f: function 2",
                                         "f: method 3", "max: builtin"}));
    }

    TEST_CASE("a requirement is done by what implements it") {
        CHECK(callees(read("interface I { float f(); }\n"
                           "struct A : I { float f() { return 1.0; } }\n"
                           "struct B { float f() { return 1.0; } }\n"
                           "struct C {}\n"
                           "extension C : I { float f() { return 1.0; } }\n"
                           "float g<T : I>(T t, A a) { return t.f() + a.f(); }\n")) ==
              lines({"f: requirement 1 ?2 ?5", "f: method 2"}));
    }

    TEST_CASE("an interface's default runs where the receiver's type has nothing else") {
        CHECK(
            callees(read("interface I { float at(); float p(float x) { return at() * x; } }\n"
                         "struct A : I { float at() { return 1; } override float p(float x) {} }\n"
                         "struct D : I { float at() { return 2; } float m() { return p(1); } }\n"
                         "struct E<T> : I { float at() { return 3; } }\n"
                         "extension D { float q() { return p(2) + this.p(3); } }\n"
                         "void g<L : I>(L l, A a, D d, E<int> e, I i)\n"
                         "{ l.p(1); a.p(1); d.p(1); e.p(1); i.p(1); }\n")) ==
            lines({"at: requirement 1 ?2 ?3 ?4", "p: method 1", "p: method 1", "p: method 1",
                   "p: requirement 1 ?1 ?2", "p: method 2", "p: method 1", "p: method 1",
                   "p: requirement 1 ?1 ?2"}));
    }

    TEST_CASE("a requirement of a known type is done by its own members alone") {
        // The argument fits the requirement better; a witness may yet be made of the member.
        CHECK(callees(read("interface I { float p(float x) { return x; } }\n"
                           "struct A : I { float p(int x) { return 1; } }\n"
                           "struct B : I { override float p(float x) { return 2; } }\n"
                           "void g(A a) { a.p(1.5); a.p(1); }\n")) ==
              lines({"p: requirement 1 ?1 ?2", "p: method 2"}));
    }

    TEST_CASE("operators, subscripts and properties of the module are calls") {
        const ModuleModel model =
            read("struct S\n{\nfloat v;\n"
                 "property float p\n{\nget { return v; }\nset { v = newValue; }\n}\n"
                 "__subscript(int i) -> float {\nget { return v; } }\n}\n"
                 "S operator+(S a, S b) { return a; }\n"
                 "void f(S s, float x) { s = s + s; x = x + x; s.p = s[0]; s.p += x; }\n");
        CHECK(callees(model) == lines({"operator+: function 12", "p: method 7",
                                       "operator[]: method 10", "p: method 6", "p: method 7"}));
        // Where a row of the compiler's report points.
        const std::string& text = model.files[0].text();
        const Index plus = model.call_at(0, std::uint32_t(text.find("+ s")));
        REQUIRE(plus != none);
        CHECK(model.calls[plus].form == CallForm::operation);
        const Index bracket = model.call_at(0, std::uint32_t(text.find("[0]")));
        REQUIRE(bracket != none);
        CHECK(model.calls[bracket].form == CallForm::subscript);
    }

    TEST_CASE("constructors, casts, values and macros") {
        CHECK(
            callees(read("#define M(x) x\n"
                         "struct S { __init(float x) {} float operator()(int i) { return 1.0; } }\n"
                         "struct P { float x; }\n"
                         "void f(functype (float) -> float g, S s)\n"
                         "{ S(1.0); S(s); P(1.0); float3(1); g(1.0); s(1); M(f); }\n")) ==
            lines({"S: constructor 2", "S: construction", "P: construction", "float3: construction",
                   "g: value", "s: method 2", "M: macro"}));
    }

    TEST_CASE("derivatives name the function that is differentiated") {
        CHECK(callees(read("float f(float x) { return x; }\n"
                           "float f(float x, float y) { return x; }\n"
                           "void g(DifferentialPair<float> p)\n"
                           "{ bwd_diff(f)(p, 1.0); bwd_diff(f)(p, p, 1.0); fwd_diff(f)(p); }\n")) ==
              lines({"f: function 1", "f: function 2", "f: function 1"}));
    }

    TEST_CASE("what a macro may declare is not certain") {
        CHECK(callees(read("#define MEMBERS float f() { return 1.0; }\n"
                           "interface I { float f(); }\n"
                           "struct S : I { MEMBERS float x; }\n"
                           "void g(S s) { s.f(); }\n")) == lines({"f: unresolved ?2"}));
    }

    TEST_CASE("words that macros join, and those that they do not") {
        const std::string macros = "#define JOIN(a, b) a##b\n"
                                   "#define DECLARE(n) float n##Of(float x) { return x; }\n";
        const std::string code = "DECLARE(half)\n"
                                 "float JOIN(my, F)(float x) { return x; }\n"
                                 "float halfOf(int x) { return x; }\n"
                                 "float h(float x) { return myF(x) + halfOf(x); }\n";
        CHECK(callees(read(macros + code)) == lines({"myF: function 4", "halfOf: unresolved ?5"}));
        // Of what is not known everything may come.
        CHECK(callees(read(macros + "#define TWICE 1\n" + code + "static int a = TWICE;\n" +
                           "#undef TWICE\n#define TWICE 2\n")) ==
              lines({"myF: unresolved ?5", "halfOf: unresolved ?6"}));
    }

    TEST_CASE("namespaces that are used again and again are looked through once") {
        std::string text, path = "A0";
        for (int i = 0; i < 60; ++i)
            text += "namespace A" + std::to_string(i) + " { ";
        text += "float f(float x) { return x; }" + std::string(60, '}') + "\nvoid g()\n{\n";
        for (int i = 1; i < 60; ++i) {
            text += "using namespace " + path + ";\n";
            path += "::A" + std::to_string(i);
        }
        CHECK(callees(read(text + "using namespace " + path + "; f(1.0); }\n")) ==
              lines({"f: function 1"}));
    }

    TEST_CASE("where clauses that ask for each other's members are read once") {
        const auto number = [](int i) { return std::to_string(i % 8); };
        std::string text = "interface IA { associatedtype E : IA; }\n"
                           "interface IB { float g(); }\n";
        for (int i = 0; i < 8; ++i)
            text += "interface I" + number(i) + " { associatedtype F" + number(i) + " : IA; }\n";
        for (int i = 0; i < 8; ++i)
            text += "extension<T : I" + number(i) + "> T : IB where T.F" + number(i) + ".E : I" +
                    number(i + 1) + " where T.F" + number(i) + ".E.F" + number(i + 1) +
                    " : IA { float g() { return 1; } }\n";
        text += "float h<T : I0>(T t) where T.F0 : I1 where T.F0.F1 : I2 where T.F0.F1.F2 : I3\n"
                "{ return t.g(); }\n";
        const ModuleModel model = read(text);
        REQUIRE(model.calls.size() == 1);
        const auto callees_of_call = model.callees(model.calls[0]);
        const auto at_line = [&](std::uint32_t line) {
            return std::any_of(callees_of_call.begin(), callees_of_call.end(), [&](Index callee) {
                return model.place(model.functions[callee].name_site).line == line;
            });
        };
        CHECK(at_line(11)); // the extension of what conforms to I0
    }

    TEST_CASE("types of expressions") {
        const std::string text = "typedef float3 V;\n"
                                 "struct S<T> { T items[4]; V v; }\n"
                                 "void f(S<int> s, half h) { int a = s.items[1] + 1;\n"
                                 "float2 b = s.v.xy * h; bool c = 1 < 2; }\n";
        const ModuleModel model = read(text);
        const auto type = [&](std::string_view expression) {
            const auto at = std::uint32_t(text.find(expression));
            return std::string(model.type_of({0, {at, at + std::uint32_t(expression.size())}}));
        };
        CHECK(type("s.items[1]") == "int");
        CHECK(type("s.items[1] + 1") == "int");
        CHECK(type("s.v") == "float3");
        CHECK(type("s.v.xy * h") == "float2");
        CHECK(type("1 < 2") == "bool");
    }

    TEST_CASE("types of what is declared, at its name") {
        const std::string text =
            "struct S { float v;\n"
            "property float first { get { return v; } set(given) { v = given * 2; } }\n"
            "property float other { get { return v; } set { v = newValue * 3; } }\n"
            "__subscript(int x, int y) -> float { get { return v; } } }\n"
            "Optional<float> find(int i) { return none; }\n"
            "void f(S s) { let i = cudaThreadIdx().x + cudaBlockIdx().x;\n"
            "if (let opt = find(1)) float w = opt; let l = (int x) => x * 5; \n"
            "float b = s[3, 1] * s.first; }\n";
        const ModuleModel model = read(text);
        const auto type = [&](std::string_view expression, std::size_t skipped = 0) {
            const auto at = std::uint32_t(text.find(expression) + skipped);
            const auto size = std::uint32_t(expression.size() - skipped);
            return std::string(model.type_of({0, {at, at + size}}));
        };
        CHECK(type("let i", 4) == "uint");
        CHECK(type("let opt", 4) == "float");
        CHECK(type("given * 2") == "float");
        CHECK(type("newValue * 3") == "float");
        CHECK(type("x * 5") == "int");
        CHECK(type("s[3, 1]") == "float");
        CHECK(type("s.first") == "float");
        // What a setter is given is its parameter.
        std::string setters;
        for (const Function& function : model.functions) {
            for (const Parameter& parameter : function.parameters)
                setters +=
                    function.name == "set" ? parameter.name + ": " + parameter.type + "\n" : "";
        }
        CHECK(setters == "given: float\nnewValue: float\n");
        CHECK(type("x") == "");
    }
}
