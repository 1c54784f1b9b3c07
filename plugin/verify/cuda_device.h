#pragma once

#include "rewriter/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// The first CUDA device, through the driver's own library, which is looked for at run time:
/// neither building nor starting a program that uses this needs CUDA. Everything ends with the
/// process; there is one device in it. Every call waits until the device is done.
class CudaDevice {
  public:
    /// Error: "no CUDA device: " and why.
    static Result<CudaDevice> open();

    std::string name() const { return name_; }               ///< "NVIDIA H200"
    std::uint32_t capability() const { return capability_; } ///< 90 for sm_90

    /// Makes PTX, or a cubin of this architecture, ready to run. Once. Error: the driver's words.
    Result<void> load(const std::string& code);

    struct Memory {
        std::uint64_t address = 0, bytes = 0;
    };
    /// A variable of what was loaded; nothing: it has none of that name.
    std::optional<Memory> variable(const std::string& symbol) const;
    Result<Memory> allocate(std::uint64_t bytes) const;
    /// As many bytes as the memory has.
    Result<void> upload(const Memory& to, const void* from) const;
    Result<void> download(void* to, const Memory& from) const;

    struct Launch {
        std::string symbol;
        std::array<std::uint32_t, 3> blocks{1, 1, 1};
        std::array<std::uint32_t, 3> threads{1, 1, 1};
        /// Its parameters: as many as there are offsets, laid out in one block of memory.
        const unsigned char* parameters = nullptr;
        std::uint64_t parameter_bytes = 0;
        std::vector<std::uint64_t> offsets;
    };
    /// What does not fit the kernel that was loaded, for one line; "": it can be run. Drivers
    /// before CUDA 12.4 do not say where parameters lie: then only that the kernel is there is
    /// known.
    std::string problem(const Launch& launch) const;
    /// Error: the kernel was stopped, or does not start. The device is of no use then.
    Result<void> run(const Launch& launch) const;

  private:
    struct Driver;
    CudaDevice() = default;

    const Driver* driver_ = nullptr; ///< stays loaded
    void* module_ = nullptr;
    std::string name_;
    std::uint32_t capability_ = 0;
};

} // namespace slimgrad::verify
