#pragma once

#include "plugin/verify/checkpoint_needs.h"
#include "plugin/verify/cuda_device.h"
#include "rewriter/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// The heap that a kernel keeps its checkpoints in, on a device: exactly as large as a launch
/// needs. The counterpart of CheckpointHeap; what threads write into each other's slices is not
/// seen here.
class DeviceHeap {
  public:
    /// Of what was loaded; nothing: the kernel has no such heap. `symbol`: of the kernel, which may
    /// be mangled. Error: why it cannot be provided, for one line.
    static Result<std::optional<DeviceHeap>> allocate(const CudaDevice& device,
                                                      const std::string& symbol,
                                                      std::uint64_t threads, std::uint64_t trips);

    /// Before a launch: nothing is stored yet.
    Result<void> publish() const;
    /// After it: what the kernel would have needed; "": nothing.
    Result<std::string> overflow() const;

  private:
    explicit DeviceHeap(const CudaDevice& device) : device_(&device) {}

    const CudaDevice* device_;
    CudaDevice::Memory descriptor_, heap_, overflow_;
    CheckpointDescriptor published_;
};

/// "gradMain" of "_Z8gradMainP5Thing"; a name that is not mangled as it is.
std::string name_of_symbol(const std::string& symbol);

} // namespace slimgrad::verify
