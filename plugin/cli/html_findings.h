#pragma once

#include "plugin/cli/html_plot.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace slimgrad {

// Parts of a page, from the objects of report.schema.json. Paths below `directory` are shown
// relative to it; ids begin with `id`.

/// Every finding with all that was tried for it, and why what was not used is not.
std::string html_findings(const nlohmann::ordered_json& findings, const std::string& directory,
                          const std::string& id);

/// What html_findings shows of trials that were measured, for the plots.
std::vector<PlotPoint> tried_points(const nlohmann::ordered_json& findings, const std::string& id);

/// The same of the combinations that `tune` tried: a table, and its points.
std::string html_combinations(const nlohmann::ordered_json& tuning, const std::string& id);
std::vector<PlotPoint> combination_points(const nlohmann::ordered_json& tuning,
                                          const std::string& id);

/// A verdict with its steps.
std::string html_verdict(const nlohmann::ordered_json& verified);

} // namespace slimgrad
