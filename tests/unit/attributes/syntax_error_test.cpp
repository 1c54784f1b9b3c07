#include "attributes/syntax_error.h"

#include "attributes/effects.h"
#include "attributes/trip_count.h"
#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string mess = "void broken(float x) { x = * ) ; for (int i = 0; i < 8; ++i) { } }\n";

std::vector<Finding> notes(const ModuleText& module) {
    return syntax_error(module.input());
}

} // namespace

TEST_SUITE("attributes/syntax_error") {
    TEST_CASE("one note for a file, at its first error") {
        CHECK(notes(ModuleText("void f() { }")).empty());
        const auto one = notes(ModuleText("void f() { }\n" + mess));
        REQUIRE(one.size() == 1);
        CHECK((one[0].severity == Severity::note && one[0].place.line == 2));
        CHECK(one[0].message == "syntax error here: nothing inside is examined or edited; slangc "
                                "accepts it: a macro, or what slimgrad's grammar does not know");
        const auto two = notes(ModuleText(mess + "void f() { }\n" + mess));
        REQUIRE(two.size() == 1);
        CHECK(two[0].place.line == 1);
        CHECK(two[0].message.find("more place") != std::string::npos);
        CHECK(notes(ModuleText(ModuleText::Files{{"/p/a.slang", mess}, {"/p/b.slang", mess}}))
                  .size() == 2);
    }

    TEST_CASE("where slangc rejects the module, too, one error has one place") {
        ModuleText rejected(mess);
        rejected.compiled.status = CompileStatus::rejected;
        CHECK(notes(rejected)[0].message ==
              "syntax error here: nothing inside is examined or edited");
        const Place own = notes(rejected)[0].place;
        rejected.compiled.diagnostics.push_back(
            {DiagnosticSeverity::error, "E20001", "unexpected token", {"/p/a.slang", 1, 31}});
        CHECK(notes(rejected)[0].place == Place{"/p/a.slang", 1, 31});
        for (const Place& elsewhere : {Place{"/p/b.slang", 1, 31}, Place{"/p/a.slang", 2, 1}}) {
            rejected.compiled.diagnostics.back().place = elsewhere;
            CHECK(notes(rejected)[0].place == own);
        }
    }

    TEST_CASE("a comment without an end is said") {
        const auto found = notes(ModuleText("void f() { }\n/* void g() { }\n"));
        REQUIRE(found.size() == 1);
        CHECK((found[0].severity == Severity::note && found[0].place == Place{"/p/a.slang", 2, 1}));
        CHECK(found[0].message == comment_not_closed);
    }

    TEST_CASE("what slangc alone rejects has no note") {
        ModuleText readable("void f() { }\n");
        readable.compiled.status = CompileStatus::rejected;
        for (const char* code : {"E30015", "E15300", "E20001"})
            readable.compiled.diagnostics.push_back(
                {DiagnosticSeverity::error, code, "message", {"/p/a.slang", 1, 1}});
        CHECK(notes(readable).empty());
    }

    TEST_CASE("text that nests too deep is no syntax error") {
        const ModuleText deep("float f(float x) { return " + std::string(2000, '(') + "x" +
                              std::string(2000, ')') + "; }\n");
        REQUIRE(notes(deep).size() == 1);
        CHECK(notes(deep)[0].message == nests_too_deep);
        CHECK(notes(deep)[0].place.line == 1);
    }

    TEST_CASE("a function that slangc sees otherwise counts as not read") {
        ModuleText module("void whole(int n) { for (int i = 0; i < n; ++i) { } }\n"
                          "[shader(\"compute\")] void main() { whole(4); }\n");
        CHECK(trip_count(module.model, 0, {}).upper == 4);
        module.model.contradictions.push_back({1, "to slangc it is named 'start'"});
        const auto found = notes(module);
        REQUIRE(found.size() == 1);
        CHECK((found[0].place.line == 2 && found[0].place.column == 26));
        CHECK(found[0].message == "'main' is not read as slangc reads it: to slangc it is named "
                                  "'start'; nothing inside is examined or edited");
        CHECK(touches_syntax_error(module.model, module.model.functions[1].name_site));
        CHECK_FALSE(touches_syntax_error(module.model, module.model.functions[0].name_site));
        CHECK_FALSE(trip_count(module.model, 0, {}).upper);
    }

    TEST_CASE("nothing is proved in a function with an error, nor from its silence") {
        const ModuleText module(mess + "void whole() { for (int i = 0; i < 8; ++i) { } }\n");
        REQUIRE(module.model.loops.size() == 2);
        CHECK_FALSE(trip_count(module.model, 0, {}).upper);
        CHECK(trip_count(module.model, 1, {}).exact == 8);

        const std::string callee = "void f(int n) { for (int i = 0; i < n; ++i) { } }\n"
                                   "[shader(\"compute\")] void main() { f(4); }\n";
        CHECK(trip_count(ModuleText(callee).model, 0, {}).upper == 4);
        CHECK_FALSE(trip_count(ModuleText(callee + mess).model, 0, {}).upper);
    }

    TEST_CASE("what a function with an error does is not known") {
        const std::string reader =
            "StructuredBuffer<float> b;\nfloat read(int i) { return b[i]; }\n";
        const std::string entry = "[shader(\"compute\")] void main() { read(0); g(); }\n"
                                  "[shader(\"compute\")] void other() { broken(1.0f); }\n";
        const ModuleText module(reader + "void g() { }\n" + mess + entry);
        const EffectAnalysis effects(module.model);
        CHECK(effects.of_function(module.model.find_functions("read")[0]).unknown.empty());
        CHECK_FALSE(effects.of_function(module.model.find_functions("broken")[0]).unknown.empty());
        // `other` runs text that may call `read`, and may write what it reads.
        CHECK_FALSE(effects.of_dispatches(module.model.find_functions("read")[0]).unknown.empty());
    }

    TEST_CASE("no fix edits a function with an error") {
        ModuleText module(
            "float f(float x, int n) {\n    x = * ) ;\n    for (int i = 0; i < min(n, 4); ++i) x "
            "+= 1;\n"
            "    return x;\n}\n"
            "float g(float x, int n) {\n    for (int i = 0; i < min(n, 4); ++i) x += 1;\n"
            "    return x;\n}\n");
        module.compiled.status = CompileStatus::rejected;
        for (std::uint32_t line : {3u, 7u})
            module.compiled.diagnostics.push_back(
                {DiagnosticSeverity::error, "E30510", "loop", {"/p/a.slang", line, 5}});
        int fixes = 0;
        for (const Finding& finding : run_rules(module.input())) {
            fixes += int(finding.fixes.size());
            if (!finding.fixes.empty())
                CHECK(finding.place.line == 7);
        }
        CHECK(fixes == 1);
    }
}
