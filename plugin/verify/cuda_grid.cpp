#include "plugin/verify/cuda_grid.h"

#include "plugin/verify/ptx.h"
#include "plugin/verify/texture.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

namespace slimgrad::verify {
namespace {

struct Place { // SlimgradThread of cuda_host/language.h
    std::uint32_t thread[3], block[3], threads[3], blocks[3];
};

struct MachineCalls { // SlimgradMachine
    void (*barrier)(const void*);
    std::uint32_t (*active)(const void*);
    std::uint64_t (*warp)(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t);
    void (*sample)(std::uint64_t, std::uint32_t, const float*, float, void*);
    void (*fetch)(std::uint64_t, std::uint32_t, const int*, int, void*);
    void* (*surface)(std::uint64_t, std::uint32_t, const int*, std::uint64_t);
    void (*ptx)(const char*, const void*, std::uint32_t);
    void (*atomic)(const void*, std::uint32_t, const void*, std::uint32_t);
};

/// A thread of a device has at most 512 KiB of local memory; what g++ makes of the same code takes
/// more. All stacks together are no more than this.
constexpr std::size_t most_stack = 16u << 20, all_stacks = 2ull << 30;

CudaGrid* running = nullptr; // the library's calls get no other way to it

} // namespace

CudaGrid::CudaGrid(void* library, const std::string& kernel, std::array<std::uint32_t, 3> threads,
                   Events events)
    : library_(library), name_(kernel), block_(threads), events_(events) {
    const auto find = [&](const std::string& name) { return dlsym(library, name.c_str()); };
    kernel_ = reinterpret_cast<void (*)(void*)>(find("slimgrad_call_" + kernel));
    globals_ = find("SLANG_globalParams");
    place_ = find("slimgrad_thread");
    innermost_loop_ = static_cast<void**>(find("slimgrad_innermost"));
    subscript_ = static_cast<std::uint32_t*>(find("slimgrad_subscript"));
    const auto* ends = static_cast<unsigned char* const*>(find("slimgrad_shared_ends"));
    if (ends) {
        shared_begin_ = ends[0];
        shared_end_ = ends[1];
    }
    if (auto* machine = static_cast<MachineCalls*>(find("slimgrad_machine")))
        *machine = {barrier, active, warp, sample_texture, fetch_texel, surface_texel, ptx, atomic};
    const std::size_t count = static_cast<std::size_t>(threads[0]) * threads[1] * threads[2];
    const std::size_t stack = std::min(most_stack, all_stacks / std::max<std::size_t>(count, 1));
    threads_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        Thread& thread = threads_[i];
        thread.fibre = std::make_unique<Fibre>(stack);
        thread.grid = this;
        thread.place = {static_cast<std::uint32_t>(i % threads[0]),
                        static_cast<std::uint32_t>(i / threads[0] % threads[1]),
                        static_cast<std::uint32_t>(i / threads[0] / threads[1])};
    }
}

std::string CudaGrid::problem(std::uint64_t global_bytes, std::uint64_t parameter_bytes,
                              const std::vector<std::uint64_t>& parameter_offsets) const {
    if (!kernel_ || !place_)
        return "the kernel has no entry point '" + name_ + "'";
    if (const auto* bytes =
            static_cast<const std::uint64_t*>(dlsym(library_, "slimgrad_global_bytes"));
        bytes && *bytes != global_bytes)
        return "the globals take " + std::to_string(*bytes) + " bytes, not " +
               std::to_string(global_bytes) + " as reflection says";
    const auto* layout =
        static_cast<const std::uint64_t*>(dlsym(library_, ("slimgrad_layout_" + name_).c_str()));
    if (!layout)
        return "";
    const std::vector<std::uint64_t> offsets(layout + 2, layout + 2 + layout[0]);
    if (layout[1] != parameter_bytes || offsets != parameter_offsets)
        return "the parameters of " + name_ + " are not laid out as reflection says";
    return "";
}

void CudaGrid::run(std::array<std::uint32_t, 3> blocks, const std::vector<std::uint32_t>& only,
                   bool backwards, void* globals, std::uint64_t global_bytes, void* parameters,
                   WriteWatch* watch) {
    running = this;
    watch_ = watch;
    backwards_ = backwards;
    parameters_ = parameters;
    if (globals_)
        std::memcpy(globals_, globals, global_bytes);
    const std::uint32_t count = blocks[0] * blocks[1] * blocks[2];
    if (heap_)
        heap_->publish();
    if (only.size() == 3)
        run_block((only[2] * blocks[1] + only[1]) * blocks[0] + only[0], blocks);
    else
        for (std::uint32_t block = 0; block < count; ++block)
            run_block(last_block_first_ ? count - 1 - block : block, blocks);
    if (const std::string overflow = heap_ ? heap_->overflow() : ""; !overflow.empty())
        events_.failed(overflow);
}

