#pragma once

#include "plugin/slang/reflection.h"
#include "plugin/verify/cuda_text.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/verify.h"
#include "rewriter/result.h"

#include <cstdint>
#include <set>
#include <string>

namespace slimgrad::verify {

/// Of every buffer before anything is known of the kernel: filling them takes the time.
constexpr std::uint64_t first_elements = 4'096;
/// Of every buffer that is left, and of memory that no check guards.
constexpr std::uint64_t usual_elements = 65'536;
/// No buffer gets larger.
constexpr std::uint64_t most_elements = 64ull << 20;

struct PlanRequest {
    const Reflection* reflection = nullptr;
    std::string entry_point;
    const VerifyOptions* options = nullptr;
    std::uint64_t elements = 0; ///< of every buffer at the start; a pointer has the usual number
    DefaultInputs defaults;
    /// Globals that the entry point can reach, as emitted ("gIn_0"). One that cannot run, a texture
    /// say, matters only then.
    const std::set<std::string>* used_globals = nullptr;
    Machine machine = Machine::cpp;
    CudaUse use{}; ///< of the text, on the cuda machine
};

/// Lays out what an entry point takes and decides which values it gets: floats as `defaults` says,
/// integers small, booleans both; what `options->ranges` names as it says. A scalar or single
/// element with a whole-numbered range takes minimum, minimum + 1, maximum - 1 and maximum in the
/// first samples. An input without a range that sets a loop's trip count, as `options->loops` says,
/// gets the range from 0 to the loop's bound N; where the loop's input is not known, every integer
/// takes 0, 1, N - 1 and N. Error: a parameter that the machine cannot be given (a texture on cpp),
/// or a range without a value. Ranges that name no input of this entry point may be another's: they
/// are listed in the plan.
///
/// On the cuda machine tensors and textures have sizes, in elements: those that `options->ranges`
/// gives as "t.size[0]" (the upper end counts), else small ones; tensors as many dimensions as the
/// text accesses at most. Rows follow each other without gaps, the last dimension is contiguous.
/// The gradient of a DiffTensorView t is a tensor "t.diff". Kernels without a group size get blocks
/// of 32 threads, 8 x 4 where one looks at y.
Result<InputPlan> make_plan(const PlanRequest& request);

/// How the kernels of the shader use their threads: of the text that slangc emitted, whatever was
/// made from it.
CudaUse use_of(const CpuVariant& variant);

/// The entry point's name in the emitted text; the given name where the module has no such entry
/// point.
std::string code_name(const Reflection& reflection, const std::string& entry_point);

/// Whether a range was given for the input: for itself, or for what it is a part of.
bool has_range(const std::string& input, const InputRanges& ranges);

} // namespace slimgrad::verify
