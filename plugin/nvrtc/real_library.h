#pragma once

#include "plugin/nvrtc/nvrtc_api.h"

#include <string>

namespace slimgrad::nvrtc {

/// A function of the real libnvrtc, which is found and loaded at the first call and stays loaded.
/// Where there is no real library, which is said once on stderr, or it has none of this name: the
/// one of no_library.h. Never nullptr.
///
/// The real library is SLIMGRAD_NVRTC (a path; nothing else is tried then), else what the program
/// would have had without the shim, by the loader's search path, /etc/ld.so.conf, CUDA_PATH and
/// CUDA_HOME, and /usr/local/cuda, else one that is loaded already. Another copy of the shim is
/// never taken for it.
void* real_function(Function function);

/// Why there is no real library; "" if there is.
const std::string& library_problem();

/// Where the shim was loaded from.
std::string own_path();

} // namespace slimgrad::nvrtc