void CudaGrid::run_block(std::uint32_t block, std::array<std::uint32_t, 3> blocks) {
    if (shared_begin_ != shared_end_)
        std::memset(shared_begin_, shared_start_,
                    static_cast<std::size_t>(shared_end_ - shared_begin_));
    if (watch_)
        watch_->renew(shared_begin_);
    block_index_ = block;
    barriers_ = 0;
    warp_rounds_.assign(threads_.size() / warp_size + 1, 0);
    auto& place = *static_cast<Place*>(place_);
    place = {{0, 0, 0},
             {block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]},
             {block_[0], block_[1], block_[2]},
             {blocks[0], blocks[1], blocks[2]}};
    for (Thread& thread : threads_) {
        thread.state = State::ready;
        thread.innermost_loop = nullptr;
        thread.subscript = 0;
        thread.fibre->start(
            [](void* argument) {
                auto* self = static_cast<Thread*>(argument);
                self->grid->kernel_(self->grid->parameters_);
                self->state = State::ended;
            },
            &thread);
    }
    for (;;) {
        bool any = false;
        for (std::size_t i = 0; i < threads_.size(); ++i) {
            Thread& thread = threads_[backwards_ ? threads_.size() - 1 - i : i];
            if (thread.state == State::ready) {
                go_on(thread);
                any = true;
            }
        }
        if (!any && !release())
            break;
    }
    const bool all_ended = std::all_of(threads_.begin(), threads_.end(), [](const Thread& thread) {
        return thread.state == State::ended;
    });
    if (!all_ended)
        report_divergence();
}

void CudaGrid::go_on(Thread& thread) {
    current_ = &thread;
    std::memcpy(static_cast<Place*>(place_)->thread, thread.place.data(), sizeof thread.place);
    if (innermost_loop_)
        *innermost_loop_ = thread.innermost_loop;
    const std::uint64_t number =
        static_cast<std::uint64_t>(block_index_) * threads_.size() + (&thread - threads_.data());
    if (heap_)
        heap_->enter(number);
    thread.fibre->resume();
    if (const std::string fault = heap_ ? heap_->leave(number) : ""; !fault.empty())
        events_.failed(fault);
    if (watch_)
        watch_->ran(moment());
    if (innermost_loop_)
        thread.innermost_loop = *innermost_loop_;
    current_ = nullptr;
}

void CudaGrid::wait(Thread& thread, State state) {
    thread.state = state;
    if (subscript_)
        thread.subscript = *subscript_;
    thread.fibre->suspend();
}

bool CudaGrid::release() {
    for (Thread& thread : threads_) // a lane that they waited for may have ended
        if (thread.state == State::in_warp && try_warp(thread))
            return true;
    return release_questions() || release_barrier();
}

/// Lanes of one warp that ask which lanes are active at the same place of the text are.
bool CudaGrid::release_questions() {
    const auto asks = [](const Thread& thread) { return thread.state == State::asks_active; };
    const auto first = std::find_if(threads_.begin(), threads_.end(), asks);
    if (first == threads_.end())
        return false;
    const void* site = first->site;
    const std::size_t begin = first_of_warp(static_cast<std::size_t>(first - threads_.begin()));
    const std::size_t end = std::min<std::size_t>(begin + warp_size, threads_.size());
    std::uint32_t lanes = 0;
    for (std::size_t i = begin; i < end; ++i)
        if (asks(threads_[i]) && threads_[i].site == site)
            lanes |= 1u << (i - begin);
    for (std::size_t i = begin; i < end; ++i)
        if (lanes >> (i - begin) & 1) {
            threads_[i].lane.result = lanes;
            threads_[i].state = State::ready;
        }
    return true;
}

bool CudaGrid::release_barrier() {
    const void* site = threads_.front().site;
    const bool together = std::all_of(threads_.begin(), threads_.end(), [&](const Thread& thread) {
        return thread.state == State::at_barrier && thread.site == site;
    });
    if (together) {
        ++barriers_;
        for (Thread& thread : threads_)
            thread.state = State::ready;
    }
    return together;
}

bool CudaGrid::try_warp(Thread& thread) {
    const auto index = static_cast<std::size_t>(&thread - threads_.data());
    const std::size_t begin = first_of_warp(index);
    const std::size_t end = std::min<std::size_t>(begin + warp_size, threads_.size());
    std::array<WarpLane, warp_size> lanes{};
    for (std::size_t i = begin; i < end; ++i) {
        const Thread& other = threads_[i];
        if (!(thread.mask >> (i - begin) & 1) || other.state == State::ended)
            continue;
        if (other.state != State::in_warp || other.mask != thread.mask ||
            other.operation != thread.operation)
            return false;
        lanes[i - begin] = other.lane;
        lanes[i - begin].takes_part = true;
    }
    run_warp_operation(thread.operation, lanes);
    ++warp_rounds_[index / warp_size];
    for (std::size_t i = begin; i < end; ++i)
        if (lanes[i - begin].takes_part) {
            threads_[i].lane.result = lanes[i - begin].result;
            threads_[i].state = State::ready;
        }
    return true;
}

