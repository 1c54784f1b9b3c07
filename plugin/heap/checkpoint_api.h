#pragma once

/// Part of slimgrad_checkpoint_heap.h: the calls of CUDA that it makes. The driver's API, or with
/// SLIMGRAD_CHECKPOINT_RUNTIME_API the runtime's; with SLIMGRAD_CHECKPOINT_NO_API none.

#if defined(_MSVC_LANG) ? _MSVC_LANG < 201703L : __cplusplus < 201703L
#error slimgrad_checkpoint_heap.h needs C++17
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#if defined(SLIMGRAD_CHECKPOINT_RUNTIME_API)
#include <cuda_runtime_api.h>
#elif !defined(SLIMGRAD_CHECKPOINT_NO_API)
#include <cuda.h>
#endif

namespace slimgrad {

/// Who calls CUDA. A function that returns false has failed, and `problem` says why. All but
/// `allocate`, `release`, `find`, `read` and `wait_on_host` only queue work.
#if defined(SLIMGRAD_CHECKPOINT_RUNTIME_API)

/// A variable of the program, for `CheckpointSymbols`.
struct CheckpointSymbol {
    const char* name;
    const void* symbol;
};
#define SLIMGRAD_CHECKPOINT_SYMBOL(name) {#name, static_cast<const void*>(&name)}

/// What stands for a module where kernels are part of the program: its variables
/// slimgrad_checkpoint_heap, slimgrad_checkpoint_kernels and the slimgrad_checkpoint_of_KERNEL,
/// made where they are in sight:
///
///     const slimgrad::CheckpointSymbols module =
///     {SLIMGRAD_CHECKPOINT_SYMBOL(slimgrad_checkpoint_heap), ...};
using CheckpointSymbols = std::vector<CheckpointSymbol>;

class CheckpointApi {
  public:
    using Module = const CheckpointSymbols*;
    using Stream = cudaStream_t;
    using Event = cudaEvent_t;

    bool allocate(std::uint64_t bytes, std::uint64_t& address) {
        void* memory = nullptr;
        const bool done = succeeds(cudaMalloc(&memory, bytes), "cudaMalloc");
        address = reinterpret_cast<std::uint64_t>(memory);
        return done;
    }
    bool release(std::uint64_t address) { return succeeds(cudaFree(pointer(address)), "cudaFree"); }
    bool find(Module module, const std::string& name, std::uint64_t& address,
              std::uint64_t& bytes) {
        for (const CheckpointSymbol& known : *module) {
            if (known.name != name)
                continue;
            void* memory = nullptr;
            std::size_t size = 0;
            const bool found =
                succeeds(cudaGetSymbolAddress(&memory, known.symbol), "cudaGetSymbolAddress") &&
                succeeds(cudaGetSymbolSize(&size, known.symbol), "cudaGetSymbolSize");
            address = reinterpret_cast<std::uint64_t>(memory);
            bytes = size;
            return found;
        }
        problem = "it is not among the module's symbols";
        return false;
    }
    bool read(void* to, std::uint64_t from, std::uint64_t bytes) {
        return succeeds(cudaMemcpy(to, pointer(from), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    }
    bool write(std::uint64_t to, const void* from, std::uint64_t bytes, Stream stream) {
        return succeeds(cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream),
                        "cudaMemcpyAsync");
    }
    bool zero(std::uint64_t address, std::uint64_t words, Stream stream) {
        return succeeds(cudaMemsetAsync(pointer(address), 0, words * 4, stream), "cudaMemsetAsync");
    }
    /// `capture`: which one the stream is part of; 0: none.
    bool capture_of(Stream stream, unsigned long long& capture) {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        const bool known = succeeds(cudaStreamGetCaptureInfo(stream, &status, &capture),
                                    "cudaStreamGetCaptureInfo");
        if (status == cudaStreamCaptureStatusNone)
            capture = 0;
        return known;
    }
    bool create_event(Event& event) {
        return succeeds(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                        "cudaEventCreate");
    }
    void destroy_event(Event event) { succeeds(cudaEventDestroy(event), "cudaEventDestroy"); }
    bool record(Event event, Stream stream) {
        return succeeds(cudaEventRecord(event, stream), "cudaEventRecord");
    }
    bool wait(Stream stream, Event event) {
        return succeeds(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
    }
    bool wait_on_host(Event event) {
        return succeeds(cudaEventSynchronize(event), "cudaEventSynchronize");
    }

    std::string problem;

  protected:
    static void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }
    bool succeeds(cudaError_t result, const char* call) {
        if (result == cudaSuccess)
            return true;
        problem = std::string(call) + ": " + cudaGetErrorString(result);
        (void)cudaGetLastError(); // it has been told here
        return false;
    }
};

#elif !defined(SLIMGRAD_CHECKPOINT_NO_API)

class CheckpointApi {
  public:
    using Module = CUmodule;
    using Stream = CUstream;
    using Event = CUevent;

