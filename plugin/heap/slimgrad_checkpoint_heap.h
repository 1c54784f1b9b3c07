#pragma once

/// Host side of `slimgrad cuda --passes heap`: device memory for the checkpoints of kernels that
/// were rewritten so. C++17; needs nothing but CUDA's driver API, or with
/// SLIMGRAD_CHECKPOINT_RUNTIME_API defined the runtime API. The build leaves it in one file,
/// build/slimgrad_checkpoint_heap.h.
///
///     slimgrad::CheckpointHeap<> heap;
///     const slimgrad::CheckpointStatus ready = heap.prepare(stream, module, "bwd", grid, block);
///     if (!ready)
///         return report(ready.error);    // the kernel must not be launched
///     cuLaunchKernel(bwd, ..., stream, ...);
///     heap.launched(stream);             // also where the launch failed
///
///     const slimgrad::CheckpointStatus checked = heap.check(); // now and then
///     if (!checked)
///         return report(checked.error);  // an array had too few slots: what to set
///
/// A kernel that is launched without `prepare` traps at its first checkpoint: there is no memory
/// for it. `prepare` takes what each of the launch's threads may need at once, by [MaxIters]. Where
/// loops run less often than that, compile the CUDA text with -DSLIMGRAD_CHECKPOINT_TRIPS=1 and
/// give `prepare` their trips.
///
/// With nvcc -rdc=true a program takes one rewritten text: the variables have the same names in
/// each.
///
/// One heap per device, for any number of modules, streams and threads. Kernels that use it run one
/// after another: each launch waits on the device for the one before, whatever its stream, since
/// they share the memory and the variable slimgrad_checkpoint_heap of their module. Other threads
/// wait in `prepare` until `launched` was called.
///
/// Stream capture: the heap has to be large enough before (ensure_checkpoint_heap, or a launch as
/// large), and each kernel prepared once. What was captured keeps its memory until the heap ends,
/// which has to outlive the graph. A graph's launches are ordered with other uses where they stand
/// between before_graph(stream) and launched(stream).

#include "checkpoint_api.h"
#include "checkpoint_memory.h"
#include "checkpoint_module.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace slimgrad {

struct CheckpointSettings {
    std::uint64_t budget = ~std::uint64_t{0}; ///< bytes of device memory, for the heap alone
    bool throws = false; ///< std::runtime_error where else a status has an error
};

/// Blocks of a grid, threads of a block. Where one is taken, so is dim3.
struct CheckpointSize {
    unsigned int x = 1, y = 1, z = 1;
};

