#pragma once

/// slimgrad_checkpoint_heap.h with memory from PyTorch's allocator, so that
/// torch.cuda.memory_allocated() and its limits count it. For extensions, which use the runtime
/// API; needs their headers and libraries only.
///
///     slimgrad::TorchCheckpointHeap& heap = slimgrad::torch_checkpoint_heap();
///     heap.prepare(at::cuda::getCurrentCUDAStream(), &symbols, "bwd_main", grid, block);

#define SLIMGRAD_CHECKPOINT_RUNTIME_API
#include "slimgrad_checkpoint_heap.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace slimgrad {

class TorchCheckpointApi : public CheckpointApi {
  public:
    bool allocate(std::uint64_t bytes, std::uint64_t& address) {
        const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
        try {
            address = reinterpret_cast<std::uint64_t>(
                c10::cuda::CUDACachingAllocator::raw_alloc_with_stream(bytes, stream));
        } catch (const c10::Error& error) {
            problem = error.what_without_backtrace();
            return false;
        }
        // Its last owner may still use it on this stream; the heap is used on any.
        if (succeeds(cudaStreamSynchronize(stream), "cudaStreamSynchronize"))
            return true;
        c10::cuda::CUDACachingAllocator::raw_delete(pointer(address));
        return false;
    }
    bool release(std::uint64_t address) {
        try {
            c10::cuda::CUDACachingAllocator::raw_delete(pointer(address));
        } catch (const c10::Error& error) {
            problem = error.what_without_backtrace();
            return false;
        }
        return true;
    }
};

using TorchCheckpointHeap = CheckpointHeap<TorchCheckpointApi>;

/// The current device's. Made at the first call, with these settings, and never ended: at the
/// program's end the allocator may be gone before it.
inline TorchCheckpointHeap& torch_checkpoint_heap(CheckpointSettings settings = {}) {
    static std::mutex mutex;
    static auto& heaps = *new std::map<c10::DeviceIndex, std::unique_ptr<TorchCheckpointHeap>>;
    const std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<TorchCheckpointHeap>& heap = heaps[c10::cuda::current_device()];
    if (!heap)
        heap = std::make_unique<TorchCheckpointHeap>(settings);
    return *heap;
}

} // namespace slimgrad
