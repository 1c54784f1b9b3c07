#pragma once

#include <string_view>

namespace slimgrad::verify {

/// What CUDA C++ has and C++ has not: the files of cuda_host/, one after another.
extern const std::string_view cuda_host_text;

} // namespace slimgrad::verify
