#pragma once

#include "rewriter/module_model.h"

#include <string>

namespace slimgrad {

/// The namespaces around a place, "A.B"; "" where there are none.
std::string enclosing_namespace(const ModuleModel& model, Site site);

} // namespace slimgrad
