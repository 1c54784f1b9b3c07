#include "plugin/verify/cpu_library.h"

#include "plugin/process/sandbox.h"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <optional>

namespace slimgrad::verify {
namespace {

/// "FILE:LINE:COLUMN: error: MESSAGE" of the first error.
Error first_error(const std::string& output) {
    constexpr std::string_view mark = ": error: ";
    std::size_t at = output.find(mark);
    std::size_t length = mark.size();
    if (at == std::string::npos) {
        at = output.find(": fatal error: ");
        length = std::string_view(": fatal error: ").size();
    }
    if (at == std::string::npos)
        return {output.substr(0, output.find('\n'))};
    const std::size_t start = output.rfind('\n', at) + 1;
    Error error{output.substr(at + length, output.find('\n', at) - at - length)};
    std::string where = output.substr(start, at - start);
    if (const std::size_t column = where.rfind(':'); column != std::string::npos)
        where.resize(column); // a column of the emitted text says nothing about the shader
    const std::size_t colon = where.rfind(':');
    if (colon != std::string::npos) {
        error.place.file = where.substr(0, colon);
        std::from_chars(where.data() + colon + 1, where.data() + where.size(), error.place.line);
    }
    return error;
}

} // namespace

Result<std::vector<CpuLibrary>> CpuLibraries::compile(const std::vector<std::string>& texts,
                                                      const ProcessLimits& limits, CpuBuild build) {
    std::map<std::string, std::future<Result<CpuLibrary>>> running;
    for (std::size_t begin = 0; begin < texts.size();) {
        for (; begin < texts.size() && running.size() < 2; ++begin) {
            const std::string& text = texts[begin];
            if (known_.contains({build, text}) || running.contains(text))
                continue;
            const std::string stem = fmt::format("{}/kernel-{}", folder_, compiled_++);
            running.emplace(text,
                            std::async(std::launch::async, [this, &text, stem, &limits, build] {
                                return compile_one(text, stem, limits, build);
                            }));
        }
        std::optional<Error> error;
        for (auto& [text, future] : running) {
            Result<CpuLibrary> library = future.get();
            if (library)
                known_.emplace(std::pair{build, text}, *library);
            else
                error = library.error();
        }
        running.clear();
        if (error)
            return tl::unexpected(*error);
    }
    std::vector<CpuLibrary> result;
    for (const std::string& text : texts) {
        result.push_back(known_.at({build, text}));
        accidents_ += result.back().accident ? 1 : 0;
    }
    return result;
}

Result<CpuLibrary> CpuLibraries::compile_one(const std::string& text, const std::string& stem,
                                             const ProcessLimits& limits, CpuBuild build) const {
    const std::string name = std::filesystem::path(stem).filename().string();
    const std::string source = stem + ".cpp";
    std::ofstream file(source, std::ios::binary);
    if (!file.write(text.data(), static_cast<std::streamsize>(text.size())) || !file.flush())
        return fail(fmt::format("cannot write {}", source));
    file.close();
    CpuLibrary library{stem + ".so", {}};
    ProcessOptions process;
    // -Og: a kernel runs for milliseconds, and g++ takes twice as long for -O1, most of it to split
    // up the compiler's contexts.
    process.arguments = {compiler_,     "-std=c++17", "-Og",       "-ffp-contract=off",
                         "-shared",     "-fPIC",      "-w",        "-fdiagnostics-color=never",
                         name + ".cpp", "-o",         name + ".so"};
    if (build == CpuBuild::sanitized)
        // Not inlined: where an index leaves its array is a function of Slang's; its caller, which
        // a report has to name, is the shader's. Only a full -g would tell inlined ones apart, and
        // takes g++ twice as long.
        for (const char* option : {"-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                   "-fno-sanitize=shift-base", "-fwrapv", "-fno-inline", "-g1"})
            process.arguments.emplace_back(option);
    // Relative names of #line get this folder before them in reports.
    process.working_directory = folder_;
    process.environment = {"LC_ALL=C"};
    process.limits = limits;
    process.limits.file_bytes = 256u << 20;
    const Result<ProcessResult> result = run_process(process);
    if (!result)
        return tl::unexpected(result.error());
    if (result->succeeded()) {
        if (const Result<void> readable = let_sandbox_read(library.path); !readable)
            return tl::unexpected(readable.error());
        return library;
    }
    library.path.clear();
    library.accident = result->end != ProcessEnd::exited ||
                       result->err.find("internal compiler error") != std::string::npos ||
                       result->err.find("No space left") != std::string::npos;
    if (result->end != ProcessEnd::exited)
        library.rejection = {
            fmt::format("{} {}", compiler_, describe_end(*result, process.limits))};
    else
        library.rejection = first_error(result->err);
    return library;
}

} // namespace slimgrad::verify