    bool allocate(std::uint64_t bytes, std::uint64_t& address) {
        CUdeviceptr memory = 0;
        const bool done = succeeds(cuMemAlloc(&memory, bytes), "cuMemAlloc");
        address = memory;
        return done;
    }
    bool release(std::uint64_t address) { return succeeds(cuMemFree(address), "cuMemFree"); }
    bool find(Module module, const std::string& name, std::uint64_t& address,
              std::uint64_t& bytes) {
        CUdeviceptr memory = 0;
        std::size_t size = 0;
        const bool found =
            succeeds(cuModuleGetGlobal(&memory, &size, module, name.c_str()), "cuModuleGetGlobal");
        address = memory;
        bytes = size;
        return found;
    }
    bool read(void* to, std::uint64_t from, std::uint64_t bytes) {
        return succeeds(cuMemcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
    }
    bool write(std::uint64_t to, const void* from, std::uint64_t bytes, Stream stream) {
        return succeeds(cuMemcpyHtoDAsync(to, from, bytes, stream), "cuMemcpyHtoDAsync");
    }
    bool zero(std::uint64_t address, std::uint64_t words, Stream stream) {
        return succeeds(cuMemsetD32Async(address, 0, words, stream), "cuMemsetD32Async");
    }
    /// `capture`: which one the stream is part of; 0: none.
    bool capture_of(Stream stream, unsigned long long& capture) {
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        cuuint64_t id = 0;
#if CUDA_VERSION >= 13000
        const CUresult result =
            cuStreamGetCaptureInfo(stream, &status, &id, nullptr, nullptr, nullptr, nullptr);
#elif CUDA_VERSION >= 12000
        const CUresult result =
            cuStreamGetCaptureInfo(stream, &status, &id, nullptr, nullptr, nullptr);
#else
        const CUresult result = cuStreamGetCaptureInfo(stream, &status, &id);
#endif
        capture = status == CU_STREAM_CAPTURE_STATUS_NONE ? 0 : id;
        return succeeds(result, "cuStreamGetCaptureInfo");
    }
    bool create_event(Event& event) {
        return succeeds(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    }
    void destroy_event(Event event) { succeeds(cuEventDestroy(event), "cuEventDestroy"); }
    bool record(Event event, Stream stream) {
        return succeeds(cuEventRecord(event, stream), "cuEventRecord");
    }
    bool wait(Stream stream, Event event) {
        return succeeds(cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
    }
    bool wait_on_host(Event event) {
        return succeeds(cuEventSynchronize(event), "cuEventSynchronize");
    }

    std::string problem;

  private:
    bool succeeds(CUresult result, const char* call) {
        if (result == CUDA_SUCCESS)
            return true;
        const char* words = nullptr;
        if (cuGetErrorString(result, &words) != CUDA_SUCCESS || !words)
            words = "unknown error";
        problem = std::string(call) + ": " + words;
        return false;
    }
};

#else
class CheckpointApi;
#endif

} // namespace slimgrad
