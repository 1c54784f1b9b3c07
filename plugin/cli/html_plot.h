#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace slimgrad {

/// A point of the plots: kernels as JSON (report.schema.json), and what to say of them.
struct PlotPoint {
    enum class Kind { original, result, taken, measured, refused };
    Kind kind = Kind::measured;
    std::string label; ///< what was tried, and what became of it
    std::string link;  ///< id of the element that says more
    const nlohmann::ordered_json* kernels = nullptr;
};

/// Several plots of the same points by different figures, one shown at a time; without a script, by
/// radio buttons whose ids begin with `id`. Each has the line of what nothing beats in both
/// figures, of what may be used: refused points are no part of it. "" for fewer than two points.
std::string html_plots(const std::vector<PlotPoint>& points, const std::string& id);

} // namespace slimgrad
