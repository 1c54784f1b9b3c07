#pragma once

#include "attributes/rule.h"
#include "plugin/verify/module_kernels.h"
#include "plugin/verify/verify.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// What the results of a comparison are kept under: by all that they depend on. `tools`: the
/// programs. Of one module alone `original` is `rewritten`: the same object.
std::string verification_key(const ModuleView& original, const ModuleView& rewritten,
                             const VerifyOptions& options, const Promises& promises,
                             const std::string& tools);

/// Results as they are kept.
std::string encode(const std::vector<VerifyResult>& results);
/// Nothing: these are not the bytes of any.
std::optional<std::vector<VerifyResult>> decode_verification(std::string_view bytes);

} // namespace slimgrad::verify
