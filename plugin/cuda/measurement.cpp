#include "plugin/cuda/measurement.h"

#include "plugin/cache/json_fields.h"
#include "plugin/cache/program_identity.h"
#include "plugin/rewrite/content_hash.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace slimgrad {

SLIMGRAD_JSON_OF_ALL_FIELDS(KernelFigures, name, direction, device_function, registers, stack_bytes,
                            spill_store_bytes, spill_load_bytes, code_bytes, local_loads,
                            local_stores, global_loads, global_stores, atomics, shared_accesses,
                            instructions, loops, unknown_loops, executed, estimate, warps_per_sm,
                            block_size)
SLIMGRAD_JSON_OF_ALL_FIELDS(NvccResult, status, detail, place, kernels, duration, command,
                            remembered)

namespace {

namespace fs = std::filesystem;

/// What nvcc, by its profile, its parts and its host compiler read of the environment. Not PATH:
/// what is found on it counts instead.
const std::vector<std::string_view> variables{"NV*",
                                              "CUDA*",
                                              "CICC*",
                                              "PTXAS_*",
                                              "OCG_*",
                                              "LLVM*",
                                              "INCLUDES",
                                              "SYSTEM_INCLUDES",
                                              "LIBRARIES",
                                              "LD_*",
                                              "CPATH",
                                              "C_INCLUDE_PATH",
                                              "CPLUS_INCLUDE_PATH",
                                              "GCC_*",
                                              "G++_*",
                                              "BINUTILS_*",
                                              "COMPILER_PATH",
                                              "LPATH",
                                              "LIBRARY_PATH",
                                              "DEPENDENCIES_OUTPUT",
                                              "SUNPRO_DEPENDENCIES",
                                              "SOURCE_DATE_EPOCH",
                                              "LANG",
                                              "LANGUAGE",
                                              "LC_*"};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// The user's arguments, those in the environment included.
std::vector<std::string> user_arguments(const NvccOptions& options) {
    std::vector<std::string> arguments = options.extra_arguments;
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "PTXAS_FLAGS",
                             "CUDAFE_FLAGS", "INCLUDES", "SYSTEM_INCLUDES"}) {
        std::istringstream words(variable(name));
        for (std::string word; words >> word;)
            arguments.push_back(std::move(word));
    }
    return arguments;
}

bool may_name_file(const std::string& argument) {
    static constexpr std::array<std::string_view, 10> options{"-I",
                                                              "-isystem",
                                                              "--system-include",
                                                              "--include-path",
                                                              "-include",
                                                              "--pre-include",
                                                              "-optf",
                                                              "--options-file",
                                                              "-ccbin",
                                                              "--compiler-bindir"};
    std::error_code error;
    return argument.find_first_of("/@") != std::string::npos || fs::exists(argument, error) ||
           std::any_of(options.begin(), options.end(),
                       [&](std::string_view option) { return argument.starts_with(option); });
}

/// "-lineinfo", "-G", "-g" and the like: the places of instructions become part of the code.
bool keeps_lines(const std::string& argument) {
    static constexpr std::array<std::string_view, 9> options{
        "-l",          "--generate-line-info", "-G", "--device-debug", "-g", "--debug",
        "-src-in-ptx", "--source-in-ptx",      "-X"};
    return std::any_of(options.begin(), options.end(),
                       [&](std::string_view option) { return argument.starts_with(option); });
}

/// nvcc's launcher leads to the toolkit, and that to its parts.
std::string toolkit_identity(const CudaToolkit& toolkit) {
    std::string identity = program_identity(toolkit.nvcc) + program_identity(toolkit.nvdisasm);
    for (const std::string& nvcc : started_programs(toolkit.nvcc)) {
        const std::string root = fs::path(nvcc).parent_path().parent_path().string();
        for (const char* part : {"bin/nvcc.profile", "bin/ptxas", "bin/cudafe++", "bin/fatbinary",
                                 "nvvm/bin/cicc", "nvvm/libdevice/libdevice.10.bc"})
            identity += file_identity(root + '/' + part);
    }
    const std::string host = variable("NVCC_CCBIN");
    for (const std::string& program :
         {std::string("gcc"), std::string("g++"), std::string("sh"), host})
        identity += program_identity(program);
    return identity;
}

std::string limits_text(const ProcessLimits& limits) {
    return fmt::format("{} {} {} {} {} {} {}", limits.wall_clock.count(), limits.memory_bytes,
                       limits.output_bytes, limits.resident_bytes, limits.cpu_seconds,
                       limits.file_bytes.value_or(0), limits.stack_bytes);
}

} // namespace

std::string encode(const NvccResult& result) {
    return to_bytes(result);
}

std::optional<NvccResult> decode_nvcc_result(std::string_view bytes) {
    return from_bytes<NvccResult>(bytes);
}

std::string without_line_directives(std::string_view cuda_text) {
    constexpr std::string_view directive = "\n#line ";
    const std::size_t first = cuda_text.find(directive);
    if (first == std::string_view::npos)
        return std::string(cuda_text);
    for (const std::string_view seen : {"__LINE__", "__FILE__", "assert", "__builtin"})
        if (cuda_text.substr(first).find(seen) != std::string_view::npos)
            return std::string(cuda_text);
    std::string text;
    text.reserve(cuda_text.size());
    while (!cuda_text.empty()) {
        const std::size_t begin = std::min(cuda_text.find(directive), cuda_text.size());
        text += cuda_text.substr(0, begin);
        cuda_text.remove_prefix(begin);
        if (!cuda_text.empty()) // the line break behind the directive stays: it may begin the next
            cuda_text.remove_prefix(std::min(cuda_text.find('\n', 1), cuda_text.size()));
    }
    return text;
}

std::optional<MeasurementKeys> measurement_keys(const CudaToolkit& toolkit,
                                                const std::string& cuda_text,
                                                const NvccOptions& options) {
    const std::vector<std::string> arguments = user_arguments(options);
    if (std::any_of(arguments.begin(), arguments.end(), may_name_file))
        return std::nullopt;
    ContentHash hash;
    hash.add(own_identity()).add(toolkit_identity(toolkit)).add(environment_identity(variables));
    hash.add(options.arch).add(options.fast_math ? "fast" : "precise");
    hash.add(std::to_string(options.extra_arguments.size()));
    for (const std::string& argument : options.extra_arguments)
        hash.add(argument);
    hash.add(std::to_string(options.block_sizes.size()));
    for (const auto& [kernel, size] : options.block_sizes)
        hash.add(kernel).add(std::to_string(size));
    hash.add(limits_text(options.limits));
    // Without the lines: where the texts are the same without them, the same loops are meant.
    hash.add(options.estimate ? "estimate" : "").add(std::to_string(options.loop_trips.size()));
    for (const LoopTrips& loop : options.loop_trips)
        hash.add(std::to_string(loop.trips)).add(std::to_string(loop.step));
    const bool lines = std::any_of(arguments.begin(), arguments.end(), keeps_lines);
    ContentHash exact = hash;
    return MeasurementKeys{hash.add(lines ? cuda_text : without_line_directives(cuda_text)).hex(),
                           exact.add(cuda_text).hex()};
}

bool is_lasting(const NvccResult& result) {
    static constexpr std::array<std::string_view, 5> machine{"No space", "writ", "open", "memory",
                                                             "ermission"};
    return result.status == NvccStatus::succeeded ||
           (result.status == NvccStatus::rejected &&
            std::none_of(machine.begin(), machine.end(), [&](std::string_view word) {
                return result.detail.find(word) != std::string::npos;
            }));
}

} // namespace slimgrad
