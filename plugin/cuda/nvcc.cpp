#include "plugin/cuda/nvcc.h"
#include "plugin/cache/result_cache.h"
#include "plugin/cuda/cuda_text.h"
#include "plugin/cuda/elf_cubin.h"
#include "plugin/cuda/measurement.h"
#include "plugin/cuda/nvcc_diagnostics.h"
#include "plugin/cuda/occupancy.h"
#include "plugin/cuda/ptxas_log.h"
#include "plugin/cuda/sass_cost.h"
#include "plugin/process/temporary_directory.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace slimgrad {
namespace {

constexpr std::uint32_t default_block_size = 128, smallest_block_size = 32;

std::uint32_t block_size_of(const std::string& kernel, const NvccOptions& options) {
    auto found = options.block_sizes.find(kernel);
    for (std::string_view suffix : {"_bwd_diff", "_fwd_diff"})
        if (found == options.block_sizes.end() && kernel.ends_with(suffix))
            found = options.block_sizes.find(kernel.substr(0, kernel.size() - suffix.size()));
    if (found == options.block_sizes.end() || found->second < smallest_block_size)
        return default_block_size;
    return found->second;
}

/// `form`: what the text is compiled to, and for what.
std::vector<std::string> nvcc_arguments(std::vector<std::string> form, const CudaText& text,
                                        const NvccOptions& options) {
    std::vector<std::string> arguments = std::move(form);
    if (options.fast_math)
        arguments.push_back("--use_fast_math");
    for (const std::string& define : text.defines)
        arguments.push_back("-D" + define);
    if (!text.has_kernel())
        arguments.push_back("-rdc=true");
    arguments.insert(arguments.end(), options.extra_arguments.begin(),
                     options.extra_arguments.end());
    return arguments;
}

/// The user's own flags that nvcc takes from the environment: they change figures, so reports show
/// them.
std::string user_flags() {
    std::string flags;
    for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
        if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
            flags += fmt::format("{}='{}' ", variable, value);
    return flags;
}

/// What is known of the functions with code of their own, by symbol.
struct MeasuredFunction {
    CubinFunction code;
    PtxasFunction log;
    SassCost cost;
};
using Measured = std::map<std::string, MeasuredFunction>;

Measured join(const std::vector<CubinFunction>& functions, const std::vector<PtxasFunction>& log) {
    Measured measured;
    for (const CubinFunction& function : functions)
        measured[function.symbol].code = function;
    for (const PtxasFunction& entry : log) {
        if (auto own = measured.find(entry.symbol); own != measured.end()) {
            own->second.log = entry;
        } else if (auto kernel = measured.find(entry.kernel); kernel != measured.end()) {
            // An out-of-line function in the kernel's own code: its frame is in the kernel's, its
            // spills are not.
            kernel->second.log.spill_store_bytes += entry.spill_store_bytes;
            kernel->second.log.spill_load_bytes += entry.spill_load_bytes;
        }
    }
    return measured;
}

/// All functions that `symbol` calls, itself included. Only with -rdc=true are there others.
void collect_reachable(const Measured& measured, const std::string& symbol,
                       std::set<std::string>& reachable) {
    if (!reachable.insert(symbol).second)
        return;
    for (const std::string& callee : measured.at(symbol).code.callees)
        collect_reachable(measured, callee, reachable);
}

/// Frames lie on top of each other along the deepest chain of calls. A recursion counts once: ptxas
/// knows no depth.
std::uint32_t deepest_stack(const Measured& measured, const std::string& symbol,
                            std::set<std::string>& chain) {
    if (!chain.insert(symbol).second)
        return 0;
    const MeasuredFunction& function = measured.at(symbol);
    std::uint32_t deepest = 0;
    for (const std::string& callee : function.code.callees)
        deepest = std::max(deepest, deepest_stack(measured, callee, chain));
    chain.erase(symbol);
    return function.log.stack_bytes + deepest;
}

void add(const SassCost& cost, KernelFigures& figures) {
    figures.global_loads += cost.global_loads;
    figures.global_stores += cost.global_stores;
    figures.atomics += cost.atomics;
    figures.shared_accesses += cost.shared_accesses;
    figures.instructions += cost.instructions;
    figures.loops += cost.loops;
    figures.unknown_loops += cost.unknown_loops;
    constexpr double most = 1e18; // nested loops with high bounds
    figures.executed = static_cast<std::uint64_t>(
        std::min(most, static_cast<double>(figures.executed) + cost.executed));
    figures.estimate = static_cast<std::uint64_t>(
        std::min(most, static_cast<double>(figures.estimate) + cost.slots));
}

KernelFigures add_up(const Measured& measured, const std::string& symbol) {
    KernelFigures figures;
    std::set<std::string> reachable, chain;
    collect_reachable(measured, symbol, reachable);
    figures.stack_bytes = deepest_stack(measured, symbol, chain);
    for (const std::string& name : reachable) {
        const MeasuredFunction& function = measured.at(name);
        figures.registers = std::max(
            {figures.registers, function.log.registers, function.code.registers.value_or(0)});
        figures.spill_store_bytes += function.log.spill_store_bytes;
        figures.spill_load_bytes += function.log.spill_load_bytes;
        figures.code_bytes += function.code.code_bytes;
        figures.local_loads += function.code.local_loads;
        figures.local_stores += function.code.local_stores;
        add(function.cost, figures);
    }
    return figures;
}

std::vector<KernelFigures> figures_of(const CudaText& text, const Measured& measured,
                                      const MultiprocessorLimits& limits,
                                      const NvccOptions& options) {
    std::map<std::string, std::string> symbols; // by plain name
    for (const auto& [symbol, function] : measured)
        symbols.emplace(plain_name(symbol), symbol);
    std::vector<KernelFigures> kernels;
    for (const CudaFunction& function : text.functions) {
        auto symbol = symbols.find(function.name);
        if (symbol == symbols.end() || !(text.has_kernel() ? function.kernel : function.exported))
            continue;
        KernelFigures figures = add_up(measured, symbol->second);
        figures.name = shader_name(function.name);
        figures.direction = function.backward ? Direction::backward : Direction::forward;
        figures.device_function = !function.kernel;
        figures.block_size = block_size_of(figures.name, options);
        figures.warps_per_sm =
            warps_per_multiprocessor(limits, figures.registers, figures.block_size);
        kernels.push_back(std::move(figures));
    }
    return kernels;
}

/// The result of a run that made no cubin. Error: it is not the text's fault.
Result<NvccResult> explain_failure(const ProcessResult& process, const ProcessLimits& limits,
                                   const std::string& generated_file) {
    NvccResult result;
    result.detail = "nvcc " + describe_end(process, limits);
    const std::string messages = process.err + process.out;
    std::optional<int> signal = signal_of_subprocess(messages);
    if (!signal && process.end == ProcessEnd::exited && process.exit_code > 128)
        signal =
            process.exit_code - 128; // as a shell tells it: nvcc starts its programs through one
    if (process.end == ProcessEnd::timed_out) {
        result.status = NvccStatus::timed_out;
    } else if (process.end == ProcessEnd::out_of_memory) {
        result.status = NvccStatus::out_of_memory;
    } else if (process.end == ProcessEnd::killed) {
        result.status = NvccStatus::killed;
    } else if (signal) {
        result.status = NvccStatus::crashed;
        ProcessResult of_signal;
        of_signal.end = ProcessEnd::signalled;
        of_signal.signal = *signal;
        result.detail = "nvcc " + describe_end(of_signal, limits);
    } else if (process.end != ProcessEnd::exited) {
        result.status = NvccStatus::crashed;
    } else if (auto refusal = nvcc_refusal(messages)) {
        return fail(fmt::format("nvcc: {}", *refusal));
    } else if (auto error = first_nvcc_error(messages)) {
        result.status = NvccStatus::rejected;
        result.detail = error->message;
        result.place = error->place;
        if (result.place.file == generated_file) // Slang's prelude: no line of the shader
            result.place.file = "generated CUDA";
    } else {
        return fail(fmt::format("nvcc ended with {}: {}", describe_end(process, limits),
                                messages.substr(0, messages.find('\n'))));
    }
    return result;
}

/// What came of one run of nvcc.
struct NvccRun {
    NvccResult result; ///< its status, and the detail of a failure
    std::string
        bytes; ///< of the file that nvcc made, which lies at `file` as long as `folder` does
    std::string messages;
    std::string file;
    TemporaryDirectory folder;
};

Result<NvccRun> run_nvcc(const CudaToolkit& toolkit, const std::string& cuda_text,
                         const std::vector<std::string>& arguments, const ProcessLimits& limits) {
    auto folder = TemporaryDirectory::create();
    if (!folder)
        return tl::unexpected(folder.error());
    const std::string source = folder->path() + "/module.cu", made = folder->path() + "/module.out";
    std::ofstream file(source, std::ios::binary);
    file << cuda_text;
    if (!file.flush())
        return fail("cannot write the CUDA text", {source});

    ProcessOptions options;
    options.arguments = {toolkit.nvcc};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    options.arguments.insert(options.arguments.end(), {"-o", made, source});
    options.environment = {"TMPDIR=" +
                           folder->path()}; // what a killed nvcc leaves goes with the folder
    options.limits = limits;
    auto process = run_process(options);
    if (!process)
        return tl::unexpected(process.error());
    NvccRun run{{}, "", process->err + process->out, made, std::move(*folder)};
    if (!process->succeeded()) {
        auto failure = explain_failure(*process, limits, source);
        if (!failure)
            return tl::unexpected(failure.error());
        run.result = std::move(*failure);
    } else {
        std::ifstream stream(made, std::ios::binary);
        run.bytes.assign(std::istreambuf_iterator<char>(stream), {});
    }
    run.result.command = user_flags() + fmt::format("nvcc {}", fmt::join(arguments, " "));
    return run;
}

Result<std::string> disassemble(const CudaToolkit& toolkit, const std::string& cubin,
                                const ProcessLimits& limits) {
    ProcessOptions options;
    options.arguments = {toolkit.nvdisasm, "-c", "-ndf", "-g", cubin};
    options.limits = limits;
    auto result = run_process(options);
    if (!result)
        return tl::unexpected(result.error());
    if (!result->succeeded())
        return fail(fmt::format("nvdisasm {}: {}", describe_end(*result, limits),
                                result->err.substr(0, result->err.find('\n'))));
    return std::move(result->out);
}

Result<NvccResult> measure_anew(const CudaToolkit& toolkit, const std::string& cuda_text,
                                const NvccOptions& options) {
    auto limits = multiprocessor_limits(options.arch);
    if (!limits)
        return tl::unexpected(limits.error());
    const CudaText text = read_cuda_text(cuda_text);
    std::vector<std::string> form{"-cubin", "-arch=" + options.arch, "--ptxas-options=-v", "-w"};
    if (!options.loop_trips.empty())
        form.push_back("-lineinfo"); // changes no code, which a test looks after
    const std::vector<std::string> arguments = nvcc_arguments(std::move(form), text, options);
    const auto run = run_nvcc(toolkit, cuda_text, arguments, options.limits);
    if (!run)
        return tl::unexpected(run.error());
    NvccResult result = run->result;
    if (!result.succeeded())
        return result;

    auto functions = read_cubin(run->bytes);
    if (!functions)
        return tl::unexpected(functions.error());
    Measured measured = join(*functions, parse_ptxas_log(run->messages));
    if (options.estimate) {
        const auto disassembly = disassemble(toolkit, run->file, options.limits);
        if (!disassembly)
            return tl::unexpected(disassembly.error());
        for (const auto& [symbol, code] : read_sass(*disassembly))
            if (const auto function = measured.find(std::string(symbol));
                function != measured.end())
                function->second.cost = estimate_cost(code, options.loop_trips);
    }
    result.kernels = figures_of(text, measured, *limits, options);
    return result;
}

Result<NvccResult> measure_timed(const CudaToolkit& toolkit, const std::string& cuda_text,
                                 const NvccOptions& options) {
    const auto began = std::chrono::steady_clock::now();
    Result<NvccResult> result = measure_anew(toolkit, cuda_text, options);
    if (result)
        result->duration = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - began);
    return result;
}

} // namespace

