#pragma once

#include "rewriter/source_edit.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace slimgrad {

/// The texts of a module that store something for the backward pass, with the stored bytes at their
/// lines. `module` as in report.schema.json; `texts` are its files as they were examined. Paths
/// below `directory` are shown relative to it. The ids of lines begin with `id`.
std::string html_sources(const nlohmann::ordered_json& module, const FileTexts& texts,
                         const std::string& directory, const std::string& id);

/// The unified diff with its lines marked by kind.
std::string html_diff(const std::string& diff);

} // namespace slimgrad
