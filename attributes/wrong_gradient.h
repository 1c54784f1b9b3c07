#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Gradients that are wrong as the module is written, as far as running it has shown
/// (RuleInput::gradient_facts): one finding for each fact but those of the rule no-gradient.
/// Nothing where it was not run.
std::vector<Finding> wrong_gradient(const RuleInput& input);

} // namespace slimgrad
