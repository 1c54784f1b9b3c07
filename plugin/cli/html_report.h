#pragma once

#include "rewriter/source_edit.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace slimgrad {

/// One page that needs nothing else: no script, no network, no font. It shows what the document of
/// `check`, `fix`, `report` or `tune` says (report.schema.json), all candidates with their reasons,
/// and the texts that store something: `texts` holds them by their paths. Paths below `directory`
/// are shown relative to it.
std::string html_report(const nlohmann::ordered_json& document, const FileTexts& texts,
                        const std::string& directory);

} // namespace slimgrad
