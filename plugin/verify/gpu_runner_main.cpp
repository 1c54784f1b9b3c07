// slimgrad-run-gpu: runs a kernel's PTX on the first CUDA device, once per sample, and writes what
// changed. Takes a plan and writes results as slimgrad-run does (run_results.h).
//
//   slimgrad-run-gpu --library k.ptx --entry gradMain --first 0 --samples 32 < plan.json > results
//   slimgrad-run-gpu --device     prints the device, "90 NVIDIA H200", or why there is none
//
// Not sandboxed as slimgrad-run is: the CUDA driver opens devices, maps memory without end and
// starts threads. What the kernel does to memory happens on the device, which keeps it to what this
// process allocated there. Exit: 0 the results end with a status, 2 usage, 3 the plan, the device
// or the PTX cannot be used (one line on standard error says why).

#include "plugin/verify/cuda_device.h"
#include "plugin/verify/device_heap.h"
#include "plugin/verify/device_memory.h"
#include "plugin/verify/kernel_memory.h"
#include "plugin/verify/run_results.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <new>
#include <string>

namespace {

using namespace slimgrad::verify;
using slimgrad::Result;

struct Arguments {
    std::string library, entry;
    std::uint32_t first = 0, samples = 1;
};

int unusable(const std::string& why) {
    std::fprintf(stderr, "slimgrad-run-gpu: %s\n", why.c_str());
    return 3;
}

int end_with(const std::string& status, const std::string& what) {
    return write_status(nlohmann::json{{"status", status}, {"what", what}}.dump(), stdout) ? 0 : 3;
}

/// Fills the kernel's globals; what does not fit, for one line.
std::string set_globals(const CudaDevice& device, const DeviceMemory& memory,
                        const BlockPlan& globals) {
    const std::optional<CudaDevice::Memory> variable = device.variable("SLANG_globalParams");
    if (!variable) // it uses none
        return "";
    if (variable->bytes != globals.bytes)
        return "the globals take " + std::to_string(variable->bytes) + " bytes, not " +
               std::to_string(globals.bytes) + " as reflection says";
    const Result<void> done = device.upload(*variable, memory.globals().data());
    return done ? "" : done.error().message;
}

int run_samples(const CudaDevice& device, const InputPlan& plan, const Arguments& arguments) {
    KernelMemory host(plan);
    Result<DeviceMemory> memory = DeviceMemory::allocate(device, plan, host);
    if (!memory)
        return end_with("unsupported", memory.error().message);
    CudaDevice::Launch launch{arguments.entry, plan.groups,          plan.threads,
                              nullptr,         host.block(1).size(), plan.blocks[1].offsets};
    if (const std::string problem = device.problem(launch); !problem.empty())
        return end_with("unsupported", problem);
    std::uint64_t threads = 1;
    for (const auto& extents : {plan.groups, plan.threads})
        for (const std::uint32_t extent : extents)
            threads *= extent;
    const Result<std::optional<DeviceHeap>> heap =
        DeviceHeap::allocate(device, arguments.entry, threads, plan.checkpoint_trips);
    if (!heap)
        return end_with("unsupported", heap.error().message);
    for (std::uint32_t i = 0; i < arguments.samples; ++i) {
        const std::uint32_t sample = arguments.first + i;
        host.fill(sample);
        if (!write_sample(sample, stdout))
            return 3;
        if (const Result<void> done = memory->upload(); !done)
            return end_with("failed", "cannot copy to the device: " + done.error().message);
        if (const std::string problem = set_globals(device, *memory, plan.blocks[0]);
            !problem.empty())
            return end_with("unsupported", problem);
        if (*heap)
            if (const Result<void> done = (*heap)->publish(); !done)
                return end_with("failed", "cannot copy to the device: " + done.error().message);
        launch.parameters = memory->parameters().data();
        if (const Result<void> done = device.run(launch); !done)
            return end_with("failed", "is stopped by the device: " + done.error().message);
        if (*heap) {
            const Result<std::string> overflow = (*heap)->overflow();
            if (!overflow || !overflow->empty())
                return end_with("failed", overflow ? *overflow : overflow.error().message);
        }
        if (const Result<void> done = memory->download(); !done)
            return end_with("failed", "cannot copy from the device: " + done.error().message);
        if (!host.write_changes(sample, stdout))
            return 3;
    }
    return write_status(nlohmann::json{{"status", "done"}}.dump(), stdout) ? 0 : 3;
}

bool parse(int argc, char** argv, Arguments& arguments) {
    const std::map<std::string, std::string*> texts{{"--library", &arguments.library},
                                                    {"--entry", &arguments.entry}};
    const std::map<std::string, std::uint32_t*> numbers{{"--first", &arguments.first},
                                                        {"--samples", &arguments.samples}};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (const auto text = texts.find(argv[i]); text != texts.end())
            *text->second = argv[i + 1];
        else if (const auto number = numbers.find(argv[i]); number != numbers.end())
            *number->second = static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
        else
            return false;
    }
    return argc % 2 == 1 && !arguments.library.empty() && !arguments.entry.empty();
}

int run(const Arguments& arguments) {
    InputPlan plan;
    try {
        plan = nlohmann::json::parse(std::cin).get<InputPlan>();
    } catch (const nlohmann::json::exception& error) {
        return unusable(std::string("the plan: ") + error.what());
    }
    if (plan.machine != Machine::cuda || plan.blocks.size() < 2)
        return unusable("the plan is not for the text of the CUDA target");
    std::ifstream file(arguments.library, std::ios::binary);
    const std::string code((std::istreambuf_iterator<char>(file)), {});
    if (code.empty())
        return unusable(arguments.library + " cannot be read");
    Result<CudaDevice> device = CudaDevice::open();
    if (!device)
        return unusable(device.error().message);
    if (const Result<void> loaded = device->load(code); !loaded)
        return unusable(loaded.error().message);
    std::setvbuf(stdout, nullptr, _IOFBF, 1u << 20); // as much as the pipe holds
    return run_samples(*device, plan, arguments);
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "--device") {
        const Result<CudaDevice> device = CudaDevice::open();
        if (device)
            std::printf("%u %s\n", device->capability(), device->name().c_str());
        else
            std::printf("%s\n", device.error().message.c_str());
        return device ? 0 : 3;
    }
    Arguments arguments;
    if (!parse(argc, argv, arguments)) {
        std::fputs("usage: slimgrad-run-gpu --library K.ptx --entry NAME [--first N] [--samples N] "
                   "< PLAN\n       slimgrad-run-gpu --device\n",
                   stderr);
        return 2;
    }
    try {
        return run(arguments);
    } catch (const std::bad_alloc&) {
        return unusable("out of memory");
    }
}
