#pragma once

#include "plugin/slang/compiler.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::slang_plugin {

/// What the compiler says in its machine-readable form, sorted by what it is.
struct ReportRows {
    std::vector<CheckpointContext> contexts;
    std::vector<Diagnostic> diagnostics;
};

/// Reads the compiler's rows: `code severity file line column endline endcolumn text`, separated by
/// tabs. A `note` of the checkpoint report opens a context and the `span`s after it are its values;
/// a total may have none, a span with empty text is the function's name once more and is left out.
/// Of a diagnostic's spans the first is added to its message, the others are left out. Lines that
/// are no rows (usage texts, messages with line breaks) are appended to the row before, or are an
/// error of their own. `locate` turns the compiler's idea of a place into ours.
ReportRows parse_rows(std::string_view text, const std::function<Place(Place)>& locate);

} // namespace slimgrad::slang_plugin
