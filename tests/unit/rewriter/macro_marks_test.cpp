#include "rewriter/macro_marks.h"

#include "rewriter/syntax_node.h"
#include "rewriter/variable_flow.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

const std::string each = "#define EACH(v, n) for (int v = 0; v < (n); v++)\n";

ModuleModel read(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("f.slang", text);
    return build_module_model(std::move(files), {});
}

/// `f` with these statements, where `s` and `x` are floats, `a` is an array and `g` writes.
ModuleModel with(const std::string& macros, const std::string& statements) {
    return read(macros + "struct S { float x; };\nvoid g(inout float v) { v += 1; }\n" +
                "float f(float x, int n) {\nfloat s = 0; float a[4]; S p;\n" + statements +
                "\nreturn s + a[0] + p.x; }\n");
}

std::vector<std::string> locals(const ModuleModel& model) {
    std::vector<std::string> names;
    for (const LocalVariable& local : model.locals)
        names.push_back(local.type + " " + local.name);
    return names;
}

/// The lines on which the variable is set, by the flow of `f`; "incomplete: why" where some may be
/// missing.
std::string set_on(const ModuleModel& model, const std::string& name) {
    const FunctionFlow flow = read_flow(model, model.find_functions("f")[0]);
    if (!flow.incomplete.empty())
        return "incomplete: " + flow.incomplete;
    std::string lines;
    for (const Definition& definition : flow.definitions) {
        if (flow.variables[definition.variable].name == name && !definition.site.range.empty())
            lines += (lines.empty() ? "" : " ") + std::to_string(model.place(definition.site).line);
    }
    return lines;
}

bool is_one_loop(const ModuleModel& model) {
    if (model.loops.size() != 1 || !model.trees[0].errors().empty())
        return false;
    const Loop& loop = model.loops[0];
    return loop.from_macro && loop.kind == LoopKind::for_loop && loop.counter == "i" &&
           loop.counter_local != none && loop.start == "0" && loop.comparison == "<" &&
           loop.end == "4" && loop.step == "1" && !loop.counter_written_in_body &&
           model.text({0, loop.site.range}).starts_with("EACH(i");
}

} // namespace

