#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// One note for each file of the module with text that could not be read, at the first place of it.
/// Where slangc itself rejects the module for its syntax, the note says what that means for rules.
std::vector<Finding> syntax_error(const RuleInput& input);

/// Whether some text of the module could not be read: what it calls and writes is not known then.
bool has_syntax_error(const ModuleModel& model);

/// Whether the site, or the function that it stands in, overlaps text that could not be read: the
/// model of it may be wrong, and nothing there is edited.
bool touches_syntax_error(const ModuleModel& model, Site site);

} // namespace slimgrad
