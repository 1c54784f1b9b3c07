#pragma once

#include "rewriter/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace slimgrad::verify {

/// What AddressSanitizer or UndefinedBehaviorSanitizer stopped a kernel for.
struct SanitizerReport {
    std::string kind; ///< "AddressSanitizer: heap-buffer-overflow, WRITE of size 4"
    Place place;      ///< of the shader, no column; no line: not within the shader's own functions
};

/// The first report in what slimgrad-run-sanitized wrote to standard error, if there is one. The
/// place is that of the innermost function of the library whose #line names a shader and not a file
/// that slangc brings.
std::optional<SanitizerReport> read_sanitizer_report(std::string_view err,
                                                     std::string_view library);

} // namespace slimgrad::verify
