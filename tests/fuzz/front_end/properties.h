#pragma once

#include <string>
#include <string_view>

namespace slimgrad::front_end {

/// What has to hold for every text, well-formed or not. Parses it, builds the module model, runs
/// every analysis and rule that needs no compiler, on a report that stores everything, and applies
/// edits as rules make them. Returns the first thing that does not hold, in one line, or "".
///
/// - Lines and columns are the inverse of offsets, and grow with them.
/// - Trees: children lie in their parents, one after the other. What is blanked keeps its offsets.
/// - Model: every place lies in its file and splits neither a UTF-8 character nor CR LF; what is
///   looked up by a place is found.
/// - Edits away from syntax errors leave the number of errors as it is; the diff of an edit,
///   applied, gives the edited text.
///
/// A crash, a fault that a sanitizer reports and a hang are for the caller to see.
std::string broken_property(std::string_view bytes);

} // namespace slimgrad::front_end
