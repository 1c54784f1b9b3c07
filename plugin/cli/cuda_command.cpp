#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/cuda_report.h"
#include "plugin/cli/json_report.h"
#include "plugin/cuda/cuda_text.h"
#include "plugin/cuda/frame_size.h"
#include "plugin/rewrite/rewrite_cuda.h"
#include "plugin/trial/cuda_variants.h"
#include "rewriter/atomic_write.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

/// "-DN=4" and "-D", "N=4" as "N=4". Error: another option of slangc's: there is no shader here.
Result<std::vector<std::string>> defines(const std::vector<std::string>& arguments) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].starts_with("-D"))
            return fail(fmt::format("`cuda` takes none of slangc's options but -D, not '{}': the "
                                    "shader is compiled already",
                                    arguments[i]));
        if (arguments[i] != "-D")
            result.push_back(arguments[i].substr(2));
        else if (i + 1 < arguments.size())
            result.push_back(arguments[++i]);
    }
    return result;
}

void limit(ProcessLimits& limits, const CommandLine& line) {
    if (line.timeout_seconds)
        limits.wall_clock =
            std::chrono::milliseconds(static_cast<std::int64_t>(*line.timeout_seconds * 1000));
    if (line.memory_mib)
        limits.memory_bytes = *line.memory_mib << 20;
}

Result<std::string> read_input(const std::string& path) {
    if (path != "-")
        return read_file(path);
    std::string text(std::istreambuf_iterator<char>(std::cin), {});
    if (std::cin.bad())
        return fail("standard input cannot be read");
    return text;
}

/// A threshold above every array is no reason to fail, but to be told.
void note_empty_heap(const CommandLine& line, RewrittenCuda& rewritten) {
    if (line.heap_threshold && rewritten.heap_kernels.empty())
        rewritten.notes.push_back(
            {"note",
             "heap",
             {},
             fmt::format("nothing is kept in the heap with a threshold of {} B",
                         *line.heap_threshold)});
}

/// What ptxas says of stack frames takes the place of what the contexts' sizes let expect.
void judge_frames(const CudaChoice& choice, RewrittenCuda& rewritten) {
    std::erase_if(rewritten.notes, [](const CudaRewriteNote& note) {
        return note.pass == "frame-limit" && note.severity == "warning";
    });
    for (const KernelFigures& kernel : choice.variants[choice.chosen].figures.kernels) {
        const FrameFit fit = fit_of_frame(kernel.stack_bytes);
        if (fit >= FrameFit::costly)
            rewritten.notes.push_back(
                {fit == FrameFit::unlaunchable ? "error" : "warning",
                 "frame-limit",
                 {},
                 fmt::format("'{}' has {} bytes of stack for each thread, by ptxas{}", kernel.name,
                             kernel.stack_bytes, frame_consequence(kernel.stack_bytes))});
    }
}

/// What `rewritten` has to be the result of: `text`, by the passes that are asked for, or by those
/// of them that pay.
Result<CudaOutcome> transform(const CommandLine& line, const std::string& text,
                              const std::vector<std::string>& macros) {
    CudaOutcome outcome;
    outcome.of_slang = is_slang_cuda(text);
    outcome.rewritten.text = text;
    if (!outcome.of_slang)
        return outcome;
    CudaRewriteOptions options;
    options.passes = line.passes;
    options.heap_threshold = line.heap_threshold;
    options.heap_layout = line.heap_layout;
    options.defines = read_cuda_text(text).defines;
    options.defines.insert(options.defines.end(), macros.begin(), macros.end());
    limit(options.limits, line);
    if (!line.measure) {
        Result<RewrittenCuda> rewritten = rewrite_cuda(text, options);
        if (!rewritten)
            return tl::unexpected(rewritten.error());
        outcome.rewritten = std::move(*rewritten);
        note_empty_heap(line, outcome.rewritten);
        return outcome;
    }
    NvccOptions& nvcc = outcome.measured_with;
    nvcc.arch = line.arch.value_or(nvcc.arch);
    nvcc.fast_math = line.fast_math.value_or(nvcc.fast_math);
    nvcc.extra_arguments = line.nvcc_arguments;
    nvcc.cache = line.cache;
    for (const std::string& macro : macros)
        nvcc.extra_arguments.push_back("-D" + macro);
    limit(nvcc.limits, line);
    const Result<CudaToolkit> toolkit = CudaToolkit::find();
    if (!toolkit)
        return tl::unexpected(toolkit.error());
    Result<CudaChoice> choice = choose_cuda(text, options, *toolkit, nvcc);
    if (!choice)
        return tl::unexpected(choice.error());
    outcome.rewritten = choice->variants[choice->chosen].rewritten;
    outcome.choice = std::move(*choice);
    note_empty_heap(line, outcome.rewritten);
    judge_frames(*outcome.choice, outcome.rewritten);
    return outcome;
}

