#pragma once

#include <string_view>

namespace slimgrad::nvrtc {

/// The shader that generated CUDA comes from, by its #line directives: the first file that is not
/// one of Slang's own. "": there is none. Callers of NVRTC seldom name their programs.
std::string_view shader_name(std::string_view source);

} // namespace slimgrad::nvrtc
