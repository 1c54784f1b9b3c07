#include "plugin/cli/model_report.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace slimgrad;

namespace {

/// Where a value is stored: so many bytes behind the first `mark`.
struct Row {
    const char* mark;
    std::uint32_t offset;
};

ModelReport report_on(const std::string& text, const std::vector<Row>& rows = {}) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    ModuleModel model = build_module_model(std::move(files));
    CompileResult compiled;
    if (!rows.empty())
        compiled.contexts.push_back({"f", {}, 8, {}, true});
    for (const Row& row : rows) {
        const std::size_t at = text.find(row.mark);
        REQUIRE(at != std::string::npos);
        compiled.contexts.back().values.push_back(
            {model.place(0, std::uint32_t(at) + row.offset), "float", 8, 1});
    }
    return describe_model("/p/a.slang", std::move(compiled), std::move(model), {});
}

std::string text_of(const ModelReport& report) {
    TextOptions options;
    options.directory = "/p";
    return model_text(report, options);
}

bool has_line(const std::string& text, const std::string& line) {
    const bool found = ('\n' + text).find('\n' + line + '\n') != std::string::npos;
    CHECK_MESSAGE(found, "no line '" << line << "' in\n" << text);
    return found;
}

const std::string example = "[Differentiable]\n"
                            "float f(float x, float k = 2.0f) : SV_Target0 {\n"
                            "    float s = 0;\n"
                            "    [MaxIters(4)]\n"
                            "    for (int i = 0; i < 4; ++i)\n"
                            "        s += x * k;\n"
                            "    return s;\n"
                            "}\n";

} // namespace

