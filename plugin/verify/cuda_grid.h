#pragma once

#include "plugin/verify/checkpoint_heap.h"
#include "plugin/verify/fibre.h"
#include "plugin/verify/warp.h"
#include "plugin/verify/write_watch.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace slimgrad::verify {

struct HostTexture;

/// A kernel of a library made from CUDA text (cuda_text.h), and how it is run: the blocks of a grid
/// one after another, the threads of a block as fibres that change places where they wait for each
/// other. One at a time.
class CudaGrid {
  public:
    /// What makes it stop for good; does not return.
    struct Events {
        /// The threads wait for each other forever: "waits at a barrier that 3 of 32 threads do not
        /// reach". `subscript`: what the thread announced last.
        void (*divergent)(const std::string& what, std::uint32_t subscript);
        /// Why the kernel cannot be run: "it has the PTX instruction cp.async".
        void (*unsupported)(const std::string& what);
        /// What a thread did to the heap of checkpoints that it may not: "wrote outside its slice
        /// of the checkpoint heap: ...".
        void (*failed)(const std::string& what);
    };

    /// `library`: from dlopen. Stays loaded.
    CudaGrid(void* library, const std::string& kernel, std::array<std::uint32_t, 3> threads,
             Events events);

    /// What in the library does not fit, for one line; "": it can be run. Sizes and offsets are
    /// those of the plan.
    std::string problem(std::uint64_t global_bytes, std::uint64_t parameter_bytes,
                        const std::vector<std::uint64_t>& parameter_offsets) const;

    /// A block's `__shared__` variables, those of all kernels of the library. A watch with such a
    /// region is told when a block starts.
    std::span<const unsigned char> shared_memory() const { return {shared_begin_, shared_end_}; }

    /// Another launch that a device may as well make of it: the last block comes first, and shared
    /// memory starts with zeros, where else no float is a number and no integer small.
    void turn_around() {
        last_block_first_ = true;
        shared_start_ = 0;
    }

    /// The heap that threads keep their checkpoints in; null: they keep none there.
    void keep_checkpoints_in(CheckpointHeap* heap) { heap_ = heap; }

    /// Runs a grid of `blocks`, or of it only the block `only`, if that is not empty. `backwards`:
    /// where several threads could go on, the last one does first; a kernel that does not order its
    /// threads may compute something else then. `watch`: is told what the threads do; may be null.
    void run(std::array<std::uint32_t, 3> blocks, const std::vector<std::uint32_t>& only,
             bool backwards, void* globals, std::uint64_t global_bytes, void* parameters,
             WriteWatch* watch = nullptr);

  private:
    enum class State { ready, at_barrier, in_warp, asks_active, ended };
    struct Thread {
        std::unique_ptr<Fibre> fibre;
        CudaGrid* grid = nullptr;
        std::array<std::uint32_t, 3> place{};
        State state = State::ended;
        const void* site = nullptr; ///< of the barrier or question it waits at
        WarpOperation operation = WarpOperation::shuffle;
        std::uint32_t mask = 0;
        WarpLane lane;
        void* innermost_loop = nullptr; ///< what the instrumented text keeps for it
        std::uint32_t subscript = 0;
    };

    void run_block(std::uint32_t block, std::array<std::uint32_t, 3> blocks);
    void go_on(Thread& thread);
    void wait(Thread& thread, State state);
    /// Makes threads ready that all wait for each other; false: none can go on.
    bool release();
    bool release_questions();
    bool release_barrier();
    /// Runs the warp operation that the thread waits in; false: not all lanes have come.
    bool try_warp(Thread& thread);
    std::size_t first_of_warp(std::size_t thread) const { return thread / warp_size * warp_size; }
    void report_divergence();
    ThreadMoment moment() const; ///< of the current thread

    static void barrier(const void* site);
    static std::uint32_t active(const void* site);
    static std::uint64_t warp(std::uint32_t operation, std::uint32_t mask, std::uint64_t value,
                              std::uint64_t argument);
    static void sample_texture(std::uint64_t texture, std::uint32_t form, const float* coordinates,
                               float level, void* texel);
    static void fetch_texel(std::uint64_t texture, std::uint32_t form, const int* coordinates,
                            int level, void* texel);
    static void* surface_texel(std::uint64_t surface, std::uint32_t form, const int* coordinates,
                               std::uint64_t bytes);
    static void ptx(const char* code, const void* operands, std::uint32_t count);
    static void atomic(const void* address, std::uint32_t bytes, const void* old,
                       std::uint32_t orders);

    void* library_;
    std::string name_;
    std::array<std::uint32_t, 3> block_;
    Events events_;
    void (*kernel_)(void* parameters) = nullptr;
    bool backwards_ = false;
    void* parameters_ = nullptr;
    void* globals_ = nullptr;
    void* place_ = nullptr;           ///< SlimgradThread of the library
    void** innermost_loop_ = nullptr; ///< of an instrumented one, else null
    std::uint32_t* subscript_ = nullptr;
    unsigned char *shared_begin_ = nullptr, *shared_end_ = nullptr;
    int shared_start_ = 0xff; ///< by byte
    bool last_block_first_ = false;
    std::vector<Thread> threads_;
    Thread* current_ = nullptr;
    WriteWatch* watch_ = nullptr;
    CheckpointHeap* heap_ = nullptr;
    std::uint32_t block_index_ = 0, barriers_ = 0; ///< barriers that the block has passed
    std::vector<std::uint32_t> warp_rounds_;       ///< by warp of the block: operations done
};

} // namespace slimgrad::verify
