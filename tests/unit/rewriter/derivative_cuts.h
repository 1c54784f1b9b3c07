#pragma once

#include "plugin/verify/input_plan.h"
#include "rewriter/variable_flow.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// A use of a variable whose derivative was cut, and what the gradients of the kernels did.
struct DerivativeCut {
    std::string function;
    std::string text; ///< the use as written
    std::uint32_t line = 0, column = 0;
    DerivativeUse model = DerivativeUse::unknown; ///< what the model says
    std::string reason;
    bool changed = false; ///< some gradient is another one without this use
};

struct CutsOfFile {
    std::string problem; ///< why nothing was run
    std::vector<DerivativeCut> cuts;
    std::size_t not_cut = 0; ///< uses that `detach` cannot stand around, as integers
    std::size_t kernels = 0; ///< that were run
};

/// Puts `detach` around every use in the differentiated functions of the file, one at a time, and
/// runs its kernels on the CPU: all in one compilation, a uniform says which use is cut.
///
///     if (x > 0.5) s += x * y;     if (slimgrad_cut(x, 0) > 0.5) s += slimgrad_cut(x, 1) * ...
///
/// Tensors run on the cuda machine alone: there a use that a tensor is read through, `x.load(i)`,
/// is cut with the call. `arguments` are slangc's.
CutsOfFile cut_derivatives(const std::string& path, verify::Machine machine = verify::Machine::cpp,
                           const std::vector<std::string>& arguments = {});

} // namespace slimgrad