std::string plain_name(const std::string& symbol) {
    if (!symbol.starts_with("_Z")) // extern "C"; a short one could be read as a mangled type
        return symbol;
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> demangled(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    if (status != 0 || !demangled)
        return symbol;
    std::string_view name = demangled.get();
    name = name.substr(0, name.find_first_of("(<"));
    if (std::size_t start = name.find_last_of(" :"); start != name.npos)
        name.remove_prefix(start + 1);
    return std::string(name);
}

Result<PtxResult> compile_to_ptx(const CudaToolkit& toolkit, const std::string& cuda_text,
                                 const NvccOptions& options) {
    constexpr std::string_view real = "sm_";
    const std::string arch = options.arch.starts_with(real)
                                 ? "compute_" + options.arch.substr(real.size())
                                 : options.arch;
    auto run = run_nvcc(
        toolkit, cuda_text,
        nvcc_arguments({"-ptx", "-arch=" + arch, "-w"}, read_cuda_text(cuda_text), options),
        options.limits);
    if (!run)
        return tl::unexpected(run.error());
    const NvccResult& result = run->result;
    return PtxResult{result.status, result.detail, result.place, std::move(run->bytes)};
}

Result<NvccResult> measure(const CudaToolkit& toolkit, const std::string& cuda_text,
                           const NvccOptions& options) {
    const auto keys = options.cache ? measurement_keys(toolkit, cuda_text, options) : std::nullopt;
    if (!keys)
        return measure_timed(toolkit, cuda_text, options);
    constexpr const char *figures = "nvcc figures", *rejection = "nvcc rejection";
    ResultCache& cache = *options.cache;
    const ResultCache::Turn turn = cache.take_turn(figures, keys->figures);
    for (const auto& [kind, key] :
         {std::pair(figures, keys->figures), std::pair(rejection, keys->rejection)})
        if (const std::optional<std::string> known = cache.get(kind, key))
            if (std::optional<NvccResult> result = decode_nvcc_result(*known)) {
                result->remembered = true;
                return std::move(*result);
            }
    Result<NvccResult> result = measure_timed(toolkit, cuda_text, options);
    if (result && is_lasting(*result)) {
        const bool succeeded = result->succeeded();
        cache.put(succeeded ? figures : rejection, succeeded ? keys->figures : keys->rejection,
                  encode(*result));
    }
    return result;
}

} // namespace slimgrad
