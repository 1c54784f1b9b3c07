// slimgrad-run: calls an entry point of a kernel that was compiled for the CPU, once per sample,
// and writes what changed. Run as a sandboxed child with limits: the kernel may hang, crash, write
// anywhere. Everything runs on the first thread, whose stack is as long as RLIMIT_STACK says.
//
//   slimgrad-run --library k.so --entry gradMain --first 0 --samples 32 < plan.json > results
//
// Opens no file but the library. The results are those of run_results.h. Exit: 0 they end with a
// status, 2 usage, 3 the plan or the library cannot be used.

#include "plugin/process/syscall_filter.h"
#include "plugin/verify/checkpoint_heap.h"
#include "plugin/verify/cuda_grid.h"
#include "plugin/verify/kernel_memory.h"
#include "plugin/verify/run_results.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace slimgrad::verify;

struct GroupRange { // ComputeVaryingInput of Slang's C++ prelude
    std::uint32_t start[3] = {0, 0, 0};
    std::uint32_t end[3] = {1, 1, 1};
};
using EntryFunction = void (*)(GroupRange*, void* parameters, void* globals);

struct RunningLoop { // slimgrad_loop of the instrumented text
    std::uint64_t heads;
    const RunningLoop* around;
    std::uint32_t id;
};

struct Hooks { // SlimgradHooks of the instrumented text
    void (*out_of_range)(std::uint32_t subscript, const void* data, std::uint64_t index,
                         std::uint64_t count, const RunningLoop* innermost);
    void (*loop_ended)(std::uint32_t loop, std::uint64_t heads);
    void (*out_of_tensor)(std::uint32_t subscript, const void* data, std::uint32_t dimension,
                          std::uint64_t index, std::uint64_t count, const RunningLoop* innermost);
};

struct Run {
    std::string library, entry;
    std::uint32_t first = 0, samples = 1;
    std::uint32_t watched = 0; ///< whether conflicts between threads are looked for
    InputPlan plan;
    KernelMemory* memory = nullptr;
    std::optional<WriteWatch> watch;
    std::map<std::uint32_t, std::set<std::uint64_t>>
        heads; ///< by loop: how often a run of it passed its head
};
Run run; // the hooks get no other way to it

[[noreturn]] void leave(int code) {
    std::fflush(nullptr);
    _exit(code); // no destructors: the kernel may have written over anything
}

void report(const nlohmann::json& status) {
    write_status(status.dump(), stdout);
}

nlohmann::json index_error(std::uint32_t subscript, const void* data, std::uint64_t index,
                           std::uint64_t count, const RunningLoop* innermost) {
    const BufferPlan* buffer = run.memory->buffer_at(data);
    nlohmann::json loops = nlohmann::json::object();
    for (const RunningLoop* loop = innermost; loop; loop = loop->around)
        loops[std::to_string(loop->id)] = {loop->heads};
    return {{"status", "out_of_range"},
            {"subscript", subscript},
            {"buffer", buffer ? buffer->name : ""},
            {"index", index},
            {"count", count},
            {"loops", loops}};
}

void out_of_range(std::uint32_t subscript, const void* data, std::uint64_t index,
                  std::uint64_t count, const RunningLoop* innermost) {
    report(index_error(subscript, data, index, count, innermost));
    leave(0);
}

void out_of_tensor(std::uint32_t subscript, const void* data, std::uint32_t dimension,
                   std::uint64_t index, std::uint64_t count, const RunningLoop* innermost) {
    nlohmann::json status = index_error(subscript, data, index, count, innermost);
    status["dimension"] = dimension;
    report(status);
    leave(0);
}

void divergent(const std::string& what, std::uint32_t subscript) {
    report({{"status", "divergent"}, {"what", what}, {"subscript", subscript}});
    leave(0);
}

void unsupported(const std::string& what) {
    report({{"status", "unsupported"}, {"what", what}});
    leave(0);
}

void failed(const std::string& what) {
    report({{"status", "failed"}, {"what", what}});
    leave(0);
}

void loop_ended(std::uint32_t loop, std::uint64_t heads) {
    constexpr std::size_t most = 4096; // counts worth telling apart
    std::set<std::uint64_t>& seen = run.heads[loop];
    if (seen.size() < most)
        seen.insert(heads);
}

/// The entry point of a library made from C++ text.
std::function<void(std::uint32_t)> cpp_kernel(void* library, KernelMemory& memory,
                                              std::string& problem) {
    const auto entry = reinterpret_cast<EntryFunction>(dlsym(library, run.entry.c_str()));
    if (!entry)
        problem = "the kernel has no entry point '" + run.entry + "'";
    return [entry, &memory](std::uint32_t) {
        GroupRange groups;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            groups.end[axis] = run.plan.groups[axis];
            if (run.plan.only_group.size() != 3)
                continue;
            groups.start[axis] = run.plan.only_group[axis];
            groups.end[axis] = groups.start[axis] + 1;
        }
        entry(&groups, memory.parameters(), memory.globals());
    };
}

