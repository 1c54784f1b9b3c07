#pragma once

#include "plugin/verify/kernel_run.h"
#include "plugin/verify/verify.h"

#include <optional>
#include <string>
#include <string_view>

namespace slimgrad::verify {

class CpuLibraries;

/// The symbol of a kernel in PTX by its name in the CUDA text: slangc leaves the names of some
/// kernels to be mangled. "": the PTX has no such entry, or several.
std::string entry_symbol(std::string_view ptx, const std::string& kernel);

/// "sm_89" where the device's capability is at least 89, else the device's own.
std::string arch_for(const std::string& wanted, std::uint32_t capability);

struct DeviceRequest {
    const CpuVariant* original = nullptr; ///< for Machine::cuda
    const CpuVariant* rewritten =
        nullptr; ///< may be the same: then the device is compared with the host
    const VerifyOptions* options = nullptr; ///< `device` is set
    const VerifyResult* host = nullptr;     ///< of the same two: which inputs they take
};

struct DeviceComparison {
    StepReport step;
    std::optional<Difference> difference; ///< where the step failed for one
};

/// Runs the CUDA text of two variants on the first CUDA device, on the inputs that the host ran
/// them on, and compares what they wrote. Both are compiled without --use_fast_math and with
/// --fmad=false: where products and sums are fused depends on the form of the code. The tolerance
/// is the usual one, or ten times the error that the host saw between the two or the device between
/// two runs of the original, if that is more.
///
///     no device, nvcc or the driver refuse a text   not run
///     textures; the original is stopped, or         not applicable
///     does not write the same twice
///     the rewritten kernel is stopped, or differs   failed
///
/// The detail also says how far the original's results on the device and on the host are apart. Of
/// one variant alone the step fails if that is more than 1e-3, relative as in the tolerance. Only
/// for kernels that stayed inside their arrays on the host: a device does not tell.
DeviceComparison compare_on_device(CpuLibraries& libraries, KernelRunner& runner,
                                   const DeviceRequest& request);

/// Whether every index of both variants was inside, in every run on the host.
bool stayed_inside(const VerifyResult& result);

/// The last step of a comparison on the host, `result`: adds the device's, with which the verdict
/// may become a worse one. Of one variant alone both are one object.
void confirm_on_device(CpuLibraries& libraries, KernelRunner& runner, const CpuVariant& original,
                       const CpuVariant& rewritten, const VerifyOptions& options,
                       VerifyResult& result);

} // namespace slimgrad::verify
