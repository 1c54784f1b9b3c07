#pragma once

#include "plugin/trial/trial_lab.h"

namespace slimgrad {

/// Whether `other` saves bytes of the checkpoint report, and `trial` all of those as well: the
/// fixes of the first have nothing left to save on top of the second's. Both come from `before`.
/// False in doubt.
bool leaves_nothing_to(const Trial& trial, const Trial& other, const Trial& before);

} // namespace slimgrad
