#pragma once

#include "rewriter/module_model.h"

#include <optional>

namespace slimgrad {

/// Where the only argument of an attribute stands, without parentheses around it: what an edit of
/// it replaces. Nothing where a comment stands within it or a preprocessor line in the attribute:
/// they would be lost, with what another build has there.
std::optional<ByteRange> argument_range(const ModuleModel& model, const Attribute& attribute);

/// Whether the attribute holds a comment or a preprocessor line, so that another one cannot take
/// its place.
bool holds_more_than_code(const ModuleModel& model, const Attribute& attribute);

} // namespace slimgrad
