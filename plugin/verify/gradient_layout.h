#pragma once

#include "plugin/verify/gradient_pairs.h"
#include "plugin/verify/input_plan.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slimgrad::verify {

/// Where a texture or tensor of several dimensions has its gradient in memory of another shape, a
/// buffer: what is not known, "whether gTex has them in the order of tex's 16 x 16 elements". ""
/// where both have one shape, so that the gradient of an element has the element's own place.
std::string unknown_layout(const InputPlan& plan, const GradientPair& pair);

/// Where a tensor has its gradient in another tensor: makes each dimension of both as large as the
/// larger of the two.
void even_shapes(InputPlan& plan, const GradientPair& pair);

/// The row length that the module's indices into the gradient's buffer are made with: 8 for
/// `gTex[(y * W + x) * 4 + c]` with `static const int W = 8`. A guess, for the size of a texture to
/// draw. Nothing: no name of a constant shows, or several.
std::optional<std::uint32_t> width_in_index(const ModuleModel& model, const std::string& gradient);

} // namespace slimgrad::verify
