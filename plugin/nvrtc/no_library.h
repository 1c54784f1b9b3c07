#pragma once

#include "plugin/nvrtc/nvrtc_api.h"

namespace slimgrad::nvrtc {

/// The function to call where there is no real library: programs can be made, do not compile, and
/// their log says why. Callers show a log to their users; several of them, Slang's compiler among
/// them, crash where no program is made. What has no answer fails.
///
/// `why` is to live as long as the process.
void* without_library(Function function, const char* why);

/// The function to call where the real library has none of this name: it fails.
void* without_function(Function function);

} // namespace slimgrad::nvrtc
