#pragma once

#include "rewriter/module_model.h"

#include <string>

namespace slimgrad::verify {

/// The generic arguments of f that `bwd_diff(f)(..)` leaves to the compiler, where the declared
/// types of what it is called with show them: "<Ggx>" for `var p = diffPair(g); bwd_diff(f)(p, 1)`
/// with `float f<B : IBrdf>(B b)` and `Ggx g`. "" where f is not one generic function of the
/// module, and where the text does not show all of them. What is found is still the compiler's to
/// accept.
std::string generic_arguments(const ModuleModel& model, const Call& call);

} // namespace slimgrad::verify
