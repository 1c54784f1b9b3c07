#pragma once

#include "plugin/verify/module_kernels.h"

namespace slimgrad::verify {

/// Decides a difference in 32 bits, or one that the rest of its buffer hides, in double at 1e-10
/// where both modules can be retyped (double_text.h): `result` becomes what they say there. Where
/// they cannot, its reason says why. What is equal there stays `different` where the rewritten
/// kernel's 32 bits are not finite and the original's are, and is `unverified` where they are
/// further apart than rounding takes them. Error: a tool cannot be started.
Result<void> decide_in_double(ModuleKernels& kernels, Verifier& verifier, Machine machine,
                              const ModuleView& original, const ModuleView& rewritten,
                              const VerifyOptions& options, VerifyResult& result);

} // namespace slimgrad::verify
