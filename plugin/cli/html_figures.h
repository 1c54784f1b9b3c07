#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace slimgrad {

/// A table for each kernel (JSON of report.schema.json): its figures, with bars that have one scale
/// for all kernels of the module. `after` is null where nothing was changed, or only examined.
std::string html_kernels(const nlohmann::ordered_json& before, const nlohmann::ordered_json* after);

/// The figures that differ, as one short table; "" where none does.
std::string html_changes(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after);

} // namespace slimgrad
