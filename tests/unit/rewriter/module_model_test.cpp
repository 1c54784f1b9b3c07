#include "rewriter/module_model.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

ModuleModel read(const std::string& text, const std::vector<std::string>& defines = {}) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return build_module_model(std::move(files), defines);
}

const Function& function(const ModuleModel& model, std::string_view name) {
    const auto found = model.find_functions(name);
    REQUIRE(found.size() == 1);
    return model.functions[found[0]];
}

/// Accesses of this name as "text kind", in order.
std::vector<std::string> accesses(const ModuleModel& model, std::string_view name) {
    std::vector<std::string> result;
    for (const Access& access : model.accesses) {
        constexpr const char* kinds[] = {"read", "write", "read_write"};
        if (access.name == name)
            result.push_back(std::string(model.text(access.site)) + " " + kinds[int(access.kind)]);
    }
    return result;
}

const Call& call(const ModuleModel& model, std::string_view callee) {
    for (const Call& candidate : model.calls) {
        if (candidate.callee == callee)
            return candidate;
    }
    FAIL("no call of ", std::string(callee));
    return model.calls[0];
}

using Words = std::vector<std::string>;

} // namespace

TEST_SUITE("rewriter/module_model") {
    TEST_CASE("a function's head") {
        const std::string text = "// a comment\n[Differentiable] [ForceInline]\n"
                                 "public static float[NO] layer<let NI : int, T : IFoo & "
                                 "IBar>(float x[NI], no_diff uint base = 3,\n"
                                 "    inout T y : TEXCOORD)\n{ return x; }\n";
        const ModuleModel model = read(text);
        const Function& f = function(model, "layer");
        CHECK(f.qualified_name == "layer");
        CHECK(f.return_type == "float[NO]");
        CHECK(f.modifiers == Words{"public", "static"});
        REQUIRE(f.attributes.size() == 2);
        CHECK(f.attributes[1].name == "ForceInline");
        CHECK(model.files[0].slice(f.attributes[1].group) == "[ForceInline]");
        CHECK(f.is_differentiable());
        CHECK_FALSE(f.from_macro);
        CHECK(f.declaration_start == text.find("public"));
        CHECK(f.site.range ==
              ByteRange{std::uint32_t(text.find("[Diff")), std::uint32_t(text.size() - 1)});
        CHECK(model.text(f.name_site) == "layer");
        REQUIRE(f.body);
        CHECK(model.files[0].slice(*f.body) == "{ return x; }");
        REQUIRE(f.generics.size() == 2);
        CHECK((f.generics[0].name == "NI" && f.generics[0].is_value &&
               f.generics[0].constraint == "int"));
        CHECK((f.generics[1].name == "T" && !f.generics[1].is_value &&
               f.generics[1].constraint == "IFoo & IBar"));
        REQUIRE(f.parameters.size() == 3);
        CHECK((f.parameters[0].name == "x" && f.parameters[0].type == "float[NI]"));
        CHECK(f.parameters[1].modifiers == Words{"no_diff"});
        CHECK(f.parameters[1].default_value == "3");
        CHECK(f.parameters[2].modifiers == Words{"inout"});
        CHECK(f.parameters[2].semantic == "TEXCOORD");
        CHECK(f.semantic.empty());
        CHECK(read("float4 f() : SV_Target0 { return 1; }\n").functions[0].semantic ==
              "SV_Target0");
        CHECK(read("float f(void) { return 1; }\n").functions[0].parameters.empty());
        CHECK(read("void f(void* p) { }\n").functions[0].parameters.size() == 1);
    }

    TEST_CASE("functions in types and namespaces") {
        const ModuleModel model = read(
            "namespace N { struct S { float m() { return 1; } __init(int x) { } } }\n"
            "extension S : I { [Differentiable] float e(float x) { return x; } }\n"
            "interface J { float i(float x); }\n"
            "struct Q { property int p { get { return 1; } set { } }\n"
            "  __subscript(int i) -> float { get { return 2; } } S operator+(S a) { return a; } }\n"
            "func g(x : float) -> int { return 1; }\n"
            "__func_extension fwd_diff(g)(float x) -> int { return gIn[0]; }\n");
        CHECK(function(model, "m").qualified_name == "N.S.m");
        CHECK(function(model, "m").parent_type == "S");
        CHECK(function(model, "__init").return_type == "void");
        CHECK(function(model, "e").parent_type == "S");
        CHECK_FALSE(function(model, "i").body);
        CHECK(model.find_functions("get").size() == 2);
        CHECK(function(model, "set").qualified_name == "Q.p.set");
        CHECK(model.functions[model.find_functions("get")[1]].qualified_name == "Q.operator[].get");
        CHECK(function(model, "operator+").parent_type == "Q");
        CHECK(function(model, "g").return_type == "int");
        CHECK(model.accesses.back().function == model.find_functions("fwd_diff(g)")[0]);
        CHECK(function(model, "g").parameters[0].type == "float");
    }

    TEST_CASE("attributes") {
        const ModuleModel model = read("[shader(\"compute\"), numthreads(8, 1, 1)] void m() { }\n"
                                       "[[vk::binding(0)]] RWStructuredBuffer<float> b;\n");
        const Function& f = function(model, "m");
        REQUIRE(f.attributes.size() == 2);
        CHECK(f.attributes[0].arguments == Words{"\"compute\""});
        CHECK(f.attributes[1].arguments == Words{"8", "1", "1"});
        CHECK(f.attributes[0].group == f.attributes[1].group);
        CHECK(model.text(f.attributes[1].site) == "numthreads(8, 1, 1)");
        REQUIRE(model.find_global("b"));
        CHECK(model.find_global("b")->attributes[0].name == "vk::binding");
    }

    TEST_CASE("attributes that come from macros") {
        const ModuleModel model =
            read("#define LOOP(n) [MaxIters(n)]\n#define INNER(n) LOOP(n)\n#define READ "
                 "[PreferRecompute]\n"
                 "#define LO MaxIters(3)\n#define NDO no_diff\n#define NOTHING\n"
                 "READ\nfloat f(NDO float x, NOTHING float y)\n{\n    INNER(NS)\n    for (;;) { "
                 "[LO] for (;;) { } }\n}\n");
        const Function& f = function(model, "f");
        REQUIRE(f.attributes.size() == 1);
        CHECK(f.attributes[0].name == "PreferRecompute");
        CHECK(f.attributes[0].from_macro);
        CHECK(model.text(f.attributes[0].site) == "READ");
        CHECK(f.parameters[0].modifiers == Words{"no_diff"});
        CHECK(f.parameters[1].modifiers.empty());
        REQUIRE(model.loops.size() == 2);
        REQUIRE(model.loops[0].attributes.size() == 1);
        CHECK(model.loops[0].attributes[0].name == "MaxIters");
        CHECK(model.loops[0].attributes[0].arguments == Words{"NS"});
        REQUIRE(model.loops[1].attributes.size() == 1);
        CHECK(model.loops[1].attributes[0].arguments == Words{"3"});
        CHECK(model.loops[1].attributes[0].from_macro);
    }

    TEST_CASE(
        "attributes of macros with arguments of their own, and of those that are defined again") {
        const ModuleModel model =
            read("#define M MaxIters\n#define K [MaxIters(4)]\n"
                 "void f()\n{\n    [M(8)] for (;;) { }\n    K for (;;) { }\n}\n"
                 "#undef K\n#define K [MaxIters(2)]\n"
                 "void g()\n{\n    K for (;;) { }\n}\n");
        REQUIRE(model.loops.size() == 3);
        for (const Loop& loop : model.loops) {
            REQUIRE(loop.attributes.size() == 1);
            CHECK(loop.attributes[0].name == "MaxIters");
            CHECK(loop.attributes[0].from_macro);
        }
        CHECK(model.loops[0].attributes[0].arguments == Words{"8"});
        CHECK(model.loops[1].attributes[0].arguments == Words{"4"});
        CHECK(model.loops[2].attributes[0].arguments == Words{"2"});
    }

    TEST_CASE("macros that use each other end") {
        const ModuleModel model = read("#define A B\n#define B A\nA float f();\n");
        CHECK(model.functions.size() == 1);
    }

    TEST_CASE("loops") {
        const std::string text = "void f(int n) {\n"
                                 "    [MaxIters(8)] [ForceUnroll] for (int i = 0; i < n; ++i) { "
                                 "while (n > 2) { n--; } }\n"
                                 "    [MaxIters(4)] do { n++; } while (n < 3);\n"
                                 "    $for (k in Range(1, 4)) f(k);\n}\n";
        const ModuleModel model = read(text);
        REQUIRE(model.loops.size() == 4);
        const Loop& loop = model.loops[0];
        CHECK(loop.kind == LoopKind::for_loop);
        CHECK(loop.keyword == text.find("for (int"));
        CHECK(loop.with_attributes.begin == text.find("[MaxIters(8)"));
        CHECK(model.files[0].slice(loop.body) == "{ while (n > 2) { n--; } }");
        CHECK(loop.attributes.size() == 2);
        CHECK(model.loops[1].kind == LoopKind::while_loop);
        CHECK(model.loops[1].parent == 0);
        CHECK(model.loops[2].kind == LoopKind::do_while_loop);
        CHECK(model.loops[2].keyword == text.find("do {"));
        CHECK(model.loops[2].parent == none);
        CHECK(model.loops[3].kind == LoopKind::compile_time_for);
        CHECK((model.loops[3].counter == "k" && model.loops[3].start == "1" &&
               model.loops[3].end == "4"));
        CHECK(model.loop_at(0, loop.keyword) == 0);
        CHECK(model.loop_at(0, loop.keyword + 1) == none);
    }

    TEST_CASE("counted loops") {
        struct Form {
            const char* head;
            const char* parts; ///< counter start comparison end step
        };
        const Form forms[] = {
            {"for (int i = 0; i < n; i++)", "i|0|<|n|1"},
            {"for (uint i = 9; i >= 2; i -= 2)", "i|9|>=|2|-2"},
            {"for (int i = 0; n > i; i = i + s)", "i|0|<|n|s"},
            {"for (int i = 0; i != n; i = 2 + i)", "i|0|!=|n|2"},
            {"for (int i = n - 1; i >= 0; --i)", "i|n - 1|>=|0|-1"},
            {"for (int i = 0; i < n; i *= 2)", "i|0|<|n|"},
            {"for (int i = 0; i < n; i -= a + b)", "i|0|<|n|-(a + b)"},
            {"for (int i = 0, j = 3; j < n; i++, j++)", "j|3|<|n|1"},
            {"for (int i = 0; i < n; i++, i++)", "i|0|<|n|"},
            {"for (i = 0; i <= n; i += 1)", "i|0|<=|n|1"},
            {"for (int i = 0; ; i++)", "i|0|||1"},
            {"for (int i = 0; i < n && !done; i++)", "i|0|<|n|1"},
            {"for (int i = 0; !done && (n > i); i++)", "i|0|<|n|1"},
            {"int i = 4; for (; i < n; i++)", "i|4|<|n|1"},
            {"for (int i = 0; i < n; i <<= 1)", "i|0|<|n|"},
            {"for (;;)", "||||"},
            {"while (i < n)", "||||"},
        };
        for (const Form& form : forms) {
            CAPTURE(form.head);
            const ModuleModel model = read(std::string("void f(int n) { ") + form.head + " g(); }");
            REQUIRE(model.loops.size() == 1);
            const Loop& loop = model.loops[0];
            CHECK(loop.counter + "|" + loop.start + "|" + loop.comparison + "|" + loop.end + "|" +
                      loop.step ==
                  form.parts);
        }
        const Loop scaled = read("void f() { for (int i = 1; i < 8; i = 2 * i) g(); }").loops[0];
        CHECK((scaled.scaling == "*" && scaled.factor == "2" && scaled.step.empty()));
        CHECK(read("void f() { for (int i = 1; i < 8 && b; i++) g(); }")
                  .loops[0]
                  .has_other_conditions);
        CHECK(read("void f() { for (float x = 0; x < 1; x += 0.1f) g(); }")
                  .loops[0]
                  .counter_is_float);
        CHECK_FALSE(
            read("void f() { for (int x = 0; x < 1; x++) g(); }").loops[0].counter_is_float);
    }

    TEST_CASE("while loops that count") {
        const auto parts = [](const std::string& body) {
            const ModuleModel model = read("void f(int n) { " + body + " }");
            const Loop& loop = model.loops.back();
            return loop.counter + "|" + loop.start + "|" + loop.comparison + "|" + loop.end + "|" +
                   loop.step + (loop.counter_written_in_body ? "|written" : "");
        };
        CHECK(parts("int i = 2; while (i < n) { g(); i += 3; }") == "i|2|<|n|3");
        CHECK(parts("int i = 2; while (i < n) i++;") == "i|2|<|n|1");
        CHECK(parts("int i = n; do { i--; g(); } while (i > 0);") == "i|n|>|0|-1");
        CHECK(parts("int i = 0; while (!done && n >= i) { i++; }") == "i|0|<=|n|1");
        CHECK(parts("for (int i = 0; i < n;) { i++; }") == "i|0|<|n|1");
        // Not in every trip, or not once.
        CHECK(parts("int i = 0; while (i < n) { if (a) i++; }") == "||||");
        CHECK(parts("int i = 0; while (i < n) { if (a) continue; i++; }") == "||||");
        CHECK(parts("int i = 0; while (i < n) { i++; i++; }") == "||||");
        CHECK(parts("int i = 0; while (i < n) { i++; if (a) i = 0; }") == "i|0|<|n|1|written");
        CHECK(read("void f(int n) { int i = 0; while (i < n) { while (a) continue; i++; } }")
                  .loops[0]
                  .step == "1");
        // Where it starts is not what it was declared with.
        CHECK(parts("int i = 0; i = n; while (i < 4) { i++; }") == "i||<|4|1");
        CHECK(parts("int i = 0; for (;;) { while (i < 4) { i++; } }") == "i||<|4|1");
        CHECK(parts("int i; while (i < 4) { i++; }") == "i||<|4|1");
        CHECK(parts("for (;;) { int i = 0; while (i < 4) { i++; } }") == "i|0|<|4|1");
    }

    TEST_CASE("a counter that the body writes") {
        const auto written = [](const std::string& body) {
            const ModuleModel model = read("void set(out int x) { x = 1; } void get(int x) { }\n"
                                           "void f() { for (int i = 0; i < 3; ++i) " +
                                           body + " }");
            return model.loops[0].counter_written_in_body;
        };
        CHECK(written("{ i = 3; }"));
        CHECK(written("{ for (;;) i++; }"));
        CHECK(written("{ set(i); }"));
        CHECK_FALSE(written("{ get(i); a[i] = 3; }"));
        CHECK_FALSE(written("{ { int i = 2; i = 3; } }"));
    }

    TEST_CASE("loops that are left early") {
        const auto left = [](const std::string& body) {
            std::string result;
            for (const Loop& loop : read("void f() { " + body + " }").loops)
                result += loop.has_break ? 'x' : '-';
            return result;
        };
        CHECK(left("for (;;) { if (a) break; }") == "x");
        CHECK(left("for (;;) { while (a) break; }") == "-x");
        CHECK(left("for (;;) { while (a) return; }") == "xx");
        CHECK(left("for (;;) { switch (a) { case 1: break; } }") == "-");
        CHECK(left("for (;;) { outer: for (;;) { for (;;) break outer; } }") == "-xx");
        CHECK(left("for (;;) { let g = (int x) => { return x; }; continue; }") == "-");
    }

    TEST_CASE("calls") {
        const std::string text =
            "void k() {\n    float a = f<4>(1, x + 2) + no_diff floor(q) + no_diff(g(x)).y;\n"
            "    s.b.m(a); N::h(a); float3(0);\n    bwd_diff(mlp)(p, 1.0f);\n    "
            "fwd_diff(s.m<3>)(p);\n}\n";
        const ModuleModel model = read(text);
        CHECK(call(model, "f").generic_arguments == Words{"4"});
        REQUIRE(call(model, "f").arguments.size() == 2);
        CHECK(model.text(call(model, "f").arguments[1]) == "x + 2");
        CHECK(call(model, "f").open_parenthesis == text.find("(1, x"));
        CHECK(model.call_at(0, call(model, "f").open_parenthesis) != none);
        CHECK(call(model, "floor").no_diff);
        CHECK(call(model, "g").no_diff);
        CHECK_FALSE(call(model, "f").no_diff);
        CHECK(call(model, "m").receiver == "s.b");
        CHECK(call(model, "h").receiver == "N");
        CHECK(call(model, "float3").arguments.size() == 1);
        CHECK(call(model, "mlp").kind == CallKind::backward_derivative);
        CHECK(model.text(call(model, "mlp").site) == "bwd_diff(mlp)(p, 1.0f)");
        CHECK(model.calls.back().kind == CallKind::forward_derivative);
        CHECK((model.calls.back().callee == "m" && model.calls.back().receiver == "s"));
        CHECK(model.calls.back().generic_arguments == Words{"3"});
    }

    TEST_CASE("accesses") {
        const std::string text = "void f(float x[4]) {\n    gW[i].c += x[2]; p.d.x = gW[j + 1][k]; "
                                 "n++; (*q).y = 1; r->z = 2;\n"
                                 "    s.m(t, &u); N::v[0] = w;\n}\n";
        const ModuleModel model = read(text);
        CHECK(accesses(model, "gW") == Words{"gW[i].c read_write", "gW[j + 1][k] read"});
        CHECK(accesses(model, "x") == Words{"x[2] read"});
        CHECK(accesses(model, "p") == Words{"p.d.x write"});
        CHECK(accesses(model, "n") == Words{"n read_write"});
        CHECK(accesses(model, "q") == Words{"(*q).y write"});
        CHECK(accesses(model, "r") == Words{"r->z write"});
        CHECK(accesses(model, "s") == Words{"s read"});
        CHECK(accesses(model, "t") == Words{"t read"});
        CHECK(accesses(model, "u") == Words{"u read_write"});
        CHECK(accesses(model, "v") == Words{"N::v[0] write"});
        CHECK(accesses(model, "m").empty());
        const Index second = model.access_at(0, std::uint32_t(text.find("[k]")));
        REQUIRE(second != none);
        const Access& access = model.accesses[second];
        CHECK(model.text(*access.subscript) == "[k]");
        CHECK(model.text(*access.subscript_index) == "k");
        for (const Access& each : model.accesses) {
            if (each.name == "p")
                CHECK(each.members == Words{"d", "x"});
            CHECK(each.as_argument == (each.name == "t"));
            CHECK((each.receiver_of != none) == (each.name == "s"));
        }
    }

    TEST_CASE("what calls may write") {
        const ModuleModel model =
            read("#define INC(x) x++\nvoid h(float a, out float b) { b = a; }\n"
                 "[Differentiable] float d(float x, no_diff float y, int z) { return x; }\n"
                 "struct S { [mutating] void set() { } void get() { } }\n"
                 "void f() { h(a, b); INC(c); InterlockedAdd(e[0], g); sin(k);\n"
                 "    bwd_diff(d)(p, q, r, dOut); bwd_diff(unknown)(u); m.set(); n.get(); }\n");
        for (const char* name : {"b", "c", "e", "p", "u", "m"}) {
            CAPTURE(name);
            REQUIRE(!accesses(model, name).empty());
            CHECK(accesses(model, name).back().ends_with("read_write"));
        }
        for (const char* name : {"k", "q", "r", "dOut", "n"}) {
            CAPTURE(name);
            REQUIRE(!accesses(model, name).empty());
            CHECK(accesses(model, name).back().ends_with(" read"));
        }
    }

    TEST_CASE("local variables") {
        const ModuleModel model = read("void f(float p) {\n    float a = 1, b[3]; const int c = 2; "
                                       "let d = a; var e : float = b[0];\n"
                                       "    a = p;\n    for (int i = 0; i < 3; ++i) { float t = a; "
                                       "if (let y = x as Foo) { } }\n"
                                       "    { float a = 3; }\n}\n");
        REQUIRE(model.locals.size() == 9);
        CHECK((model.locals[0].name == "a" && model.locals[0].type == "float" &&
               model.locals[0].reassigned));
        REQUIRE(model.locals[0].initializer);
        CHECK(model.text(*model.locals[0].initializer) == "1");
        CHECK((model.locals[1].type == "float[3]" && !model.locals[1].initializer &&
               !model.locals[1].reassigned));
        CHECK(model.locals[2].is_const);
        CHECK((model.locals[3].type == "let" && model.locals[3].is_const));
        CHECK((model.locals[4].type == "float" && !model.locals[4].is_const));
        CHECK((model.locals[5].name == "i" && model.locals[5].loop == none &&
               model.locals[5].reassigned));
        CHECK((model.locals[6].name == "t" && model.locals[6].loop == 0));
        CHECK(model.locals[7].name == "y");
        CHECK((model.locals[8].name == "a" && !model.locals[8].reassigned));
        CHECK(model.loops[0].counter_local == 5);
    }

    TEST_CASE("global variables") {
        const ModuleModel model =
            read("RWStructuredBuffer<float> a; StructuredBuffer<float>[2] b; Texture2D<float4> c;\n"
                 "static const int d = 3, e = 4; static float g; groupshared float h[4]; float u; "
                 "uniform float* v;\n"
                 "cbuffer C { float w; } ConstantBuffer<P> x; extern static const int y = 6;\n"
                 "struct S { static const int N = 5; float field; }\n");
        const std::pair<const char*, GlobalKind> expected[] = {
            {"a", GlobalKind::writable_buffer},  {"b", GlobalKind::read_only_buffer},
            {"c", GlobalKind::read_only_buffer}, {"d", GlobalKind::constant},
            {"e", GlobalKind::constant},         {"g", GlobalKind::mutable_static},
            {"h", GlobalKind::groupshared},      {"u", GlobalKind::uniform},
            {"v", GlobalKind::writable_buffer},  {"w", GlobalKind::constant_buffer},
            {"x", GlobalKind::constant_buffer},  {"y", GlobalKind::constant},
            {"S.N", GlobalKind::constant},
        };
        CHECK(model.globals.size() == std::size(expected));
        for (const auto& [name, kind] : expected) {
            CAPTURE(name);
            REQUIRE(model.find_global(name));
            CHECK(model.find_global(name)->kind == kind);
        }
        CHECK(model.find_global("e")->initializer == "4");
        CHECK(model.find_global("h")->type == "float[4]");
        CHECK_FALSE(model.find_global("y")->initializer); // may be linked to another value
        CHECK_FALSE(model.find_global("field"));
    }

    TEST_CASE("only the branches that are taken") {
        const std::string text = "#if V == 1\nfloat g<T : I>(T s) { [MaxIters(4)] for (;;) { "
                                 "}\n#else\nfloat g(I s) {\n#endif\n}\n";
        const ModuleModel one = read(text, {"V=1"}), other = read(text);
        CHECK(one.trees[0].errors().empty());
        CHECK(other.trees[0].errors().empty());
        CHECK(function(one, "g").generics.size() == 1);
        CHECK(one.loops.size() == 1);
        CHECK(function(other, "g").parameters[0].type == "I");
        CHECK(other.loops.empty());
        CHECK(function(other, "g").site.range.begin == text.find("float g(I"));
    }

    TEST_CASE("several files") {
        std::vector<SourceFile> files;
        files.emplace_back("/p/a.slang",
                           "#include \"inc/b.h\"\n#ifdef B\nfloat a() { return b(); }\n#endif\n");
        files.emplace_back("/p/inc/b.h", "#define B\nfloat b() { return 1; }\n");
        const ModuleModel model = build_module_model(std::move(files));
        CHECK(model.find_file("/p/inc/b.h") == 1);
        CHECK(model.find_file("/p/c.h") == none);
        CHECK(function(model, "a").site.file == 0);
        CHECK(function(model, "b").site.file == 1);
        CHECK(model.place(function(model, "b").name_site) == Place{"/p/inc/b.h", 2, 7});
        CHECK(model.function_at(1, function(model, "b").body->begin) ==
              model.find_functions("b")[0]);
        CHECK(model.function_at(1, 0) == none);
    }

    TEST_CASE("where nothing may be edited") {
        const std::string text =
            "#define EACH(i, n) for (int i = 0; i < n; ++i)\n"
            "float f() { EACH(k, 3) { g(k); } return 1; }\nfloat h() { return ]; }\n";
        const ModuleModel model = read(text);
        const auto site = [&](std::string_view part) {
            const auto begin = std::uint32_t(text.find(part));
            return Site{0, {begin, begin + std::uint32_t(part.size())}};
        };
        CHECK(model.is_macro(site("for (int i")));
        CHECK(model.is_macro(site("EACH(k")));
        CHECK(model.is_macro(site("k, 3")));
        CHECK_FALSE(model.is_macro(site("g(k)")));
        CHECK_FALSE(model.is_macro(site("return 1")));
        CHECK(model.is_broken(site("return ]")));
        CHECK_FALSE(model.is_broken(site("return 1")));
        CHECK(function(model, "f").name == "f");
    }

    TEST_CASE("text that nests too deep is broken, not silently left out") {
        const std::string text =
            "float f() { return " + std::string(5000, '(') + "x" + std::string(5000, ')') + "; }";
        const ModuleModel model = read(text);
        CHECK(model.trees[0].errors().empty());
        CHECK(accesses(model, "x").empty());
        CHECK(model.is_broken(
            {0, {std::uint32_t(text.find('x')), std::uint32_t(text.find('x') + 1)}}));
    }

    TEST_CASE("names and numbers that go on after a line's end") {
        const ModuleModel model =
            read("float g\\\nain(float x) {\n    [Max\\\r\nIters(6\\\n4)]\n"
                 "    for (int i = 0; i < 1\\\n2; i++)\n        x = ga\\\nin(x);\n"
                 "    return x;\n}\n");
        CHECK(model.trees[0].errors().empty());
        const Function& gain = function(model, "gain");
        CHECK(model.text(gain.name_site) == "g\\\nain");
        REQUIRE(model.loops.size() == 1);
        const Loop& loop = model.loops[0];
        REQUIRE(loop.attributes.size() == 1);
        CHECK(loop.attributes[0].name == "MaxIters");
        CHECK(loop.attributes[0].arguments == Words{"64"});
        CHECK(model.calls.at(0).callee == "gain");
    }

    TEST_CASE("attributes of a macro with arguments on a line of its own") {
        const ModuleModel model = read("#define KERNEL(n) [shader(\"compute\")] THREADS(n, 1)\n"
                                       "#define THREADS(x, y) [numthreads(x, y, 1)]\n"
                                       "KERNEL(64) // and a comment\n\nvoid a() {}\n"
                                       "THREADS(8, 4)\r\n[shader(\"compute\")]\r\nvoid b() { }\n");
        CHECK(model.trees[0].errors().empty());
        REQUIRE(function(model, "a").attributes.size() == 2);
        CHECK(function(model, "a").attributes[1].arguments == Words{"64", "1", "1"});
        REQUIRE(function(model, "b").attributes.size() == 2);
        CHECK(function(model, "b").attributes[0].name == "numthreads");
    }

    TEST_CASE("declarators and typedefs as in C") {
        const ModuleModel model =
            read("static float *p, q = 1, *r;\n"
                 "typedef struct A { float *a, b; float f() { return b; } } B;\n");
        REQUIRE(model.globals.size() == 3);
        CHECK(model.globals[0].type == "float *");
        CHECK(model.globals[1].type == "float");
        CHECK(model.globals[2].type == "float *");
        REQUIRE(model.types.size() == 1);
        CHECK(model.types[0].name == "B");
        REQUIRE(model.types[0].fields.size() == 2);
        CHECK(model.types[0].fields[1].type == "float");
        CHECK(function(model, "f").qualified_name == "B.f");
    }
}
