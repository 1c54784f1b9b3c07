#include "attributes/entry_point.h"

#include <algorithm>
#include <string_view>

namespace slimgrad {

bool is_entry_point(const Function& function) {
    for (std::string_view attribute :
         {"shader", "numthreads", "CUDAKernel", "CudaKernel", "CudaDeviceExport",
          "CUDADeviceExport", "AutoPyBindCUDA", "TorchEntryPoint"}) {
        if (function.has_attribute(attribute))
            return true;
    }
    return std::any_of(function.parameters.begin(), function.parameters.end(),
                       [](const Parameter& p) {
                           return p.semantic.starts_with("SV_") || p.semantic.starts_with("sv_");
                       });
}

} // namespace slimgrad
