#include "plugin/rewrite/rewrite_cuda.h"

#include "plugin/process/temporary_directory.h"
#include "plugin/rewrite/cache.h"
#include "plugin/rewrite/content_hash.h"
#include "rewriter/atomic_write.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_program(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

/// slimgrad-clang's arguments between its name and the input.
std::vector<std::string> arguments(const CudaRewriteOptions& options) {
    std::vector<std::string> result{
        "--passes",
        options.passes.empty() ? "none" : fmt::format("{}", fmt::join(options.passes, ","))};
    if (options.heap_threshold)
        result.insert(result.end(), {"--heap-threshold", std::to_string(*options.heap_threshold)});
    if (!options.heap_layout.empty())
        result.insert(result.end(), {"--heap-layout", options.heap_layout});
    for (const std::string& define : options.defines)
        result.insert(result.end(), {"-D", define});
    return result;
}

/// Everything the answer depends on; the program by its bytes, so that another build never gets
/// this one's answers.
Result<std::string> key_of(std::string_view text, const std::string& program,
                           const CudaRewriteOptions& options) {
    const Result<std::string> bytes = read_file(program);
    if (!bytes)
        return tl::unexpected(bytes.error());
    ContentHash hash;
    hash.add("rewritten CUDA 1").add(*bytes).add(text);
    for (const std::string& argument : arguments(options))
        hash.add(argument);
    return hash.hex();
}

std::uint32_t number(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint32_t>() : 0;
}

std::string words(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Of each thread of a kernel of the report; 0: it needs no heap.
std::uint64_t heap_bytes(const json& kernel) {
    const json* heap = kernel.is_object() && kernel.contains("heap") ? &kernel["heap"] : nullptr;
    const bool known = heap != nullptr && heap->is_object() && heap->contains("stride") &&
                       (*heap)["stride"].is_number_unsigned();
    return known ? (*heap)["stride"].get<std::uint64_t>() : 0;
}

/// What the report says; the text stays empty. Error: it is not a report.
Result<RewrittenCuda> read_report(std::string report) {
    const json object = json::parse(report, nullptr, false);
    const auto is_array = [&](const char* name) {
        return object.contains(name) && object[name].is_array();
    };
    if (!object.is_object() || !object.contains("changed") || !object["changed"].is_boolean() ||
        !is_array("passes") || !is_array("notes"))
        return fail("slimgrad-clang's answer is not understood");
    RewrittenCuda result;
    result.changed = object["changed"].get<bool>();
    for (const json& pass : object["passes"])
        if (pass.is_string())
            result.passes.push_back(pass.get<std::string>());
    for (const json& note : object["notes"])
        if (note.is_object())
            result.notes.push_back(
                {words(note, "severity"),
                 words(note, "pass"),
                 {words(note, "file"), number(note, "line"), number(note, "column")},
                 words(note, "message"),
                 note.value("repaired", json()) == json(true)});
    if (is_array("kernels"))
        for (const json& kernel : object["kernels"])
            if (const std::uint64_t bytes = heap_bytes(kernel); bytes != 0)
                result.heap_kernels.push_back({words(kernel, "name"), bytes});
    result.report = std::move(report);
    return result;
}

Result<RewrittenCuda> run(std::string_view text, const std::string& program,
                          const CudaRewriteOptions& options) {
    const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    if (!folder)
        return tl::unexpected(folder.error());
    const std::string out = folder->path() + "/out.cu";
    ProcessOptions process;
    process.arguments = {program};
    for (std::string& argument : arguments(options))
        process.arguments.push_back(std::move(argument));
    process.arguments.insert(process.arguments.end(), {"-o", out, "-"});
    process.standard_input = text;
    process.limits = options.limits;
    Result<ProcessResult> ended = run_process(process);
    if (!ended)
        return tl::unexpected(ended.error());
    if (!ended->succeeded()) {
        std::string said = first_line(ended->err);
        constexpr std::string_view name = "slimgrad-clang: error: ";
        if (said.starts_with(name))
            said.erase(0, name.size());
        return fail(ended->end == ProcessEnd::exited && !said.empty()
                        ? said
                        : "slimgrad-clang " + describe_end(*ended, options.limits));
    }
    Result<RewrittenCuda> result = read_report(std::move(ended->out));
    if (!result)
        return result;
    if (Result<std::string> written = read_file(out))
        result->text = std::move(*written);
    if (result->text.empty() || result->changed == (result->text == text))
        return fail("slimgrad-clang wrote a text that is not the one it reports");
    return result;
}

/// `value` of the cache: the report's length, a newline, the report, and where it changed the text.
std::string to_entry(const RewrittenCuda& result) {
    return fmt::format("{}\n{}{}", result.report.size(), result.report,
                       result.changed ? result.text : "");
}

std::optional<RewrittenCuda> from_entry(std::string_view entry, std::string_view text) {
    const std::size_t end = entry.find('\n');
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::uint64_t size =
        std::strtoull(std::string(entry.substr(0, end)).c_str(), nullptr, 10);
    entry.remove_prefix(end + 1);
    if (size > entry.size())
        return std::nullopt;
    Result<RewrittenCuda> result = read_report(std::string(entry.substr(0, size)));
    if (!result)
        return std::nullopt;
    result->text = result->changed ? entry.substr(size) : text;
    result->from_cache = true;
    return std::move(*result);
}

} // namespace

