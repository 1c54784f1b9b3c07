#include "plugin/cli/text_report.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

KernelFigures kernel(std::uint32_t registers, std::uint32_t stack, std::uint32_t warps) {
    KernelFigures figures;
    figures.name = "gradMain";
    figures.direction = Direction::backward;
    figures.registers = registers;
    figures.stack_bytes = stack;
    figures.warps_per_sm = warps;
    figures.code_bytes = 1000;
    return figures;
}

/// A cost with one fix that was better and verified, and one that was not.
ModuleReport example() {
    Finding finding;
    finding.rule = "prefer-recompute";
    finding.severity = Severity::cost;
    finding.place = {"/p/a.slang", 7, 9};
    finding.message = "'sampleGrid' is stored";
    finding.why_not = {"'other' writes"};
    finding.fixes = {{"mark 'sampleGrid'", {}, Applicability::safe, ""},
                     {"mark 'load'", {}, Applicability::safe, ""}};

    TriedFix good;
    good.finding = finding;
    good.fix.description = "mark 'sampleGrid'";
    good.outcome = Outcome::applied;
    good.evidence.before = {{kernel(255, 14336, 8)}, 5048};
    good.evidence.after = Figures{{kernel(96, 336, 20)}, 152};
    good.evidence.verified = VerifyResult{};
    good.evidence.verified->verdict = Verdict::equal;
    good.evidence.verified->reason = "bit-equal on 32 inputs";

    TriedFix useless;
    useless.finding = finding;
    useless.fix.description = "mark 'load'";
    useless.outcome = Outcome::no_effect;
    useless.why = "no effect in ptxas";

    ModuleReport report;
    report.file = "/p/a.slang";
    report.findings = {finding};
    report.tried = {useless, good};
    return report;
}

TextOptions in_folder() {
    TextOptions options;
    options.directory = "/p";
    return options;
}

} // namespace

TEST_CASE("a finding is shown with the evidence of its fix") {
    const ModuleReport report = example();
    CHECK(finding_text(view_findings(report)[0], in_folder()) ==
          "a.slang:7:9: cost: 'sampleGrid' is stored [prefer-recompute]\n"
          "    fix: mark 'sampleGrid'\n"
          "        gradMain: registers 255 -> 96, stack 14336 -> 336 B, spill stores 0 B, spill "
          "loads 0 B, warps/SM 8 -> 20, "
          "code 1000 B\n"
          "        checkpoints 5048 -> 152 B\n"
          "        gradients bit-equal on 32 inputs\n");
}

TEST_CASE("a fix that was measured beside others says so") {
    const ModuleReport report = example();
    TextOptions options = in_folder();
    const Figures before = report.tried[1].evidence.before;
    options.before = &before;
    CHECK(finding_text(view_findings(report)[0], options)
              .find("        gradMain: registers 255 -> 96") != std::string::npos);
    const Figures others{{kernel(255, 14336, 8)}, 6000};
    options.before = &others;
    CHECK(finding_text(view_findings(report)[0], options)
              .find("        on top of others: gradMain: registers 255 -> 96") !=
          std::string::npos);
}

TEST_CASE("--why names what was rejected and what is not offered") {
    const ModuleReport report = example();
    TextOptions options = in_folder();
    options.why = true;
    const std::string text = finding_text(view_findings(report)[0], options);
    CHECK(text.find("    not used: mark 'load': no effect in ptxas\n") != std::string::npos);
    CHECK(text.find("    not offered: 'other' writes\n") != std::string::npos);
}

TEST_CASE("a cost that nothing improves is shown with --why only") {
    ModuleReport report = example();
    report.tried.pop_back();
    TextOptions options = in_folder();
    CHECK(finding_text(view_findings(report)[0], options).empty());
    options.why = true;
    CHECK(!finding_text(view_findings(report)[0], options).empty());
}

TEST_CASE("colour is written on demand, control characters never") {
    ModuleReport report = example();
    report.findings[0].message = "\x1b[2Jx";
    TextOptions options = in_folder();
    CHECK(finding_text(view_findings(report)[0], options).find('\x1b') == std::string::npos);
    options.style.color = true;
    const std::string text = finding_text(view_findings(report)[0], options);
    CHECK(text.find("\x1b[1;35mcost\x1b[0m") != std::string::npos);
    CHECK(text.find("\x1b[2J") == std::string::npos);
}

TEST_CASE("figures that did not change are left out, kernels that appear are named") {
    const Figures before{{kernel(40, 0, 48)}, 8};
    CHECK(comparison_text(before, before, "") == "checkpoints 8 B\n");
    CHECK(comparison_text({{}, 0}, before, "  ") == "  gradMain: new\n  checkpoints 0 -> 8 B\n");
}

TEST_CASE("verdicts are words") {
    VerifyResult result;
    result.reason = "why";
    for (const auto& [verdict, text] : std::vector<std::pair<Verdict, std::string>>{
             {Verdict::equal, "gradients why"},
             {Verdict::different, "gradients differ: why"},
             {Verdict::original_wrong, "the original's gradients are wrong: why"},
             {Verdict::rewritten_wrong, "the rewritten gradients are wrong: why"},
             {Verdict::unverified, "unverified: why"},
             {Verdict::cannot_run, "cannot run: why"}}) {
        result.verdict = verdict;
        CHECK(verdict_text(result) == text);
    }
}

TEST_CASE("the summary counts what is there and what can be done") {
    Tally tally;
    TextOptions options;
    tally.modules = 2;
    CHECK(summary_text(tally, options) == "2 modules: nothing to report\n");

    const ModuleReport report = example();
    tally.modules = 1;
    tally.add(view_findings(report));
    CHECK(summary_text(tally, options) ==
          "1 module: 1 cost; 1 fixable, 1 candidate rejected (--why)\n");
    options.applying = true;
    tally.changed_files = 1;
    tally.failed = 1;
    CHECK(summary_text(tally, options) ==
          "1 module: 1 cost; 1 fixed, 1 candidate rejected (--why), 1 file changed; 1 module could "
          "not be examined\n");
    tally.failed = 0;
    tally.text_only = 1;
    CHECK(summary_text(tally, options) ==
          "1 module: 1 cost; 1 fixed, 1 candidate rejected (--why), 1 file changed; 1 module does "
          "not compile: only its text was examined\n");
    tally.skipped["the file is empty"] = 3;
    CHECK(statistics_text(tally) ==
          "     1  prefer-recompute\n     3  skipped: the file is empty\n");
}
