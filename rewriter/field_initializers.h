#pragma once

#include "rewriter/module_model.h"

#include <vector>

namespace slimgrad {

/// `float q = f();` in a structure: what an object gets that is made without that value, as by
/// `S s = {}` and `S()`.
struct FieldInitializer {
    Index type = none; ///< into ModuleModel::types
    Site value;
};

/// Of all structures of the module; static members are left out.
std::vector<FieldInitializer> find_field_initializers(const ModuleModel& model);

} // namespace slimgrad
