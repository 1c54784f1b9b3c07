#pragma once

#include "plugin/cli/text_report.h"
#include "plugin/cli/tune_run.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace slimgrad {

/// What came of modules that were tuned together, for a person: the fixes that are kept with their
/// evidence, or why there is nothing to gain; with `options.why` every combination that was tried.
std::string tune_text(const TuneRun& run, const TextOptions& options);

/// The same as JSON; the modules' own reports stand elsewhere in the document. `written`: what is
/// kept stands in the files now.
nlohmann::ordered_json tune_json(const TuneRun& run, bool written);

/// Whether every kernel, and the module, is within the budget. True where there is none.
bool budget_is_met(const TuneRun& run);

} // namespace slimgrad