TEST_SUITE("rewriter/macro_marks") {
    // Six lines come before the statements.
    TEST_CASE("whatever follows the macro is the loop's body") {
        struct Case {
            std::string body, variable, lines;
        };
        const std::vector<Case> cases{
            {"s = s * x;", "s", "5 6"}, {"s += x;", "s", "5 6"},
            {"s++;", "s", "5 6"},       {"++s;", "s", "5 6"},
            {"g(s);", "s", "5 6"},      {"p.x = 1;", "p", "5 6"},
            {"a[0] += 1;", "a", "5 6"}, {"a[i] = x;", "a", "5 6"},
            {"{ s = x; }", "s", "5 6"}, {"if (x > 0) s = x; else s = 1;", "s", "5 6"},
        };
        for (const Case& c : cases) {
            for (const std::string prefix : {"", "[MaxIters(4)] ", "[A] [MaxIters(4)]\n"}) {
                for (const std::string between : {" ", "\n", "\n\n  // a comment\n"}) {
                    const std::string text = prefix + "EACH(i, 4)" + between + c.body;
                    CAPTURE(text);
                    const ModuleModel model = with(each, text);
                    CHECK(is_one_loop(model));
                    CHECK(locals(model) ==
                          std::vector<std::string>{"float s", "float[4] a", "S p", "int i"});
                    const bool bounded = std::any_of(
                        model.loops[0].attributes.begin(), model.loops[0].attributes.end(),
                        [](const Attribute& a) { return a.name == "MaxIters" && !a.from_macro; });
                    CHECK(bounded == !prefix.empty());
                    const std::string set = set_on(model, c.variable);
                    CHECK_MESSAGE(set.starts_with("5 "), set);
                    const FunctionFlow flow = read_flow(model, model.find_functions("f")[0]);
                    CHECK(flow.variables.size() >= 6);
                }
            }
        }
        CHECK(set_on(with(each, "EACH(i, 4) s = s * x;"), "s") == "5 6");
    }

    TEST_CASE("a value that the trip before left") {
        const ModuleModel model = with(each, "EACH(i, 4)\n    s = s * x;");
        const FunctionFlow flow = read_flow(model, model.find_functions("f")[0]);
        CHECK(flow.incomplete.empty());
        int carried = 0;
        for (const Use& use : flow.uses) {
            if (flow.variables[use.variable].name != "s" || model.place(use.site).line != 7)
                continue;
            for (const ReachingDefinition& reaching : use.reaching)
                carried += reaching.carried_by == 0;
        }
        CHECK(carried == 1);
    }

    TEST_CASE("loops in loops, by two uses and by one") {
        const ModuleModel two = with(each, "EACH(i, 3) EACH(j, 5)\n  s += x;");
        REQUIRE(two.loops.size() == 2);
        CHECK(two.loops[1].parent == 0);
        CHECK(two.loops[0].end == "3");
        CHECK(two.loops[1].end == "5");
        CHECK(set_on(two, "s") == "5 7");
        const ModuleModel one =
            with("#define GRID(a, b) for (int a = 0; a < 3; a++) for (int b = 0; b < a; b++)\n",
                 "GRID(i, j) s += x;");
        REQUIRE(one.loops.size() == 2);
        CHECK(one.loops[1].parent == 0);
        CHECK(one.loops[1].counter == "j");
        CHECK(one.loops[0].keyword != one.loops[1].keyword);
        CHECK(set_on(one, "s") == "5 6");
    }

    TEST_CASE("attributes of the macro's own, with its arguments") {
        const ModuleModel model =
            with("#define LOOP(v, n) [MaxIters(n)] for (int v = 0; v < (n); ++v)\n",
                 "[A] LOOP(k, 2 * n) s += x;");
        REQUIRE(model.loops.size() == 1);
        const auto& attributes = model.loops[0].attributes;
        REQUIRE(attributes.size() == 2);
        CHECK(attributes[0].name == "A");
        CHECK_FALSE(attributes[0].from_macro);
        CHECK(attributes[1].name == "MaxIters");
        CHECK(attributes[1].arguments == std::vector<std::string>{"2 * n"});
        CHECK(attributes[1].from_macro);
        CHECK(model.loops[0].end == "2 * n");
    }

    TEST_CASE("macros in macros, without arguments, and heads of `while` and `if`") {
        CHECK(is_one_loop(with(each + "#define FOUR(v) EACH(v, 4)\n#define EACH_(v) FOUR(v)\n",
                               "EACH(i, 4) s = x;")));
        const ModuleModel nested = with(each + "#define FOUR(v) EACH(v, 4)\n", "FOUR(i) s = x;");
        REQUIRE(nested.loops.size() == 1);
        CHECK(nested.loops[0].end == "4");
        const ModuleModel lone =
            with("#define FOUR_TIMES for (int k = 0; k < 4; k++)\n", "FOUR_TIMES s = x + k;");
        REQUIRE(lone.loops.size() == 1);
        CHECK(lone.loops[0].counter == "k");
        CHECK(set_on(lone, "s") == "5 6");
        CHECK(set_on(lone, "k") == "6 6");
        const ModuleModel until =
            with("#define UNTIL(c) while (!(c))\n", "UNTIL(s > x) s = s + 1;");
        REQUIRE(until.loops.size() == 1);
        CHECK(until.loops[0].kind == LoopKind::while_loop);
        CHECK(set_on(until, "s") == "5 6");
        const ModuleModel when = with("#define WHEN(c) if (c)\n",
                                      "WHEN(x > 0) s = x;\nelse\n  s = 2;\nWHEN(n > 1) return 1;");
        CHECK(when.loops.empty());
        CHECK(when.trees[0].errors().empty());
        CHECK(set_on(when, "s") == "5 6 8");
    }

    TEST_CASE("both ways of an `if` that a macro begins") {
        const ModuleModel model =
            with("#define WHEN(c) if (c)\n", "WHEN(x > 0) s = x;\nelse\n  s = 2;");
        const FunctionFlow flow = read_flow(model, model.find_functions("f")[0]);
        std::vector<std::uint32_t> lines;
        for (const Use& use : flow.uses) {
            if (flow.variables[use.variable].name != "s" || model.place(use.site).line != 9)
                continue;
            for (const ReachingDefinition& reaching : use.reaching)
                lines.push_back(model.place(flow.definitions[reaching.definition].site).line);
        }
        std::sort(lines.begin(), lines.end());
        CHECK(lines == std::vector<std::uint32_t>{6, 8}); // not 5: one of them ran
    }

    TEST_CASE("`break`, `continue` and labels") {
        const ModuleModel model = with(each, "outer: EACH(i, 4) { EACH(j, 4) { if (x > 0) break "
                                             "outer; s = x; continue outer; } }");
        REQUIRE(model.loops.size() == 2);
        CHECK(model.loops[0].has_break);
        CHECK(model.loops[1].has_break);
        CHECK(set_on(model, "s") == "5 6");
    }

    TEST_CASE("a counter that its body or another head writes is written") {
        CHECK(with(each, "EACH(i, 4) { i += 1; }").loops[0].counter_written_in_body);
        const ModuleModel model =
            with("#define ODD(a) for (int a = 0; a < 9; a++) for (int b = 0; b < 9; b++, a++)\n",
                 "ODD(i) s += x;");
        REQUIRE(model.loops.size() == 2);
        CHECK(model.loops[0].counter_written_in_body);
        CHECK_FALSE(model.loops[1].counter_written_in_body);
    }

    TEST_CASE("a macro for a type declares") {
        const ModuleModel model =
            with(each + "#define AS(T) T\n#define K(T) static const T\n",
                 "AS(float) y = x; AS(int) m[2] = {1, 2}; K(float) z = 2; s = y + z;");
        CHECK(locals(model) == std::vector<std::string>{"float s", "float[4] a", "S p", "float y",
                                                        "int[2] m", "float z"});
        CHECK(model.locals[5].is_const);
        CHECK(model.locals[5].is_static);
        CHECK(set_on(model, "y") == "8");
        CHECK(set_on(model, "s") == "7 8");
    }

    TEST_CASE("where it cannot be known, definitions may be missing") {
        const std::string expected = "incomplete: EACH(i, 4) may be a type, or begin a statement "
                                     "that sets a variable";
        CHECK(set_on(with("", "EACH(i, 4) s = x;"), "s") == expected);
        CHECK(with("", "EACH(i, 4) s = x;").locals[0].reassigned);
        // Which of two holds depends on the place.
        CHECK(set_on(with(each + "#undef EACH\n#define EACH(v, n) float\n", "EACH(i, 4) s = x;"),
                     "s") == expected);
        const ModuleModel complete =
            with("#define SET(v, n) for (int v = 0; v < n; v++) s += 1;\n", "SET(i, 4) s = x;");
        CHECK(complete.loops.empty());
        CHECK(set_on(complete, "s").starts_with("incomplete: "));
    }

    TEST_CASE("uses in comments, strings, directives and arguments of other macros are none") {
        const std::string text = "// EACH(i, 4)\n/* EACH(i, 4) */ \"EACH(i, 4)\"\nOF(EACH(i, 4))\n"
                                 "EACH EACH(k, 4)";
        const ModuleModel model = read(each + "#define OF(x) x\n");
        const auto heads = find_statement_heads(model, 0, text);
        REQUIRE(heads.size() == 1);
        CHECK(text.substr(heads[0].use().begin) == "EACH(k, 4)");
        std::string marked = text;
        mark_statement_heads(marked, heads);
        CHECK(marked == text.substr(0, heads[0].use().begin) + std::string(10, '\x01'));
    }

    TEST_CASE("names of functions that macros make") {
        const ModuleModel model =
            read("#define JOIN_(a, b) a##b\n#define JOIN(a, b) JOIN_(a, b)\n"
                 "[Differentiable] float JOIN(my, Fn)(float x) { return x; }\n"
                 "float g(float x) { return myFn(x) + JOIN(my,\n Fn) (x) + JOIN(m, 1) + x; }\n");
        CHECK(model.trees[0].errors().empty());
        REQUIRE(model.functions.size() == 2);
        const Function& f = model.functions[0];
        CHECK(f.name == "myFn");
        CHECK(f.from_macro);
        CHECK(f.is_differentiable());
        CHECK(f.parameters.size() == 1);
        CHECK(model.text(f.name_site) == "JOIN(my, Fn)");
        REQUIRE(model.calls.size() == 3);
        CHECK(model.calls[0].target == 0);
        CHECK(model.calls[1].callee == "myFn");
        CHECK(model.calls[1].target == 0);
        CHECK(model.calls[2].callee_kind == CalleeKind::macro);
    }

    TEST_CASE("macros that stand for a brace") {
        const ModuleModel model = read("#define BEGIN {\n"
                                       "#define END() }\n"
                                       "#define STEP(y) y = y * 2; y += 1\n" +
                                       each +
                                       "[Differentiable] float f(float x)\n"
                                       "BEGIN\n"
                                       "    float y = x;\n"
                                       "    EACH(i, 3)\n"
                                       "    BEGIN\n"
                                       "        STEP(y);\n"
                                       "    END()\n"
                                       "    return y;\n"
                                       "END()\n"
                                       "static float g;\n");
        CHECK(model.trees[0].errors().empty());
        REQUIRE(model.functions.size() == 1);
        const Function& function = model.functions[0];
        CHECK(function.name == "f");
        CHECK(function.modifiers.empty());
        REQUIRE(function.body);
        // What is put behind the brace, or behind the function, splits no name.
        const std::string& text = model.files[0].text();
        CHECK(text.substr(0, function.body->begin + 1).ends_with(")\nBEGIN"));
        CHECK(text.substr(function.body->end).starts_with("\nstatic"));
        CHECK(locals(model) == std::vector<std::string>{"float y", "int i"});
        REQUIRE(model.loops.size() == 1);
        CHECK(text.substr(0, model.loops[0].body.end).ends_with("STEP(y);\n    END()"));
        REQUIRE(model.globals.size() == 1);
        CHECK(model.globals[0].name == "g");
    }

    TEST_CASE("a brace whose other one comes with more text stays a macro") {
        const ModuleModel model = read("#define OPEN(i) for (int i = 0; i < 4; ++i) {\n"
                                       "#define END }\n"
                                       "void f(float x) { OPEN(i) x += 1; END x = 2; }\n"
                                       "void g(float x) { x = 1; }\n");
        REQUIRE(model.functions.size() == 2);
        CHECK(model.functions[1].qualified_name == "g");
        CHECK(model.text(model.functions[0].site).ends_with("x = 2; }"));
        CHECK_FALSE(model.is_broken(model.functions[1].site));
    }

    TEST_CASE("what a macro leaves unread declares nothing that is not there") {
        const ModuleModel model = read("#define OPEN float f(float x) { float y = x\n"
                                       "#define STEP(y) y = y * 2; y += 1\n"
                                       "#define IF_LESS(a, b) if ((a) < (b))\n"
                                       "OPEN;\nSTEP(y);\nIF_LESS(y, 3) y += 1; else y = 0;\n"
                                       "STEP(y)\nreturn y;\n}\n");
        CHECK_FALSE(model.trees[0].errors().empty());
        for (const Function& function : model.functions)
            CHECK(function.name != "STEP");
        for (const GlobalVariable& global : model.globals) {
            CHECK(global.type != "else");
            CHECK(global.type != "return");
        }
    }

    TEST_CASE("derivatives that macros take") {
        const ModuleModel model = read("#define GRAD(fn, ...) bwd_diff(fn)(__VA_ARGS__, 1.0)\n"
                                       "[Differentiable] float f(float x) { return x; }\n"
                                       "void g() { var p = diffPair(1.0f); GRAD(f, p); }\n");
        REQUIRE(model.calls.size() == 3);
        CHECK(model.calls[1].callee_kind == CalleeKind::macro);
        const Call& call = model.calls[2];
        CHECK(call.kind == CallKind::backward_derivative);
        CHECK(call.callee == "f");
        CHECK(model.callees(call) == std::vector<Index>{0});
        CHECK(model.text(call.site) == "GRAD(f, p)");
    }
}
