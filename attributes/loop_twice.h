#pragma once

#include "attributes/rule.h"
#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad {

/// The edit that writes the loops of a nest, the outermost first, twice: where `condition` holds
/// replayed, with these bounds, else unrolled. Comments within the loops stand in both copies;
/// indentation, braces and line endings are those around them.
SourceEdit write_twice(const ModuleModel& model, const std::vector<Index>& nest,
                       const std::string& condition, const std::vector<std::string>& bounds);

/// The text with blanks in place of its comments.
std::string without_comments(std::string_view text);

} // namespace slimgrad
