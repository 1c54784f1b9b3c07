#include "rewriter/code_block.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

struct Code {
    /// A function with this body.
    explicit Code(const std::string& body)
        : text("float f(float x, int n)\n{\n" + body + "    return x;\n}\n"),
          model(build_module_model({SourceFile("/p/a.slang", text)})) {}

    Site of(const std::string& part) const {
        const auto at = text.find(part);
        REQUIRE(at != std::string::npos);
        return {0, {std::uint32_t(at), std::uint32_t(at + part.size())}};
    }

    std::string why(const std::string& part, bool inside_loop = false) const {
        return why_bound_to_place(model, of(part), inside_loop);
    }

    std::vector<std::string> texts(const std::string& block) const {
        std::vector<std::string> found;
        for (const BlockStatement& statement : statements_of(model, of(block)))
            found.emplace_back(model.text(statement.site));
        return found;
    }

    std::string text;
    ModuleModel model;
};

using Texts = std::vector<std::string>;

/// Why the body of a loop is bound to it.
std::string why(const std::string& body, bool inside_loop = false) {
    const std::string loop = "for (int i = 0; i < n; ++i) { " + body + " }";
    return Code("    " + loop + "\n").why("{ " + body + " }", inside_loop);
}

} // namespace

TEST_SUITE("rewriter/code_block") {
    TEST_CASE("a block's statements have their attributes") {
        const std::string block =
            "{ x = 1; [MaxIters(4)] for (;;) { x *= 2; } /* c */ float y = x; }";
        const Code code("    " + block + "\n");
        CHECK(code.texts(block) ==
              Texts{"x = 1;", "[MaxIters(4)] for (;;) { x *= 2; }", "float y = x;"});
        CHECK(code.texts("x = 1;") == Texts{"x = 1;"});
        CHECK(code.texts("1; [MaxIters(4)]").empty());
    }

    TEST_CASE("what a statement sets, and what it leaves a loop for") {
        const auto first = [](const std::string& statement) {
            const std::string block = "{ " + statement + " }";
            const Code code("    for (;;) " + block + "\n");
            const std::vector<BlockStatement> found = statements_of(code.model, code.of(block));
            REQUIRE(!found.empty());
            std::string text;
            if (found[0].set)
                text = std::string(code.model.text(*found[0].set)) + " <- " +
                       std::string(code.model.text(*found[0].set_to));
            if (found[0].break_condition)
                text = "break: " + std::string(code.model.text(*found[0].break_condition));
            return text;
        };
        CHECK(first("x = a * a;") == "x <- a * a");
        CHECK(first("s.y = 1;") == "s.y <- 1");
        CHECK(first("x += 1;") == "");
        CHECK(first("float y = 1;") == "");
        CHECK(first("if (x > 1) break;") == "break: x > 1");
        CHECK(first("if (x > 1) { break; }") == "break: x > 1");
        CHECK(first("if (x > 1) break; else x = 1;") == "");
        CHECK(first("if (x > 1) { x = 1; break; }") == "");
        CHECK(first("if (x > 1) continue;") == "");
        CHECK(first("if (x > 1) return x;") == "");
    }

    TEST_CASE("the operands of &&") {
        const auto parts = [](const std::string& condition) {
            const Code code("    if (" + condition + ") x = 1;\n");
            Texts found;
            for (Site part : conjuncts_of(code.model, code.of(condition)))
                found.emplace_back(code.model.text(part));
            return found;
        };
        CHECK(parts("n < 3 && x > 1 && x < 2") == Texts{"n < 3", "x > 1", "x < 2"});
        CHECK(parts("n < 3 || x > 1 && x < 2") == Texts{"n < 3 || x > 1 && x < 2"});
        CHECK(parts("(n < 3 && x > 1) && x < 2") == Texts{"(n < 3 && x > 1)", "x < 2"});
        CHECK(parts("n < 3") == Texts{"n < 3"});
    }

    TEST_CASE("what a statement declares or adds to") {
        const std::string block =
            "{ float a = x; float b, c; float d[2]; x += a * a; x -= a; x = a; "
            "s.y += a; float e; }";
        const Code code("    " + block + "\n");
        const auto statements = statements_of(code.model, code.of(block));
        REQUIRE(statements.size() == 8);
        const auto declared = [&](int i) {
            return statements[i].declared ? code.model.text(*statements[i].declared) : "";
        };
        CHECK(declared(0) == "a");
        CHECK(declared(1) == "");
        CHECK(declared(2) == "");
        CHECK(declared(7) == "e");
        REQUIRE(statements[3].added);
        CHECK(code.model.text(*statements[3].added_to) == "x");
        CHECK(code.model.text(*statements[3].added) == "a * a");
        CHECK(statements[4].added);
        CHECK_FALSE(statements[5].added);
        REQUIRE(statements[6].added);
        CHECK(code.model.text(*statements[6].added_to) == "s.y");
    }

    TEST_CASE("code that leaves what is around it is bound to it") {
        CHECK(why("x += 1;") == "");
        CHECK(why("if (x > 1) return x;") == "it returns");
        CHECK(why("if (x > 1) break;") == "it leaves the loop around it");
        CHECK(why("if (x > 1) continue;") == "it goes on to the next trip of the loop around it");
        CHECK(why("if (x > 1) continue;", true) == "");
        CHECK(why("if (x > 1) break;", true) == "it leaves the loop around it");
        CHECK(why("for (;;) { if (x > 1) break; else continue; }") == "");
        CHECK(why("for (;;) { break; } break;") == "it leaves the loop around it");
        CHECK(why("switch (n) { case 1: x = 1; break; }") == "");
        CHECK(why("switch (n) { case 1: continue; }") ==
              "it goes on to the next trip of the loop around it");
        CHECK(why("a: for (;;) { break a; }") == "it holds a label");
        CHECK(why("discard;") == "it discards the fragment");
        CHECK(why("struct S { float a; };") == "it declares a type");
        CHECK(why("defer x = 1;") == "it holds a `defer`");
    }

    TEST_CASE("names are those that may mean a variable") {
        const Code code("    x = a.b[i] + f(c).d;\n");
        Texts names;
        for (Site site : names_of(code.model, code.of("x = a.b[i] + f(c).d;")))
            names.emplace_back(code.model.text(site));
        CHECK(names == Texts{"x", "a", "i", "f", "c"});
    }

    TEST_CASE("types in a body") {
        CHECK(declares_type(Code("    struct S { float a; };\n").model, {0, {0, 60}}));
        const Code code("    x = 1;\n");
        CHECK_FALSE(declares_type(code.model, {0, {0, std::uint32_t(code.text.size())}}));
    }

    TEST_CASE("returns, and whether a break in their place leaves a switch") {
        const Code code(
            "    for (int i = 0; i < n; ++i) {\n        if (x > 1) return x * 2;\n        "
            "switch (i) { case 2: return 0; }\n        var g = (float a) => { return a; "
            "};\n    }\n");
        const auto returns =
            returns_in(code.model, code.of("{\n        if (x > 1) return x * 2;\n     "
                                           "   switch (i) { case 2: return 0; }"));
        REQUIRE(returns.size() == 2);
        CHECK(code.model.text(returns[0].site) == "return x * 2;");
        CHECK(code.model.text(*returns[0].value) == "x * 2");
        CHECK_FALSE(returns[0].in_switch);
        CHECK(returns[1].in_switch);
    }

    TEST_CASE("the block that a statement stands in") {
        const Code code("    {\n        x = 1;\n        if (n > 2) x = 2;\n    }\n");
        const auto block = block_around(code.model, code.of("x = 1;"));
        REQUIRE(block);
        CHECK(code.model.text(*block).starts_with("{\n        x = 1;"));
        CHECK(block_around(code.model, code.of("if (n > 2) x = 2;")));
        CHECK_FALSE(block_around(code.model, code.of("x = 2;")));
        CHECK_FALSE(block_around(code.model, code.of("n > 2")));
    }

    TEST_CASE("defer") {
        const Code code("    { defer { x = 1; } }\n    { x = 2; }\n");
        CHECK(has_defer(code.model, code.of("{ defer { x = 1; } }")));
        CHECK_FALSE(has_defer(code.model, code.of("{ x = 2; }")));
    }
}
