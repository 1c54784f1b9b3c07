#include "plugin/trial/figures.h"

#include <algorithm>

namespace slimgrad {

namespace {

constexpr Figure objective[] = {
    Figure::spill_bytes, Figure::local_memory, Figure::local_accesses,  Figure::warps,
    Figure::registers,   Figure::code_bytes,   Figure::checkpoint_bytes};

} // namespace

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

Comparison compare(const Figures& before, const Figures& after) {
    for (Figure figure : objective) {
        const std::uint64_t a = value(before, figure), b = value(after, figure);
        if (a == b)
            continue;
        const bool better = figure == Figure::warps ? b > a : b < a;
        if (!better)
            return {Change::worse, figure, false};
        const bool minor = figure == Figure::registers || figure == Figure::code_bytes ||
                           figure == Figure::checkpoint_bytes;
        return {Change::better, figure, minor};
    }
    return {};
}

} // namespace slimgrad
