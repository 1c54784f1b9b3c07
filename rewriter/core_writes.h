#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <string_view>

/// What functions and methods of Slang's core module write. Of one that is not in these tables,
/// arguments are taken to be read, and objects that methods are called on to be written.
namespace slimgrad {

/// Whether a call of the core module may write what stands as this argument: an `out`, `inout` or
/// reference parameter of some overload.
bool core_may_write_argument(const ModuleModel& model, const Call& call, std::uint32_t argument);

/// Whether it is certainly an `out` parameter: written as a whole, and not read.
bool core_replaces_argument(const ModuleModel& model, const Call& call, std::uint32_t argument);

/// Whether the core module's method of this name leaves the object that it is called on as it is,
/// and the memory behind it.
bool core_reads_only(std::string_view method);

} // namespace slimgrad
