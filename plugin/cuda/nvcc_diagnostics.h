#pragma once

#include "rewriter/result.h"

#include <optional>
#include <string_view>

namespace slimgrad {

/// The first error among nvcc's messages, of the preprocessor (g++), the front end or ptxas. Its
/// place is the shader's: Slang's #line directives lead back to it. No place where the message has
/// none, as ptxas's.
std::optional<Error> first_nvcc_error(std::string_view messages);

/// The message of `nvcc fatal`: nvcc refuses its arguments or cannot find its own parts or the host
/// compiler.
std::optional<std::string_view> nvcc_refusal(std::string_view messages);

/// The signal that ended one of nvcc's programs, from "'cicc' died due to signal 11 (Invalid memory
/// reference)".
std::optional<int> signal_of_subprocess(std::string_view messages);

} // namespace slimgrad
