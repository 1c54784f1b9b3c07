#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/verify.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad::verify {

/// What a texture or tensor holds.
struct ElementType {
    ScalarKind kind = ScalarKind::float32;
    std::uint32_t components = 1;
};

/// By the name of the texture's or tensor's type: "Texture2D<vector<float,4>>" -> float32, 4;
/// "DiffTensorView<float, AtomicAdd>" -> float32, 1. Nothing: none that can be filled.
std::optional<ElementType> element_type(const std::string& type);

/// Small sizes of a texture, by its type's name; empty: none that can be made.
std::vector<std::uint32_t> texture_sizes(const std::string& type);

/// Small sizes of a tensor: fewer rows than threads run by default, so that a guard against the
/// last row goes both ways; a kernel without one makes them grow. `plane`: CudaUse::plane.
std::vector<std::uint32_t> default_sizes(std::uint32_t dimensions, bool plane);

/// The name of the gradient half of a DiffTensorView, whose primal half goes by its own: "x.diff".
std::string gradient_tensor(const std::string& tensor);

/// At most one more than `most_elements`.
std::uint64_t elements_of(const std::vector<std::uint32_t>& sizes);

/// Strides in bytes, the last dimension contiguous, no gaps.
std::vector<std::uint32_t> contiguous(const std::vector<std::uint32_t>& sizes,
                                      std::uint64_t element_bytes);

/// Makes one dimension of a tensor larger, or gives it more dimensions; of both halves of a
/// DiffTensorView, whichever is named: a gradient stands where its value stands. False: the plan
/// has no such tensor, or it would get too large.
bool resize_tensor(InputPlan& plan, const std::string& name, std::uint32_t dimension,
                   std::uint32_t size);

/// By tensor and dimension: how large it has to be.
using TensorSizes = std::map<std::pair<std::string, std::uint32_t>, std::uint32_t>;

/// Makes tensors as large as they have to be. One that gets very large, drawing its elements takes
/// the time then, has only a few of each dimension that did not have to grow and that no range
/// "t.size[0]" is given for.
void resize_tensors(InputPlan& plan, const TensorSizes& needed, const InputRanges& given);

} // namespace slimgrad::verify
