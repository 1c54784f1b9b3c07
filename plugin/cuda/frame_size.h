#pragma once

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>

namespace slimgrad {

/// Local memory that CUDA gives one thread, by the CUDA programming guide for all architectures
/// since sm_50. ptxas accepts more; the launch fails.
constexpr std::uint64_t largest_cuda_frame = 512u << 10;

/// The driver lays local memory by for all threads that a device can hold at once, however few are
/// launched. At this frame an RTX 4090 has none left: 24 GiB.
constexpr std::uint64_t largest_held_frame = 128u << 10;

/// The same for Vulkan where AMD's compilers make the code (13 bits of KiB for a wave of 64). The
/// Vulkan specification itself knows no limit of private memory.
constexpr std::uint64_t largest_amd_frame = ((1u << 13) - 1) * 1024 / 64;

/// Apple documents none either; its compiler was seen to refuse pipelines ("exceeds available stack
/// space") from 8 KiB on older and 16 KiB on newer devices.
constexpr std::uint64_t largest_metal_frame = 16u << 10;

/// A device as the reservation sees it.
struct ResidentThreads {
    std::string_view device;
    std::uint64_t multiprocessors, per_multiprocessor;
};
constexpr std::array<ResidentThreads, 2> example_devices = {
    {{"an RTX 4090", 128, 1536}, {"an H100", 132, 2048}}};

enum class FrameFit {
    everywhere,
    not_metal, ///< fits CUDA; Apple's compiler may refuse it
    costly,    ///< CUDA launches it where the device has the memory; AMD's Vulkan does not
    unlaunchable,
};

inline FrameFit fit_of_frame(std::uint64_t bytes) {
    return bytes > largest_cuda_frame    ? FrameFit::unlaunchable
           : bytes > largest_held_frame  ? FrameFit::costly
           : bytes > largest_metal_frame ? FrameFit::not_metal
                                         : FrameFit::everywhere;
}

/// What follows from a frame of so many bytes, as the end of a sentence: ": CUDA ...". "" for
/// everywhere.
inline std::string frame_consequence(std::uint64_t bytes) {
    switch (fit_of_frame(bytes)) {
    case FrameFit::everywhere:
        return "";
    case FrameFit::not_metal:
        return fmt::format(
            ": CUDA runs it, but on Metal the compiler may refuse it (more than {} bytes of stack)",
            largest_metal_frame);
    case FrameFit::costly: {
        constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
        std::string text = ": the CUDA driver reserves it for every thread that a device can hold";
        std::string_view separator = ", ";
        for (const ResidentThreads& device : example_devices) {
            fmt::format_to(
                std::back_inserter(text), "{}{:.1f} GiB on {} ({} multiprocessors of {} threads)",
                separator,
                static_cast<double>(bytes * device.multiprocessors * device.per_multiprocessor) /
                    gibibyte,
                device.device, device.multiprocessors, device.per_multiprocessor);
            separator = " and ";
        }
        return text + fmt::format("; AMD's Vulkan has {} bytes at most", largest_amd_frame);
    }
    case FrameFit::unlaunchable:
        return fmt::format(": CUDA launches none with more than {}, the launch fails",
                           largest_cuda_frame);
    }
    return "";
}

} // namespace slimgrad
