#include "plugin/cuda/occupancy.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace slimgrad {
namespace {

// The same on every architecture since 7.0.
constexpr std::uint32_t warp_size = 32;
constexpr std::uint32_t max_block_size = 1024;
constexpr std::uint32_t sub_partitions = 4;
constexpr std::uint32_t registers_per_sub_partition = 65536 / sub_partitions;
constexpr std::uint32_t registers_per_block = 65536;
constexpr std::uint32_t register_granularity = 256; // a warp's registers come in such portions

struct Architecture {
    std::string_view number;
    MultiprocessorLimits limits;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr Architecture architectures[] = {
    {"75", {32, 16}},  {"80", {64, 32}},  {"86", {48, 16}},  {"87", {48, 16}},
    {"88", {48, 16}},  {"89", {48, 24}},  {"90", {64, 32}},  {"100", {64, 32}},
    {"103", {64, 32}}, {"110", {48, 24}}, {"120", {48, 24}}, {"121", {48, 24}},
};

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t step) {
    return (value + step - 1) / step * step;
}

} // namespace

Result<MultiprocessorLimits> multiprocessor_limits(std::string_view arch) {
    std::string_view number = arch;
    for (std::string_view prefix : {"sm_", "compute_"})
        if (number.starts_with(prefix))
            number.remove_prefix(prefix.size());
    if (number.ends_with('a') || number.ends_with('f'))
        number.remove_suffix(1);
    if (number != arch)
        for (const Architecture& architecture : architectures)
            if (architecture.number == number)
                return architecture.limits;
    std::string known;
    for (const Architecture& architecture : architectures)
        known += fmt::format("{}sm_{}", known.empty() ? "" : ", ", architecture.number);
    return fail(fmt::format("unknown architecture '{}'; known are {}", arch, known));
}

std::uint32_t warps_per_multiprocessor(const MultiprocessorLimits& limits, std::uint32_t registers,
                                       std::uint32_t block_size) {
    if (block_size == 0 || block_size > max_block_size)
        return 0;
    const std::uint32_t warps_per_block = round_up(block_size, warp_size) / warp_size;
    std::uint32_t blocks = std::min(limits.max_blocks, limits.max_warps / warps_per_block);
    if (registers != 0) {
        const std::uint32_t per_warp = round_up(registers * warp_size, register_granularity);
        if (per_warp * round_up(warps_per_block, sub_partitions) > registers_per_block)
            return 0;
        const std::uint32_t warps = registers_per_sub_partition / per_warp * sub_partitions;
        blocks = std::min(blocks, warps / warps_per_block);
    }
    return blocks * warps_per_block;
}

} // namespace slimgrad
