#pragma once

#include "plugin/verify/cuda_device.h"
#include "plugin/verify/input_plan.h"
#include "rewriter/result.h"

#include <cstdint>
#include <vector>

namespace slimgrad::verify {

class KernelMemory;

/// Where things lie on a device, by their index in the plan.
struct DeviceAddresses {
    std::vector<std::uint64_t> blocks, buffers;
};

/// The block's bytes with every address in them replaced: of other blocks, of buffers, of tensors.
/// Counts, shapes and scalars stay. Textures have no address: a plan with one has no such block.
std::vector<unsigned char> with_device_addresses(std::vector<unsigned char> bytes,
                                                 const BlockPlan& block,
                                                 const DeviceAddresses& addresses);

/// A KernelMemory's counterpart on a device. Both have to outlive it.
class DeviceMemory {
  public:
    /// Error: the device has not as much, or the plan has what it cannot be given.
    static Result<DeviceMemory> allocate(const CudaDevice& device, const InputPlan& plan,
                                         KernelMemory& host);

    /// Copies all of it to the device.
    Result<void> upload();
    /// Copies what the kernel may have changed back.
    Result<void> download() const;
    /// The entry point's parameters, with the device's addresses, as of the last upload.
    const std::vector<unsigned char>& parameters() const { return parameters_; }
    /// The globals, likewise.
    const std::vector<unsigned char>& globals() const { return globals_; }

  private:
    DeviceMemory(const CudaDevice& device, const InputPlan& plan, KernelMemory& host)
        : device_(&device), plan_(&plan), host_(&host) {}

    const CudaDevice* device_;
    const InputPlan* plan_;
    KernelMemory* host_;
    DeviceAddresses addresses_;
    std::vector<CudaDevice::Memory> blocks_, buffers_; ///< those that share memory have the same
    std::vector<unsigned char> globals_, parameters_;
};

} // namespace slimgrad::verify
