#pragma once

#include "plugin/verify/gradient_pairs.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// Where a texture or tensor of several dimensions has its gradient in memory of another shape, a
/// buffer: what is not known, "whether gTex has them in the order of tex's 16 x 16 elements". ""
/// where both have one shape, so that the gradient of an element has the element's own place.
std::string unknown_layout(const InputPlan& plan, const GradientPair& pair);

/// The inputs that decide in which order memory without a shape has the elements: "w.size[1]" of a
/// tensor of two dimensions, "tex.size[0]" of a texture.
std::vector<std::string> sizes_of_order(const InputPlan& plan, const std::string& name);

/// Whether a kernel that was given a tensor of several dimensions changed the first elements of
/// rows alone: what it takes may have fewer dimensions.
bool may_have_fewer_dimensions(const InputPlan& plan, const KernelRun& run,
                               const std::string& name);

/// Where a tensor has its gradient in another tensor: makes each dimension of both as large as the
/// larger of the two.
void even_shapes(InputPlan& plan, const GradientPair& pair);

/// The row length that the module's indices into the gradient's buffer are made with: 8 for
/// `gTex[(y * W + x) * 4 + c]` with `static const int W = 8`. A guess, for the size of a texture to
/// draw. Nothing: no name of a constant shows, or several.
std::optional<std::uint32_t> width_in_index(const ModuleModel& model, const std::string& gradient);

} // namespace slimgrad::verify
