#pragma once

#include "plugin/cuda/kernel_figures.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad {

/// What one variant of a module costs.
struct Figures {
    std::vector<KernelFigures> kernels;
    std::uint64_t checkpoint_bytes = 0; ///< sum over the outermost differentiated functions
};

/// The figures of the objective in its order. Lower is better; warps are counted as missing ones.
enum class Figure {
    spill_bytes,
    local_memory,
    local_accesses,
    warps,
    registers,
    code_bytes,
    checkpoint_bytes,
    estimate ///< of issue slots, from the SASS; only where it is asked for
};

/// "registers", "stack bytes", ...: for messages.
std::string_view name(Figure figure);
/// The figure's value as a person reads it (warps per SM, not missing ones), summed over the
/// kernels.
std::uint64_t value(const Figures& figures, Figure figure);
/// The same of one kernel; 0 for checkpoint bytes, which are the module's.
std::uint64_t value(const KernelFigures& kernel, Figure figure);

} // namespace slimgrad
