#pragma once

#include "rewriter/module_model.h"

namespace slimgrad {

/// Whether a dispatch starts at the function: [shader], [CUDAKernel], exported device functions,
/// SV_ parameters.
bool is_entry_point(const Function& function);

} // namespace slimgrad