std::string heap_demand(const HeapKernel& kernel) {
    return fmt::format("'{}' keeps {} B for each thread in the checkpoint heap; whoever launches "
                       "it uses slimgrad_checkpoint_heap.h, else it traps",
                       kernel.name, kernel.thread_bytes);
}

std::string heap_demand(const std::vector<HeapKernel>& kernels) {
    if (kernels.empty())
        return "";
    std::string text = heap_demand(kernels.front());
    if (kernels.size() > 1)
        text += fmt::format(" (and {} more)", kernels.size() - 1);
    return text;
}

bool is_slang_cuda(std::string_view text) {
    const std::string_view start = text.substr(0, 4096);
    return start.find("#define SLANG_CUDA_PRELUDE_H") != std::string_view::npos;
}

Result<std::string> find_rewriter(const CudaRewriteOptions& options) {
    const char* variable = std::getenv("SLIMGRAD_CLANG");
    std::string program = options.program;
    std::string from;
    if (program.empty() && variable != nullptr && *variable != '\0') {
        program = variable;
        from = "SLIMGRAD_CLANG=";
    }
    std::error_code error;
    if (program.empty()) {
        const fs::path folder = options.beside.empty()
                                    ? fs::read_symlink("/proc/self/exe", error).parent_path()
                                    : fs::path(options.beside);
        program = (folder / "slimgrad-clang").string();
    }
    if (!is_program(program))
        return fail(fmt::format("{}{} is not a program", from, program));
    return fs::absolute(program, error).string();
}

Result<RewrittenCuda> rewrite_cuda(std::string_view text, const CudaRewriteOptions& options) {
    const Result<std::string> program = find_rewriter(options);
    if (!program)
        return tl::unexpected(program.error());
    const std::string folder = options.cached ? cache_folder() : "";
    const Cache cache(folder.empty() ? "" : folder + "/cuda");
    std::string key;
    if (cache) {
        Result<std::string> made = key_of(text, *program, options);
        if (!made)
            return tl::unexpected(made.error());
        key = std::move(*made);
        if (const std::optional<std::string> entry = cache.get(key))
            if (std::optional<RewrittenCuda> known = from_entry(*entry, text))
                return std::move(*known);
    }
    Result<RewrittenCuda> result = run(text, *program, options);
    if (result && cache)
        cache.put(key, to_entry(*result));
    return result;
}

} // namespace slimgrad
