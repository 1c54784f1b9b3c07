#include "plugin/slang/report_rows.h"

#include <doctest/doctest.h>

namespace slimgrad::slang_plugin {
namespace {

ReportRows parse(std::string_view text) {
    return parse_rows(text, [](Place place) { return place.line == 0 ? Place{} : place; });
}

} // namespace

TEST_CASE("contexts and their values") {
    const ReportRows rows =
        parse("E\tnote\tk.slang\t44\t7\t44\t12\tcheckpointing context of 5048 bytes associated "
              "with: 'march'\n"
              "E\tspan\tk.slang\t44\t7\t44\t12\t\n"
              "E\tspan\tk.slang\t46\t11\t46\t12\t136 bytes (FixedArray<float, 34> )\n"
              "E\tspan\tk.slang\t53\t30\t53\t31\t24 instances of 8 bytes (Vector<uint32_t, 2> )\n"
              "E\tspan\t\t0\t0\t0\t0\t4 bytes (bool)\n");
    CHECK(rows.diagnostics.empty());
    REQUIRE(rows.contexts.size() == 1);
    const CheckpointContext& context = rows.contexts[0];
    CHECK(context.function == "march");
    CHECK(context.bytes == 5048);
    CHECK(context.place == Place{"k.slang", 44, 7});
    REQUIRE(context.values.size() == 3);
    CHECK(context.values[0].place == Place{"k.slang", 46, 11});
    CHECK(context.values[0].type == "FixedArray<float, 34>");
    CHECK(context.values[0].bytes == 136);
    CHECK(context.values[0].count == 1);
    CHECK(context.values[1].type == "Vector<uint32_t, 2>");
    CHECK(context.values[1].bytes == 192);
    CHECK(context.values[1].count == 24);
    CHECK(context.values[2].place == Place{});
    CHECK(context.values[2].type == "bool");
}

TEST_CASE("a total may have no values, and contexts of one name stay apart") {
    const ReportRows rows =
        parse("E\tnote\tk\t3\t7\t3\t11\tcheckpointing context of 56 bytes associated with: 'wave'\n"
              "E\tnote\tk\t3\t7\t3\t11\tcheckpointing context of 24 bytes associated with: 'wave'\n"
              "E\tspan\tk\t3\t42\t3\t43\t24 bytes (FixedArray<float, 6> )\n");
    REQUIRE(rows.contexts.size() == 2);
    CHECK(rows.contexts[0].values.empty());
    CHECK(rows.contexts[1].values.size() == 1);
}

TEST_CASE("nothing stored") {
    const ReportRows rows = parse("E\tnote\t\t0\t0\t0\t0\tno checkpoint contexts to report\n");
    CHECK(rows.contexts.empty());
    CHECK(rows.diagnostics.empty());
}

TEST_CASE("diagnostics take their first span's words") {
    const ReportRows rows =
        parse("E30015\terror\tk\t6\t21\t6\t28\tundefined identifier\n"
              "E30015\tspan\tk\t6\t21\t6\t28\tundefined identifier 'x'.\n"
              "E30015\tspan\tk\t7\t1\t7\t2\tsomething else\n"
              "E30510\twarning\tk\t7\t20\t7\t23\tloop needs attributes\n"
              "E30510\tspan\tk\t7\t20\t7\t23\tthis loop\n"
              "E\tnote\tk\t1\t2\t1\t3\tdeclared here\n"
              "E99999\tinternal error\tk\t1\t1\t1\t1\tassert failed\nsecond line\n"
              "For assistance, file an issue on GitHub (address)\n");
    REQUIRE(rows.diagnostics.size() == 4);
    CHECK(rows.diagnostics[0].message == "undefined identifier 'x'");
    CHECK(rows.diagnostics[0].severity == DiagnosticSeverity::error);
    CHECK(rows.diagnostics[0].code == "E30015");
    CHECK(rows.diagnostics[0].place == Place{"k", 6, 21});
    CHECK(rows.diagnostics[1].message == "loop needs attributes: this loop");
    CHECK(rows.diagnostics[1].severity == DiagnosticSeverity::warning);
    CHECK(rows.diagnostics[2].severity == DiagnosticSeverity::note);
    CHECK(rows.diagnostics[2].code == "");
    CHECK(rows.diagnostics[3].severity == DiagnosticSeverity::error);
    CHECK(rows.diagnostics[3].message == "assert failed\nsecond line");
}

TEST_CASE("a sentence stands for the headline that it says again") {
    const ReportRows rows = parse("E30102\terror\tk\t6\t21\t6\t28\tdeclaration not allowed here\n"
                                  "E30102\tspan\tk\t6\t21\t6\t28\tfunction is not allowed here.\n");
    REQUIRE(rows.diagnostics.size() == 1);
    CHECK(rows.diagnostics[0].message == "function is not allowed here");
}

TEST_CASE("a span of a diagnostic is no value of the context before it") {
    const ReportRows rows =
        parse("E\tnote\tk\t3\t7\t3\t11\tcheckpointing context of 8 bytes associated with: 'f'\n"
              "E42050\twarning\tk\t9\t1\t9\t2\tside effects\n"
              "E42050\tspan\tk\t9\t1\t9\t2\t8 bytes (float2)\n");
    REQUIRE(rows.contexts.size() == 1);
    CHECK(rows.contexts[0].values.empty());
    REQUIRE(rows.diagnostics.size() == 1);
}

TEST_CASE("lines that are no rows") {
    const ReportRows rows = parse("free text\nmore of it\n");
    REQUIRE(rows.diagnostics.size() == 1);
    CHECK(rows.diagnostics[0].message == "free text\nmore of it");
    CHECK(parse("").diagnostics.empty());
}

} // namespace slimgrad::slang_plugin
