#pragma once

#include "rewriter/module_model.h"
#include "rewriter/source_edit.h"

#include <cstddef>
#include <optional>
#include <string>

/// Edits of the lists in angle brackets: of a function's generic parameters and a call's arguments.
namespace slimgrad {

/// The edit that gives the call this value as its generic argument at `position`: in place of the
/// one that stands there, or behind the last one. Nothing where the list cannot be read from the
/// text, or ends before.
std::optional<SourceEdit> set_generic_argument(const ModuleModel& model, const Call& call,
                                               std::size_t position, const std::string& value);

/// The edit that adds a generic parameter behind the function's last one.
std::optional<SourceEdit> add_generic_parameter(const ModuleModel& model, const Function& function,
                                                const std::string& parameter);

} // namespace slimgrad
