#pragma once

#include "plugin/verify/cpp_text.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/verify.h"

#include <optional>
#include <string>
#include <string_view>

namespace slimgrad::verify {

/// Which of the two variants ran.
enum class Role { original, rewritten };

std::string_view to_string(Role role); ///< "original", "rewritten"

/// The place that the run stopped at.
const Subscript& subscript_of(const KernelRun& run, const InstrumentedText& text);

/// What a run that did not get to its end says about the variants.
struct RunFailure {
    Verdict verdict = Verdict::cannot_run;
    std::string reason;
    Place place;
    std::optional<LeftCheckpointArray> left_array;
};

/// `input`: " (input 3, seed 1)", put behind the place.
RunFailure describe_failure(const KernelRun& run, const InstrumentedText& text, Role role,
                            std::string_view input);

} // namespace slimgrad::verify