/// A kernel of one made from CUDA text.
std::function<void(std::uint32_t)> cuda_kernel(void* library, KernelMemory& memory) {
    const BlockPlan &globals = run.plan.blocks[0], &parameters = run.plan.blocks[1];
    const auto grid = std::make_shared<CudaGrid>(library, run.entry, run.plan.threads,
                                                 CudaGrid::Events{divergent, unsupported, failed});
    if (const std::string layout =
            grid->problem(globals.bytes, parameters.bytes, parameters.offsets);
        !layout.empty())
        unsupported(layout);
    std::uint64_t threads = 1;
    for (const auto& extents : {run.plan.groups, run.plan.threads})
        for (const std::uint32_t extent : extents)
            threads *= extent;
    const auto heap =
        std::make_shared<CheckpointHeap>(library, run.entry, threads, run.plan.checkpoint_trips);
    if (!heap->problem().empty())
        unsupported(heap->problem());
    if (heap->used())
        grid->keep_checkpoints_in(heap.get());
    if (run.plan.reversed)
        grid->turn_around();
    if (run.watched != 0) {
        std::vector<WriteWatch::Region> regions = memory.watched();
        if (const auto shared = grid->shared_memory(); !shared.empty())
            regions.push_back({shared.data(), shared.size(), {0}}); // whose types are not known
        run.watch.emplace(std::move(regions));
    }
    // Every other sample in the other order: a missing barrier rarely hides in both.
    return [grid, heap, &memory, &globals](std::uint32_t sample) {
        grid->run(run.plan.groups, run.plan.only_group, (sample % 2 == 1) != run.plan.reversed,
                  memory.globals(), globals.bytes, memory.parameters(),
                  run.watch ? &*run.watch : nullptr);
    };
}

/// Of a library that counts them (branch_text.h).
std::vector<std::uint32_t> ways_taken(void* library) {
    const auto* ways = static_cast<const unsigned char*>(dlsym(library, "slimgrad_ways"));
    const auto* count = static_cast<const std::uint32_t*>(dlsym(library, "slimgrad_way_count"));
    std::vector<std::uint32_t> taken;
    for (std::uint32_t way = 0; ways && count && way < *count; ++way)
        if (ways[way] != 0)
            taken.push_back(way);
    return taken;
}

/// Those of the launch that the watch saw.
void add_conflicts(std::uint32_t sample, nlohmann::json& conflicts) {
    for (const WriteConflict& conflict : run.watch->conflicts()) {
        std::uint64_t scalar = conflict.offset;
        if (conflict.region < run.plan.buffers.size()) {
            const BufferPlan& buffer = run.plan.buffers[conflict.region];
            scalar = conflict.offset / buffer.stride * buffer.slots.size();
            for (std::size_t slot = 1; slot < buffer.slots.size(); ++slot)
                scalar += buffer.slots[slot].offset <= conflict.offset % buffer.stride ? 1 : 0;
        }
        const auto& [first, second] = conflict.threads;
        conflicts.push_back({{"sample", sample},
                             {"buffer", conflict.region},
                             {"scalar", scalar},
                             {"groups", {first.block, second.block}},
                             {"threads", {first.thread, second.thread}}});
    }
}

int run_samples() {
    void* library = dlopen(run.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::fprintf(stderr, "slimgrad-run: %s\n", dlerror());
        return 3;
    }
    if (auto* hooks = static_cast<Hooks*>(dlsym(library, "slimgrad_hooks")))
        *hooks = {out_of_range, loop_ended, out_of_tensor};

    KernelMemory memory(run.plan);
    run.memory = &memory;
    std::string problem;
    const std::function<void(std::uint32_t)> call = run.plan.machine == Machine::cuda
                                                        ? cuda_kernel(library, memory)
                                                        : cpp_kernel(library, memory, problem);
    if (!problem.empty()) {
        std::fprintf(stderr, "slimgrad-run: %s\n", problem.c_str());
        return 3;
    }
    nlohmann::json conflicts = nlohmann::json::array();
    const auto rounds =
        static_cast<std::uint32_t>(std::max<std::size_t>(run.plan.rounds.size(), 1));
    for (std::uint32_t i = 0; i < run.samples * rounds; ++i) {
        const std::uint32_t sample = run.first + i / rounds;
        memory.fill(sample, i % rounds);
        if (!write_sample(sample, stdout))
            return 3;
        if (run.watch)
            run.watch->start();
        call(sample);
        if (run.watch)
            add_conflicts(sample, conflicts);
        if (!memory.write_changes(sample, stdout))
            return 3;
    }
    nlohmann::json status{{"status", "done"}, {"loops", nlohmann::json::object()}};
    for (const auto& [loop, heads] : run.heads)
        status["loops"][std::to_string(loop)] = heads;
    status["ways"] = ways_taken(library);
    status["conflicts"] = std::move(conflicts);
    status["all_watched"] = run.watch && run.watch->complete();
    report(status);
    return 0;
}

bool parse(int argc, char** argv) {
    const std::map<std::string, std::string*> texts{{"--library", &run.library},
                                                    {"--entry", &run.entry}};
    const std::map<std::string, std::uint32_t*> numbers{
        {"--first", &run.first}, {"--samples", &run.samples}, {"--watched", &run.watched}};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (const auto text = texts.find(argv[i]); text != texts.end())
            *text->second = argv[i + 1];
        else if (const auto number = numbers.find(argv[i]); number != numbers.end())
            *number->second = static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
        else
            return false;
    }
    return argc % 2 == 1 && !run.library.empty() && !run.entry.empty();
}

} // namespace

int main(int argc, char** argv) {
    if (!parse(argc, argv)) {
        std::fputs("usage: slimgrad-run --library K.so --entry NAME [--first N] [--samples N] "
                   "[--watched 1] < PLAN\n",
                   stderr);
        return 2;
    }
    try {
        run.plan = nlohmann::json::parse(std::cin).get<InputPlan>();
    } catch (const nlohmann::json::exception& error) {
        std::fprintf(stderr, "slimgrad-run: the plan: %s\n", error.what());
        return 3;
    }
    std::setvbuf(stdout, nullptr, _IOFBF, 1u << 20); // as much as the pipe holds
    slimgrad::allow_computation_only();
    try {
        leave(run_samples());
    } catch (const std::bad_alloc&) {
        report({{"status", "out_of_memory"}});
        leave(0);
    }
}