/// Errors are findings, unless they are repaired.
ExitCode code_of(const RewrittenCuda& rewritten) {
    const bool left = std::any_of(
        rewritten.notes.begin(), rewritten.notes.end(),
        [&](const CudaRewriteNote& note) { return note.severity == "error" && !note.repaired; });
    return left ? ExitCode::findings : ExitCode::clean;
}

ExitCode refuse(const Error& error, ExitCode code) {
    print_error(error);
    return code;
}

} // namespace

ExitCode run_cuda(const CommandLine& line) {
    const std::string& path = line.paths.front();
    const bool json = line.format == OutputFormat::json;
    if (path.ends_with(".slang"))
        return refuse({"is a shader: `slangc -target cuda -o OUT.cu` makes the text that `cuda` "
                       "takes; slimgrad-slangc does both at once",
                       {path}},
                      ExitCode::usage);
    const Result<std::vector<std::string>> macros = defines(line.slang_arguments);
    if (!macros)
        return refuse(macros.error(), ExitCode::usage);
    const Result<std::string> text = read_input(path);
    if (!text)
        return refuse(text.error(), ExitCode::usage);
    Result<CudaOutcome> outcome = transform(line, *text, *macros);
    if (!outcome)
        return refuse({outcome.error().message, {path}}, ExitCode::failed);
    std::error_code error;
    outcome->input = path == "-" ? "" : fs::absolute(path, error).string();
    outcome->output = line.output.empty() ? "" : fs::absolute(line.output, error).string();

    if (!line.output.empty() && !fs::exists(fs::absolute(line.output, error).parent_path(), error))
        return refuse({"its folder does not exist", {line.output}}, ExitCode::usage);
    if (fs::is_directory(line.output, error))
        return refuse({"is a folder", {line.output}}, ExitCode::usage);
    if (!line.output.empty())
        if (const Result<void> written = write_file(line.output, outcome->rewritten.text); !written)
            return refuse(written.error(), ExitCode::failed);
    const ExitCode code = code_of(outcome->rewritten);
    if (json) {
        fmt::print("{}", cuda_document_json(cuda_outcome_json(*outcome), code));
        return code;
    }
    // The text has standard output for itself.
    std::FILE* const report = line.output.empty() ? stderr : stdout;
    const TextOptions options = text_options(line, report), for_notes = text_options(line, stderr);
    if (!outcome->of_slang)
        print_warning(path, "not CUDA that slangc wrote; the text is left as it is");
    fmt::print(stderr, "{}", cuda_notes_text(*outcome, for_notes.style, for_notes.directory));
    fmt::print(report, "{}", cuda_choice_text(*outcome, options.style));
    if (!line.output.empty() && !outcome->choice)
        fmt::print(report, "{}: {}\n", line.output,
                   outcome->rewritten.passes.empty()
                       ? "nothing to change"
                       : fmt::format("{}", fmt::join(outcome->rewritten.passes, ", ")));
    if (line.output.empty())
        std::fwrite(outcome->rewritten.text.data(), 1, outcome->rewritten.text.size(), stdout);
    return code;
}

} // namespace slimgrad
