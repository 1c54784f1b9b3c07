#include "plugin/cli/tune_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace slimgrad;

namespace {

KernelFigures kernel(const std::string& name, std::uint32_t registers, std::uint32_t warps) {
    KernelFigures figures;
    figures.name = name;
    figures.direction = Direction::backward;
    figures.registers = registers;
    figures.warps_per_sm = warps;
    return figures;
}

TriedFix fix(const std::string& description, const Figures& before, const Figures& after) {
    TriedFix tried;
    tried.finding.place = {"/p/a.slang", 3, 1};
    tried.fix.description = description;
    tried.outcome = Outcome::applied;
    tried.evidence.before = before;
    tried.evidence.after = after;
    return tried;
}

/// One module of two kernels, 142 and 40 registers, and 80 bytes of checkpoints.
TuneRun run() {
    TuneRun result;
    ModuleRun module;
    module.settings.file = "/p/a.slang";
    module.report = ModuleReport{};
    module.report->file = "/p/a.slang";
    result.modules = {module};
    result.report = TuneReport{};
    result.report->before = {{kernel("gradMain", 142, 12), kernel("other", 40, 48)}, 80};
    return result;
}

bool contains(const std::string& text, const std::string& part) {
    CAPTURE(text);
    CAPTURE(part);
    return text.find(part) != std::string::npos;
}

TextOptions why() {
    TextOptions options;
    options.directory = "/p";
    options.why = true;
    return options;
}

} // namespace

TEST_CASE("a budget that is not met says by what") {
    TuneRun tuned = run();
    auto& budget = tuned.modules[0].settings.options.objective.budget;
    budget = {{Figure::registers, 128}, {Figure::warps, 16}, {Figure::checkpoint_bytes, 64}};
    CHECK(
        contains(tune_text(tuned, why()),
                 "the budget is not met: gradMain: 12 warps per SM, budget 16 at least; gradMain: "
                 "142 registers, budget 128; 80 checkpoint bytes, budget 64\n"));
    const auto json = tune_json(tuned, false);
    CHECK(json["budget_is_met"] == false);
    REQUIRE(json["over_budget"].size() == 3);
    CHECK(json["over_budget"][1] ==
          nlohmann::ordered_json{
              {"kernel", "gradMain"}, {"figure", "registers"}, {"value", 142}, {"limit", 128}});
    CHECK(json["over_budget"][2]["kernel"] == "");

    // What counts is what it came to.
    tuned.report->after = Figures{{kernel("gradMain", 130, 16), kernel("other", 40, 48)}, 0};
    CHECK(contains(tune_text(tuned, why()),
                   "the budget is not met: gradMain: 130 registers, budget 128\n"));
    budget = {{Figure::registers, 130}};
    CHECK_FALSE(contains(tune_text(tuned, why()), "the budget is"));
    CHECK(tune_json(tuned, false)["over_budget"].empty());
}

TEST_CASE("figures of a fix say what they are measured on top of") {
    TuneRun tuned = run();
    const Figures before = tuned.report->before,
                  one{{kernel("gradMain", 100, 20), kernel("other", 40, 48)}, 80},
                  both{{kernel("gradMain", 64, 32), kernel("other", 40, 48)}, 80};
    tuned.report->kept = {fix("first", before, one), fix("second", one, both)};
    tuned.report->after = both;
    tuned.report->changed = {{"/p/a.slang", ""}};
    tuned.report->combinations = {{{"first"}, Outcome::applied, "regs", one, {}},
                                  {{"first", "second"}, Outcome::worse, "regs", both, {}}};
    const std::string text = tune_text(tuned, why());
    CHECK(contains(text, "first []\n        alone: gradMain: registers 142 -> 100,"));
    CHECK(contains(text, "second []\n        on top of others: gradMain: registers 100 -> 64,"));
    CHECK(contains(text,
                   "tried: first: better: regs\n        alone: gradMain: registers 142 -> 100,"));
    CHECK(contains(text,
                   "tried: first + second: worse, the last on top of the others: regs\n        all "
                   "of them: gradMain: registers 142 -> 64,"));
}

TEST_CASE("a search that --time-limit ended says so") {
    TuneRun tuned = run();
    CHECK_FALSE(contains(tune_text(tuned, {}), "--time-limit"));
    tuned.report->out_of_time = true;
    CHECK(contains(tune_text(tuned, {}), "; stopped by --time-limit, there may be more\n"));
    CHECK(tune_json(tuned, false)["out_of_time"] == true);
}

TEST_CASE("the document tells whether what is kept stands in the files") {
    const TuneRun tuned = run();
    CHECK(tune_json(tuned, true)["written"] == true);
    CHECK(tune_json(tuned, false)["written"] == false);
}
