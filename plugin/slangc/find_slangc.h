#pragma once

#include "rewriter/result.h"

#include <string>

namespace slimgrad::slangc {

/// This program's own file, links resolved.
std::string own_path();

/// The slangc to run: the one that SLIMGRAD_SLANGC names, else the one slimgrad was built with.
/// Error: it is not there, or it is this program, be it by way of links or of a script that was
/// started by `mark_as_started`'s caller.
Result<std::string> find_slangc();

/// Tells programs started from now on that a slimgrad-slangc is above them, so that a slangc that
/// starts slimgrad-slangc again ends in an error instead of never.
void mark_as_started();

} // namespace slimgrad::slangc