TEST_SUITE("cli/model_report") {
    TEST_CASE("a function with its attributes, loop and variables") {
        CHECK(text_of(report_on(example)) ==
              "a.slang: functions: 1, loops: 1, calls: 0; read from a.slang\n"
              "\n"
              "a.slang:1:2:  [Differentiable]\n"
              "a.slang:2:7:  function f(float x, float k = 2.0f) -> float : SV_Target0\n"
              "a.slang:4:6:    [MaxIters(4)]\n"
              "a.slang:5:5:    for loop over i from 0 while i < 4, by 1: 4 trips\n"
              "a.slang:2:9:    parameter x : float; used with its derivative at 6:14\n"
              "a.slang:2:18:   parameter k : float; used with its derivative at 6:18\n"
              "a.slang:3:11:   local s : float\n"
              "a.slang:6:9:      set at 6:9 (update)\n"
              "a.slang:6:9:      used with its derivative, also from the trip before, at 6:9\n"
              "a.slang:7:12:     used with its derivative at 7:12\n"
              "a.slang:5:14:   local i : int; set at 5:30 (update); used without derivative "
              "(integer), also from the trip before, at 5:21, 5:30\n");
    }

    TEST_CASE("a variable that a macro declares") {
        const ModelReport report = report_on("#define LOOP4 for (int q = 0; q < 4; q++)\n"
                                             "void f(float x) {\n  LOOP4 x += q;\n}\n");
        has_line(text_of(report),
                 "a.slang:3:3:   local q : int (from a macro); set at 3:3 (update); "
                 "used, also from the trip before, at 3:3, 3:14");
        const auto json = model_json(report);
        const auto& variables = json["functions"][0]["variables"];
        CHECK(variables[0]["from_macro"] == false);
        CHECK(variables[1]["from_macro"] == true);
    }

    TEST_CASE("stored values stand below what is stored, else with their expression") {
        const std::string text =
            text_of(report_on(example, {{"s = 0", 0}, {"for", 0}, {"x * k", 2}, {"f(", 0}}));
        const std::string stored = "stored for the backward pass of f: ";
        has_line(text, "a.slang:2:7:    " + stored + "float, 8 B");
        has_line(text, "a.slang:5:5:      " + stored + "float, 8 B");
        has_line(text, "a.slang:6:16:     " + stored + "'x * k', float, 8 B");
        has_line(text, "a.slang:3:11:     " + stored + "float, 8 B");
    }

    TEST_CASE("a stored value without a place names the module") {
        ModelReport report = report_on(example);
        ModelReport::Row& row = report.rows.emplace_back();
        row.context = "s_fwd_f";
        row.type = "float";
        row.bytes = 4;
        has_line(
            text_of(report),
            "a.slang: stored for the backward pass of fwd_diff(f): float, 4 B; slangc does not "
            "say for which part of it");
        FunctionSignature& f = report.compiled.reflection.functions.emplace_back();
        f.name = "f";
        f.place = {"/p/a.slang", 2, 7};
        has_line(text_of(report),
                 "a.slang:2:7: stored for the backward pass of fwd_diff(f): float, "
                 "4 B; slangc does not say for which part of it");
    }

    TEST_CASE("a constructor has no result, a comment without an end is named") {
        const std::string text =
            text_of(report_on("struct S { float x; __init(float a) { x = a; } }\n/* x\n"));
        CHECK(text.find("S.__init(float a)  (") != std::string::npos);
        has_line(text,
                 "a.slang:2:1: this comment is not closed: it goes on to the end of the file");
    }

    TEST_CASE("a row of several specialisations stands once") {
        const std::string text = "[Differentiable] float f(float x) { return x; }\n";
        const auto report = [&](bool overloads) {
            CompileResult compiled;
            const Place at{"/p/a.slang", 1, 44};
            compiled.contexts.push_back({"f", {}, 16, {{at, "A", 4}, {at, "A", 4}, {at, "B", 8}}});
            compiled.contexts.push_back({"f", {}, 16, {{at, "A", 4}, {at, "C", 12}}});
            for (int i = 0; i < (overloads ? 2 : 1); ++i) {
                FunctionSignature& f = compiled.reflection.functions.emplace_back();
                f.name = "f";
                f.place = {"/p/a.slang", 1, 24};
            }
            std::vector<SourceFile> files;
            files.emplace_back("/p/a.slang", text);
            return text_of(describe_model("/p/a.slang", std::move(compiled),
                                          build_module_model(std::move(files)), {}));
        };
        const auto count = [](const std::string& lines, std::string_view part) {
            std::size_t found = 0;
            for (std::size_t i = 0; (i = lines.find(part, i)) != std::string::npos; ++i)
                ++found;
            return found;
        };
        const std::string once = report(false);
        CHECK(count(once, "stored for") == 4);
        CHECK(count(once, "A, 4 B (in each of 2 specialisations)\n") == 1);
        CHECK(count(once, "A, 4 B (in 1 of 2 specialisations)\n") == 1);
        CHECK(count(once, "C, 12 B (in 1 of 2 specialisations)\n") == 1);
        const std::string all = report(true);
        CHECK(count(all, "stored for") == 5);
        CHECK(count(all, "specialisation") == 0);
    }

    TEST_CASE("where no derivative flows that is said once") {
        const std::string text = text_of(report_on("float g(float x) { return x; }\n"));
        has_line(text, "a.slang:1:7: function g(float x) -> float  (no derivatives: 'g' is not "
                       "differentiable)");
        has_line(text, "a.slang:1:9:   parameter x : float; used at 1:27");
    }

    TEST_CASE("a derivative that is declared from the other side") {
        const std::string text =
            text_of(report_on("float g(float x) { return x; }\n"
                              "[BackwardDerivativeOf(g)]\n"
                              "void g_bwd(inout DifferentialPair<float> x, float d) { }\n"));
        has_line(text, "a.slang:1:7:   its derivative is, or uses, g_bwd at a.slang:3:6");
    }

    TEST_CASE("calls as they are written") {
        const std::string text = text_of(report_on(
            "struct S { float a; float m() { return a; } static float t() { return 1; }\n"
            "  __subscript(int i) -> float { get { return a; } } }\n"
            "namespace N { float n() { return 1; } }\n"
            "S operator+(S a, S b) { return a; }\n"
            "float f(S s) { unknown(s); do { s = s + s; } while (s.a < 1); return s.m() + S.t() + "
            "N::n() + s[1] + sin(s.a); }\n"));
        for (const char* words :
             {"call of unknown: not resolved", "do-while loop", "operator +: function operator+ at",
              "call of s.m: method S.m at a.slang:1:27", "call of S.t: static method S.t at",
              "call of N::n: function N.n at", "element s[..]: method S.operator[].get at",
              "calls of what Slang has built in: sin 5:"})
            CHECK_MESSAGE(text.find(words) != std::string::npos, words << " in\n" << text);
    }

    TEST_CASE("of more overloads than are compared the number alone is said") {
        std::string overloads;
        for (int i = 0; i < 300; ++i)
            overloads += fmt::format("struct T{0} {{}} void f(T{0} t) {{ }}\n", i);
        const std::string text = text_of(report_on(overloads + "void main() { T7 t; f(t); }\n"));
        CHECK(text.find("call of f: not resolved, too many overloads (300)\n") !=
              std::string::npos);
        CHECK(text.find("may be") == std::string::npos);
    }

    TEST_CASE("a differentiated function says of each use why it has no derivative") {
        const std::string text = text_of(
            report_on("struct S { float a; [Differentiable] float m() { return a; } }\n"
                      "[Differentiable] float f(float x, S s) { return x * s.m(); }\n"
                      "void main() { var p = diffPair(1.f); S s; bwd_diff(f)(p, s, 1.f); }\n"));
        has_line(text, "a.slang:1:44: function S.m() -> float  (differentiated)");
        has_line(text, "a.slang:1:57:   field a : float; used without derivative (type 'S' has no "
                       "derivative) at 1:57");
    }

    TEST_CASE("text that cannot be read, and a module that does not compile") {
        ModelReport report = report_on("float g() { return 1; }\nvoid f() { x = * ) ;\n");
        report.compiled.status = CompileStatus::rejected;
        report.problem = {"unexpected ')'", {"/p/a.slang", 2, 18}};
        report.slang_version = "2026";
        const std::string text = text_of(report);
        has_line(text, "a.slang:2:18: slangc 2026 does not compile it: unexpected ')'");
        CHECK(text.find("this brace is not closed: ") != std::string::npos);
        has_line(text, "a.slang:1:7: function g() -> float");
    }

    TEST_CASE("the JSON form holds the same") {
        const auto json = model_json(report_on(example, {{"x * k", 2}, {"for", 0}}));
        const auto& function = json["functions"][0];
        CHECK(function["name"] == "f");
        CHECK(function["semantic"] == "SV_Target0");
        CHECK(function["parameters"][1]["default"] == "2.0f");
        CHECK(function["loops"][0]["trips"]["exact"] == 4);
        CHECK(function["loops"][0]["attributes"][0]["name"] == "MaxIters");
        CHECK(function["variables"][0]["uses"][0]["derivative"] == "carries");
        CHECK(function["derivatives"].empty());
        CHECK(json["stored_values"][0]["expression"] == "x * k");
        CHECK(json["stored_values"][0]["function"] == 0);
        CHECK(json["stored_values"][0]["answered"] == false);
        CHECK(json["stored_values"][1]["answered"] == true);
        CHECK(json["problem"] == "");
    }
}
