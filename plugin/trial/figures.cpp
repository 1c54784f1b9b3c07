#include "plugin/trial/figures.h"

namespace slimgrad {

std::uint64_t value(const KernelFigures& kernel, Figure figure) {
    switch (figure) {
    case Figure::spill_bytes:
        return std::uint64_t{kernel.spill_store_bytes} + kernel.spill_load_bytes;
    case Figure::local_memory:
        return kernel.stack_bytes;
    case Figure::local_accesses:
        return std::uint64_t{kernel.local_loads} + kernel.local_stores;
    case Figure::warps:
        return kernel.warps_per_sm;
    case Figure::registers:
        return kernel.registers;
    case Figure::code_bytes:
        return kernel.code_bytes;
    case Figure::estimate:
        return kernel.estimate;
    case Figure::checkpoint_bytes:
        break;
    }
    return 0;
}

std::string_view name(Figure figure) {
    switch (figure) {
    case Figure::spill_bytes:
        return "spill bytes";
    case Figure::local_memory:
        return "stack bytes";
    case Figure::local_accesses:
        return "local loads and stores";
    case Figure::warps:
        return "warps per SM";
    case Figure::registers:
        return "registers";
    case Figure::code_bytes:
        return "code bytes";
    case Figure::estimate:
        return "estimated cost";
    case Figure::checkpoint_bytes:
        break;
    }
    return "checkpoint bytes";
}

std::uint64_t value(const Figures& figures, Figure figure) {
    if (figure == Figure::checkpoint_bytes)
        return figures.checkpoint_bytes;
    std::uint64_t sum = 0;
    for (const KernelFigures& kernel : figures.kernels)
        sum += value(kernel, figure);
    return sum;
}

} // namespace slimgrad