void CudaGrid::report_divergence() {
    const auto count = [&](auto predicate) {
        return std::count_if(threads_.begin(), threads_.end(), predicate);
    };
    const auto stuck = std::find_if(threads_.begin(), threads_.end(), [](const Thread& thread) {
        return thread.state == State::at_barrier;
    });
    if (stuck != threads_.end()) {
        const auto absent = count([&](const Thread& thread) {
            return thread.state != State::at_barrier || thread.site != stuck->site;
        });
        events_.divergent("waits at a barrier that " + std::to_string(absent) + " of " +
                              std::to_string(threads_.size()) + " threads do not reach",
                          stuck->subscript);
    }
    const auto lane = std::find_if(threads_.begin(), threads_.end(), [](const Thread& thread) {
        return thread.state == State::in_warp;
    });
    events_.divergent("waits in a wave operation for lanes that do not come to it",
                      lane->subscript);
}

ThreadMoment CudaGrid::moment() const {
    const auto index = static_cast<std::uint32_t>(current_ - threads_.data());
    const std::uint32_t warp = index / warp_size;
    return {block_index_, index, warp, barriers_, warp_rounds_[warp]};
}

void CudaGrid::barrier(const void* site) {
    Thread& thread = *running->current_;
    thread.site = site;
    running->wait(thread, State::at_barrier);
}

std::uint32_t CudaGrid::active(const void* site) {
    Thread& thread = *running->current_;
    thread.site = site;
    running->wait(thread, State::asks_active);
    return static_cast<std::uint32_t>(thread.lane.result);
}

std::uint64_t CudaGrid::warp(std::uint32_t operation, std::uint32_t mask, std::uint64_t value,
                             std::uint64_t argument) {
    Thread& thread = *running->current_;
    thread.operation = static_cast<WarpOperation>(operation);
    thread.mask = mask;
    thread.lane = {false, value, argument, 0};
    thread.state = State::in_warp;
    if (running->watch_)
        running->watch_->ran(running->moment());
    running->try_warp(thread);
    if (thread.state == State::in_warp)
        running->wait(thread, State::in_warp);
    thread.state = State::ready;
    return thread.lane.result;
}

void CudaGrid::sample_texture(std::uint64_t texture, std::uint32_t form, const float* coordinates,
                              float, void* texel) {
    const Texel result = sample(*reinterpret_cast<const HostTexture*>(texture),
                                static_cast<TextureForm>(form), coordinates);
    std::memcpy(texel, result.data(), sizeof result);
}

void CudaGrid::fetch_texel(std::uint64_t texture, std::uint32_t form, const int* coordinates, int,
                           void* texel) {
    const Texel result = fetch(*reinterpret_cast<const HostTexture*>(texture),
                               static_cast<TextureForm>(form), coordinates);
    std::memcpy(texel, result.data(), sizeof result);
}

void* CudaGrid::surface_texel(std::uint64_t surface, std::uint32_t form, const int* coordinates,
                              std::uint64_t bytes) {
    const auto& texture = *reinterpret_cast<const HostTexture*>(surface);
    if (bytes != static_cast<std::uint64_t>(texture.components) * size_of(texture.kind))
        running->events_.unsupported("it converts the texels of a surface");
    const int at[3] = {coordinates[0] / static_cast<int>(bytes), coordinates[1], coordinates[2]};
    return coordinates[0] < 0 ? nullptr : address(texture, static_cast<TextureForm>(form), at);
}

void CudaGrid::ptx(const char* code, const void* operands, std::uint32_t count) {
    const auto lane =
        static_cast<std::uint32_t>((running->current_ - running->threads_.data()) % warp_size);
    const auto* const arguments = static_cast<const PtxOperand*>(operands);
    const PtxReduction reduction = ptx_reduction(code, arguments, count);
    std::array<unsigned char, 8> old{};
    if (reduction.bytes > 0)
        std::memcpy(old.data(), reduction.address, reduction.bytes);
    const std::string unknown = run_ptx(code, arguments, count, lane);
    if (!unknown.empty())
        running->events_.unsupported("it has the PTX instruction " + unknown);
    if (reduction.bytes > 0)
        atomic(reduction.address, reduction.bytes, old.data(), reduction.integer);
}

void CudaGrid::atomic(const void* address, std::uint32_t bytes, const void* old,
                      std::uint32_t orders) {
    if (running->watch_)
        running->watch_->atomic(running->moment(), address, bytes, old, orders != 0);
}

} // namespace slimgrad::verify
