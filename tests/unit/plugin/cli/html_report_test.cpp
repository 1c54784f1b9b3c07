#include "plugin/cli/html_report.h"
#include "plugin/cli/json_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace slimgrad;

namespace {

constexpr const char* hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'";

KernelFigures kernel(std::uint32_t registers, std::uint32_t stack) {
    KernelFigures figures;
    figures.name = "gradMain";
    figures.direction = Direction::backward;
    figures.registers = registers;
    figures.stack_bytes = stack;
    figures.warps_per_sm = 8;
    figures.instructions = 100;
    figures.estimate = 1000 * registers;
    return figures;
}

TriedFix tried(Outcome outcome, std::uint32_t registers, const std::string& description) {
    TriedFix fix;
    fix.finding.rule = "prefer-recompute";
    fix.finding.severity = Severity::cost;
    fix.finding.place = {"/p/a.slang", 2, 1};
    fix.finding.message = "it is stored";
    fix.fix.description = description;
    fix.outcome = outcome;
    fix.why = "because";
    fix.evidence.before = {{kernel(200, 4000)}, 64};
    fix.evidence.after = Figures{{kernel(registers, 40)}, 4};
    return fix;
}

/// `text` stands for everything that a shader decides.
ModuleReport example(const std::string& text) {
    ModuleReport report;
    report.file = "/p/" + text + ".slang";
    report.before = {{kernel(200, 4000)}, 64};
    report.after = Figures{{kernel(50, 40)}, 4};
    report.compiled.contexts = {{text,
                                 {"/p/a.slang", 2, 3},
                                 64,
                                 {{{"/p/a.slang", 2, 5}, "float" + text, 60}, {{}, text, 4}}}};
    report.original = {{"/p/a.slang", "// first\r\nfloat x; // " + text + "\r\nfloat z;\n"}};
    report.changed = {{"/p/a.slang", "// second " + text + "\n"}};
    report.tried = {tried(Outcome::applied, 50, "mark f " + text),
                    tried(Outcome::worse, 255, "unroll " + text),
                    tried(Outcome::gradient_differs, 20, "cut " + text)};
    VerifyResult verified;
    verified.verdict = Verdict::equal;
    verified.entry_point = text;
    verified.reason = "bit-equal " + text;
    report.verified = verified;
    report.findings = {report.tried[0].finding};
    report.findings[0].why_not = {"not offered " + text};
    return report;
}

std::string page(const ModuleReport& report, Command command = Command::check) {
    MeasuredWith with;
    with.arch = "sm_89";
    auto modules = nlohmann::ordered_json::array({module_json(report, with, false)});
    return html_report(modules_document(command, modules, {}, ExitCode::findings), report.original,
                       "/p");
}

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

} // namespace

TEST_CASE("html_report: text of a shader stays text, wherever it stands") {
    const std::string html = page(example(hostile));
    CHECK_FALSE(holds(html, "<script"));
    CHECK_FALSE(holds(html, "<img"));
    CHECK_FALSE(holds(html, "alert(1)</"));
    CHECK(count(html, "&lt;img src=x onerror=alert(2)&gt;") > 10);
    // The same elements as of a harmless one: nothing has opened or closed any.
    const std::string harmless = page(example("x"));
    for (const char* part : {"<", ">", "\"", "<table", "</section>", "<a "}) {
        CAPTURE(part);
        CHECK(count(html, part) == count(harmless, part));
    }
}

TEST_CASE("html_report: needs nothing from outside") {
    const std::string html = page(example("x"));
    CHECK(holds(html, "default-src 'none'"));
    for (const char* part : {"http:", "https:", "src=", "url(", "@import", "<link"})
        CHECK_FALSE_MESSAGE(holds(html.substr(html.find("<body")), part), part);
    CHECK(holds(html, "prefers-color-scheme: dark"));
}

TEST_CASE("html_report: figures before and after, with bars of one scale") {
    const std::string html = page(example("x"));
    CHECK(holds(html, "<th scope=\"row\">registers</th><td class=\"number\">200</td>"
                      "<td class=\"number\">50</td>"));
    CHECK(holds(html, "bar before\" style=\"width:100.00%\"></span>"
                      "<span class=\"bar after\" style=\"width:25.00%\""));
    CHECK(holds(html, "75 % better"));
    ModuleReport report = example("x");
    report.after.reset();
    report.changed.clear();
    report.tried.clear();
    const std::string alone = page(report, Command::report);
    CHECK(holds(alone, "<th scope=\"col\">value</th>"));
    CHECK_FALSE(holds(alone, "<th scope=\"col\">after</th>"));
    CHECK_FALSE(holds(alone, "<svg"));
}

TEST_CASE("html_report: source lines with what they store, the diff, all candidates") {
    const std::string html = page(example("x"));
    CHECK(holds(html, "<tr id=\"m0-f0-2\" class=\"stores\"><th scope=\"row\">2</th>"));
    CHECK(holds(html, "<span>60 B</span>"));
    CHECK(holds(html, "Without a place in these files"));
    CHECK(holds(html, "<span class=\"removed\">-float x; // x\n</span>"));
    CHECK(holds(html, "<span class=\"added\">+// second x\n</span>"));
    for (const char* part :
         {"mark f x", "unroll x", "cut x", "not offered x", "because", "bit-equal x"})
        CHECK_MESSAGE(holds(html, part), part);
}

TEST_CASE("html_report: every point of the plots leads to what it stands for") {
    const std::string html = page(example("x"));
    CHECK(count(html, "<svg viewBox=\"0 0 640") == 3);
    std::size_t links = 0;
    for (std::size_t at = html.find("<a href=\"#"); at != html.npos;
         at = html.find("<a href=\"#", at + 1)) {
        const std::size_t begin = at + 10;
        const std::string id = html.substr(begin, html.find('"', begin) - begin);
        CHECK_MESSAGE(holds(html, "id=\"" + id + "\""), id);
        ++links;
    }
    CHECK(links > 3 * 3);
    CHECK(holds(html, "mark refused"));
    CHECK(holds(html, "cut x (gradient differs)"));
}

TEST_CASE("html_report: combinations of fixes, with points that lead to their rows") {
    MeasuredWith with;
    const ModuleReport report = example(hostile);
    auto modules = nlohmann::ordered_json::array({module_json(report, with, false)});
    auto tunings = nlohmann::ordered_json::array(
        {{{"files", {report.file}},
          {"kernels", figures_json(report.before)},
          {"kernels_after", figures_json(*report.after)},
          {"combinations",
           {{{"fixes", {hostile, "b"}},
             {"outcome", "better"},
             {"reason", hostile},
             {"kernels", figures_json(*report.after)}},
            {{"fixes", {"c"}}, {"outcome", "does not compile"}, {"reason", "r"}}}}}});
    const std::string html =
        html_report(tune_document(modules, tunings, {}, ExitCode::clean), report.original, "/p");
    CHECK_FALSE(holds(html, "<script"));
    CHECK_FALSE(holds(html, "<img"));
    CHECK(holds(html, "id=\"g0-c0\""));
    CHECK(holds(html, "id=\"g0-c1\""));
    CHECK(holds(html, "href=\"#g0"));
    CHECK(holds(html, " + b</th><td><span class=\"tag\">better</span>"));
    CHECK(holds(html, "<span class=\"tag\">does not compile</span>"));
}