/// The heap. Its functions may be called from any thread in which the device's context is current;
/// they throw nothing but std::bad_alloc, unless the settings ask for it. `Api`: as CheckpointApi.
template <class Api = CheckpointApi> class CheckpointHeap {
  public:
    using Module = typename Api::Module;
    using Stream = typename Api::Stream;

    explicit CheckpointHeap(CheckpointSettings settings = {}, Api api = Api())
        : settings_(settings), api_(std::move(api)), memory_(settings.budget) {}
    CheckpointHeap(const CheckpointHeap&) = delete;
    CheckpointHeap& operator=(const CheckpointHeap&) = delete;
    /// Waits for the last launch. Graphs that use the heap must not run any more.
    ~CheckpointHeap() {
        if (!started_)
            return;
        api_.wait_on_host(last_use_);
        for (auto& [handle, module] : modules_)
            module.release(api_);
        memory_.release(api_);
        api_.destroy_event(last_use_);
        api_.destroy_event(last_captured_use_);
    }

    /// Makes the heap at least as large, where it is not: waits for all launches first. `stream`:
    /// may be captured.
    CheckpointStatus ensure_checkpoint_heap(std::uint64_t bytes, Stream stream = {}) {
        std::unique_lock<std::mutex> lock(mutex_);
        CheckpointStatus status = begin(lock, stream);
        return told(status ? grow(bytes, "the checkpoint heap") : status);
    }

    /// Before every launch of a rewritten kernel; `launched` has to follow on this thread, also
    /// where the launch failed. `kernel`: its name in the CUDA text. `trips`: no loop that stores
    /// checkpoints makes more. It makes slices smaller where the text was compiled with
    /// -DSLIMGRAD_CHECKPOINT_TRIPS=1, and has no effect otherwise. Error: then the kernel must not
    /// be launched, and `launched` not be called.
    template <class Size = CheckpointSize>
    CheckpointStatus prepare(Stream stream, Module module, const std::string& kernel, Size grid,
                             Size block, std::uint64_t trips = unknown_trips) {
        std::unique_lock<std::mutex> lock(mutex_);
        CheckpointStatus status = begin(lock, stream);
        if (status)
            status = follow_last_use(stream);
        if (status)
            status = publish(stream, module, kernel,
                             {grid.x, grid.y, grid.z, block.x, block.y, block.z}, trips);
        return told(take_turn_if(status));
    }

    /// After the launch, on the same stream and thread.
    CheckpointStatus launched(Stream stream) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (!in_use_ || user_ != std::this_thread::get_id())
            return told({"launched() is called without prepare() on this thread before"});
        in_use_ = false;
        turn_.notify_one();
        return told(record_use(stream));
    }

    /// prepare, `run()`, launched.
    template <class Run, class Size = CheckpointSize>
    CheckpointStatus launch(Stream stream, Module module, const std::string& kernel, Size grid,
                            Size block, std::uint64_t trips, Run&& run) {
        if (CheckpointStatus status = prepare(stream, module, kernel, grid, block, trips); !status)
            return status;
        try {
            run();
        } catch (...) {
            launched(stream);
            throw;
        }
        return launched(stream);
    }

    /// Before the launch of a graph in which kernels use the heap; `launched(stream)` has to
    /// follow.
    CheckpointStatus before_graph(Stream stream) {
        std::unique_lock<std::mutex> lock(mutex_);
        CheckpointStatus status = begin(lock, stream);
        return told(take_turn_if(status ? follow_last_use(stream) : status));
    }

    /// Waits for all launches. Error: one failed, or kernels stored past the last slot of an array
    /// since the last check, so that their results are wrong: a line for each of them.
    CheckpointStatus check(Stream stream = {}) {
        std::unique_lock<std::mutex> lock(mutex_);
        CheckpointStatus status = begin(lock, stream);
        if (status && capture_)
            status = {"the checkpoint heap cannot be checked during stream capture"};
        if (status)
            status = wait_for_uses();
        std::string overflows;
        for (auto& [handle, module] : modules_) {
            bool cleared = false;
            if (status)
                status = module.read_overflow(api_, stream, overflows, cleared);
            if (status && cleared)
                status = record_use(stream);
        }
        return told(status ? CheckpointStatus{overflows} : status);
    }

    /// Before a module is unloaded: another one may get its handle.
    CheckpointStatus forget(Module handle) {
        std::unique_lock<std::mutex> lock(mutex_);
        const auto module = modules_.find(handle);
        if (module == modules_.end())
            return {};
        CheckpointStatus status = wait_for_turn(lock);
        if (status)
            status = wait_for_uses();
        if (status) {
            module->second.release(api_);
            modules_.erase(module);
        }
        return told(status);
    }

    std::uint64_t capacity() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return memory_.bytes();
    }

  private:
    CheckpointStatus told(CheckpointStatus status) const {
        if (!status && settings_.throws)
            throw std::runtime_error(status.error);
        return status;
    }
    CheckpointStatus done_or(bool done, const char* what) const {
        return done ? CheckpointStatus{}
                    : CheckpointStatus{std::string("the checkpoint heap cannot ") + what + ": " +
                                       api_.problem};
    }

    CheckpointStatus wait_for_turn(std::unique_lock<std::mutex>& lock) {
        if (in_use_ && user_ == std::this_thread::get_id())
            return {"a launch was prepared on this thread, and launched() not called"};
        turn_.wait(lock, [this] { return !in_use_; });
        return {broken_};
    }
    CheckpointStatus take_turn_if(CheckpointStatus status) {
        if (status) {
            in_use_ = true;
            user_ = std::this_thread::get_id();
        }
        return status;
    }

    /// What every use starts with: its turn, the events, and whether `stream` is captured.
    CheckpointStatus begin(std::unique_lock<std::mutex>& lock, Stream stream) {
        if (CheckpointStatus status = wait_for_turn(lock); !status)
            return status;
        if (!started_) {
            if (!api_.create_event(last_use_))
                return done_or(false, "create an event");
            if (!api_.create_event(last_captured_use_)) {
                const CheckpointStatus status = done_or(false, "create an event");
                api_.destroy_event(last_use_);
                return status;
            }
            started_ = true;
        }
        return done_or(api_.capture_of(stream, capture_), "ask whether a stream is captured");
    }

    /// The stream goes on when the last launch is done; in a capture, the last one of that capture,
    /// which cannot wait for what is outside it.
    CheckpointStatus follow_last_use(Stream stream) {
        if (capture_ && capture_ != last_capture_)
            return {};
        return done_or(api_.wait(stream, capture_ ? last_captured_use_ : last_use_),
                       "make a stream wait");
    }
    /// Without a record, what comes next would not wait: then nothing does.
    CheckpointStatus record_use(Stream stream) {
        if (capture_)
            last_capture_ = capture_;
        const CheckpointStatus status = done_or(
            api_.record(capture_ ? last_captured_use_ : last_use_, stream), "record a launch");
        if (!status)
            broken_ = status.error + "; it cannot be used any more";
        return status;
    }
    /// Each use has waited for the one before: the last one is enough.
    CheckpointStatus wait_for_uses() {
        return done_or(api_.wait_on_host(last_use_),
                       "wait for a kernel that used it, which may have failed");
    }

    CheckpointStatus grow(std::uint64_t bytes, const std::string& what) {
        return memory_.grow(api_, bytes, capture_ != 0, what, [this] { return wait_for_uses(); });
    }

    /// `extents`: whose product is the number of threads.
    CheckpointStatus publish(Stream stream, Module handle, const std::string& name,
                             std::initializer_list<std::uint64_t> extents, std::uint64_t trips) {
        const std::string what = "kernel " + name;
        auto module = modules_.find(handle);
        if (capture_ && (module == modules_.end() || !module->second.knows(name)))
            return {
                what +
                " is launched for the first time during stream capture: prepare it once before"};
        if (module == modules_.end()) {
            CheckpointModule<Api> loaded(handle);
            if (CheckpointStatus status = loaded.load(api_, stream); !status)
                return status;
            module = modules_.emplace(handle, std::move(loaded)).first;
            // The stream sets its words: a use, as the next one may be on another stream.
            if (CheckpointStatus status = record_use(stream); !status)
                return status;
        }
        CheckpointKernel* kernel = nullptr;
        if (CheckpointStatus status = module->second.find_kernel(api_, name, kernel); !status)
            return status;

        std::uint64_t stride = 0, threads = 1, bytes = 0;
        bool fits = kernel->stride(trips, stride);
        for (const std::uint64_t extent : extents)
            fits = fits && checkpoint_product(threads, extent, threads);
        fits = fits && threads <= ~std::uint64_t{0} - 31;
        threads = (threads + 31) / 32 * 32;
        if (!fits || !checkpoint_product(threads, stride, bytes))
            return {what + " needs more bytes of checkpoints than there are addresses: give the "
                           "trips of its loops, or "
                           "lower [MaxIters]"};
        if (CheckpointStatus status =
                grow(bytes, what + " (" + std::to_string(threads) + " threads, " +
                                std::to_string(stride) + " bytes each)");
            !status)
            return status;

        const CheckpointDescriptor descriptor{memory_.address(), memory_.bytes(), threads, trips,
                                              module->second.overflow_word(*kernel)};
        const CheckpointDescriptor* from = &descriptor;
        if (capture_) { // the graph reads it whenever it runs
            memory_.keep_for_graph();
            captured_.push_back(std::make_unique<CheckpointDescriptor>(descriptor));
            from = captured_.back().get();
        }
        kernel->least_trips = std::min(kernel->least_trips, trips);
        return done_or(api_.write(module->second.descriptor(), from, sizeof descriptor, stream),
                       "be published");
    }

    CheckpointSettings settings_;
    Api api_;
    mutable std::mutex mutex_;
    std::condition_variable turn_;

    bool in_use_ = false; ///< between prepare and launched
    std::thread::id user_;
    std::string broken_;   ///< why nothing can be done any more
    bool started_ = false; ///< the events are there
    typename Api::Event last_use_{}, last_captured_use_{};
    unsigned long long capture_ = 0;      ///< that the stream of the call is part of; 0: none
    unsigned long long last_capture_ = 0; ///< that the last captured use was in

    CheckpointMemory<Api> memory_;
    std::vector<std::unique_ptr<CheckpointDescriptor>> captured_;
    std::map<Module, CheckpointModule<Api>> modules_;
};

} // namespace slimgrad
