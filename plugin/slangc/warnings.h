#pragma once

#include "plugin/rewrite/rewrite_cuda.h"

#include <string>
#include <string_view>

namespace slimgrad::slangc {

/// A warning as slangc writes one: `warning[slimgrad]: MESSAGE` with ` --> FILE:LINE:COLUMN` below
/// it; about a whole file, `warning[slimgrad]: FILE: MESSAGE`. Or its tab-separated form.
std::string warning_text(std::string_view message, const Place& place, bool machine_readable);

/// The warnings about a text: what slimgrad-clang calls errors and warnings, its notes left out.
/// That gradients were changed is said once, however many places were repaired.
/// So is that `output` has kernels which need a checkpoint heap: slangc's callers have none.
std::string warnings_text(const RewrittenCuda& rewritten, const std::string& output,
                          bool machine_readable);

} // namespace slimgrad::slangc
