#pragma once

#include "rewriter/module_model.h"
#include "rewriter/source_edit.h"

#include <optional>

namespace slimgrad {

/// The edit that takes an attribute away: with its brackets, and with its line where nothing else
/// stands there. Nothing where it shares its brackets with others or a comment, or is a macro's.
///
/// Example: `[PreferRecompute]\n[Differentiable]\nfloat f()` loses its first line.
std::optional<SourceEdit> attribute_removal(const ModuleModel& model, const Attribute& attribute);

} // namespace slimgrad
