#include "plugin/cli/finding_view.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

Finding cost(std::string message, std::uint32_t line = 1) {
    Finding finding;
    finding.rule = "prefer-recompute";
    finding.severity = Severity::cost;
    finding.place = {"/p/a.slang", line, 1};
    finding.message = std::move(message);
    return finding;
}

/// A trial of a fix; several descriptions make several trials.
TriedFix tried(const Finding& finding, Outcome outcome, std::string description = "fix") {
    TriedFix result;
    result.finding = finding;
    result.fix.description = std::move(description);
    result.outcome = outcome;
    return result;
}

ModuleReport report(std::vector<Finding> findings, std::vector<TriedFix> fixes) {
    ModuleReport result;
    result.file = "/p/a.slang";
    result.findings = std::move(findings);
    result.tried = std::move(fixes);
    return result;
}

FindingState state_after(std::vector<Outcome> outcomes) {
    std::vector<TriedFix> fixes;
    for (Outcome outcome : outcomes)
        fixes.push_back(tried(cost("m"), outcome));
    Finding finding = cost("m");
    finding.fixes = {{"fix", {}, Applicability::safe, ""}};
    const ModuleReport module = report({finding}, fixes);
    const auto views = view_findings(module);
    REQUIRE(views.size() == 1);
    CHECK(views[0].rejected.size() + (views[0].chosen ? 1 : 0) == outcomes.size());
    return views[0].state;
}

} // namespace

TEST_CASE("the best outcome of its fixes decides what a finding comes down to") {
    CHECK(state_after({}) == FindingState::open);
    CHECK(state_after({Outcome::no_effect, Outcome::applied, Outcome::worse}) ==
          FindingState::fixed);
    CHECK(state_after({Outcome::minor, Outcome::needs_consent}) == FindingState::unsafe);
    CHECK(state_after({Outcome::worse, Outcome::minor}) == FindingState::minor);
    CHECK(state_after({Outcome::no_effect, Outcome::worse}) == FindingState::no_gain);
    CHECK(state_after({Outcome::gradient_differs}) == FindingState::no_gain);
    // A fix that would pay and could not be verified is worth telling.
    CHECK(state_after({Outcome::withdrawn}) == FindingState::open);
    CHECK(state_after({Outcome::unverified}) == FindingState::open);
    CHECK(state_after({Outcome::no_effect, Outcome::unverified}) == FindingState::open);
}

TEST_CASE("what counts for the exit code") {
    FindingView view;
    view.finding = cost("m");
    for (FindingState state : {FindingState::fixed, FindingState::unsafe, FindingState::open}) {
        view.state = state;
        CHECK(view.counts());
    }
    view.state = FindingState::minor;
    CHECK(view.severity() == Severity::note);
    CHECK(!view.counts());
    view.state = FindingState::no_gain;
    CHECK(!view.counts());

    view.finding.severity = Severity::error;
    view.state = FindingState::open;
    CHECK(view.counts());
    view.finding.severity = Severity::note;
    CHECK(!view.counts());
}

TEST_CASE("an error stays an error when its fixes bring nothing") {
    Finding error = cost("m");
    error.severity = Severity::error;
    error.fixes = {{"fix", {}, Applicability::safe, ""}};
    const ModuleReport module = report({error}, {tried(error, Outcome::does_not_compile)});
    CHECK(view_findings(module)[0].state == FindingState::open);
}

TEST_CASE("a fix that could not be measured leaves its finding open") {
    Finding finding = cost("m");
    finding.fixes = {{"fix", {}, Applicability::safe, ""}};
    ModuleReport module = report({finding}, {tried(finding, Outcome::worse)});
    CHECK_FALSE(is_incomplete(module));
    module.tried[0].outcome = Outcome::not_measured;
    CHECK(is_incomplete(module));
    CHECK(view_findings(module)[0].state == FindingState::open);
}

TEST_CASE("a trial is found again by its fix when edits have moved the place") {
    ModuleReport module = report({cost("first", 5), cost("second", 9)}, {});
    module.findings[0].fixes = {{"mark 'f'", {}, Applicability::safe, ""}};
    module.findings[1].fixes = {{"mark 'g'", {}, Applicability::safe, ""}};
    module.tried = {tried(cost("second, and more bytes", 10), Outcome::minor, "mark 'g'")};
    const auto views = view_findings(module);
    REQUIRE(views.size() == 2);
    CHECK(views[0].state == FindingState::open);
    CHECK(views[1].state == FindingState::minor);
    CHECK(views[1].finding.message == "second");
}

TEST_CASE("findings that appear after a fix are listed behind those of the text") {
    ModuleReport module = report({cost("first", 5)}, {});
    module.findings[0].fixes = {{"mark 'f'", {}, Applicability::safe, ""}};
    module.tried = {tried(module.findings[0], Outcome::applied, "mark 'f'"),
                    tried(cost("second", 2), Outcome::applied, "mark 'g'")};
    const auto views = view_findings(module);
    REQUIRE(views.size() == 2);
    CHECK(views[0].finding.message == "first");
    CHECK(views[1].finding.message == "second");
}

TEST_CASE("a compiler that did not get through is a finding") {
    ModuleReport module = report({}, {});
    CHECK(!compiler_failed(module));

    module.compiled.status = CompileStatus::rejected;
    module.compiled.diagnostics = {
        {DiagnosticSeverity::warning, "E1", "w", {}},
        {DiagnosticSeverity::error, "E30015", "undefined identifier 'x'", {"/p/h.slang", 3, 4}}};
    CHECK(compiler_failed(module));
    auto views = view_findings(module);
    REQUIRE(views.size() == 1);
    CHECK(views[0].finding.message == "undefined identifier 'x' (E30015)");
    CHECK(views[0].finding.place == Place{"/p/h.slang", 3, 4});

    module.compiled.diagnostics.clear();
    module.compiled.status = CompileStatus::timed_out;
    module.compiled.detail = "took more than 30 s";
    views = view_findings(module);
    REQUIRE(views.size() == 1);
    CHECK(views[0].finding.message == "took more than 30 s");
    CHECK(views[0].finding.place.file == "/p/a.slang");
    CHECK(views[0].counts());

    module.compiled.status = CompileStatus::succeeded;
    module.cuda = NvccResult{};
    module.cuda->status = NvccStatus::rejected; // the rule emitted-code's finding
    CHECK(view_findings(module).empty());
    CHECK(!compiler_failed(module));
    module.cuda->status = NvccStatus::crashed;
    module.cuda->detail = "crashed";
    CHECK(view_findings(module).size() == 1);
    CHECK(compiler_failed(module));
}
