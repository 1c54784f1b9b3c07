#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad::verify {

/// A [CudaDeviceExport] function, and the entry point that calls it.
struct ExportedFunction {
    std::string name;        ///< as the shader says
    std::string entry_point; ///< "" where there is none
    std::string problem;     ///< why not: "its parameter texture is a Texture2D"
};

/// Kernels written in CUDA call [CudaDeviceExport] functions; a module of these alone has no entry
/// point. `callers` is text that, appended to the module, adds one for each: thread i takes the
/// arguments from element i of buffers of the entry point that are named as the parameters, and
/// writes to them what comes out, and the result to `slimgrad_result`.
///
///     [CudaDeviceExport] float f(float x, inout float3 y);
///
///     [shader("compute")] [numthreads(1, 1, 1)]
///     void slimgrad_call_f(uint3 slimgrad_thread : SV_DispatchThreadID,
///                          uniform StructuredBuffer<float> x, uniform RWStructuredBuffer<float3>
///                          y, uniform RWStructuredBuffer<float> slimgrad_result) {...}
///
/// Only for parameters and results that are plain data as far as the names of their types tell.
struct ExportCallers {
    std::vector<ExportedFunction> functions;
    std::string text;
};
ExportCallers export_callers(const ModuleModel& model);

} // namespace slimgrad::verify
