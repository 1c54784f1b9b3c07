#include "plugin/nvrtc/rewritten_program.h"

#include "plugin/nvrtc/compile_options.h"
#include "plugin/nvrtc/real_library.h"
#include "plugin/nvrtc/shader_name.h"
#include "plugin/rewrite/rewrite_cuda.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>
#include <vector>

namespace slimgrad::nvrtc {
namespace {

template <class Signature> Signature real(Function function) {
    return reinterpret_cast<Signature>(real_function(function));
}

/// A real program like `record`'s, with another source; nullptr if NVRTC refuses.
Program create_like(const ProgramRecord& record, const std::string& source) {
    std::vector<const char*> texts, names;
    for (const ProgramRecord::Header& header : record.headers) {
        texts.push_back(header.text.c_str());
        names.push_back(header.include_name.c_str());
    }
    Program program = nullptr;
    if (real<CreateProgram>(Function::nvrtcCreateProgram)(
            &program, source.c_str(), record.name ? record.name->c_str() : nullptr,
            static_cast<int>(texts.size()), texts.empty() ? nullptr : texts.data(),
            names.empty() ? nullptr : names.data()) != Status::success)
        return nullptr;
    for (const std::string& expression : record.name_expressions)
        real<AddNameExpression>(Function::nvrtcAddNameExpression)(program, expression.c_str());
    if (record.flow_callback != nullptr)
        real<SetFlowCallback>(Function::nvrtcSetFlowCallback)(program, record.flow_callback,
                                                              record.flow_payload);
    return program;
}

Result<RewrittenCuda> rewrite(const ProgramRecord& record, int option_count,
                              const char* const* options, const DropInSettings& settings) {
    std::vector<std::string_view> words;
    for (int i = 0; options != nullptr && i < option_count; ++i)
        words.emplace_back(options[i] != nullptr ? options[i] : "");
    Result<std::vector<std::string>> defined = defines(words);
    if (!defined)
        return tl::unexpected(defined.error());
    CudaRewriteOptions rewriting = settings.rewrite;
    rewriting.defines = std::move(*defined);
    // build/nvrtc/libnvrtc.so and build/slimgrad-clang.
    const std::filesystem::path own(own_path());
    rewriting.beside = own.parent_path().parent_path().string();
    return rewrite_cuda(record.source, rewriting);
}

/// Once per process each, as a renderer compiles hundreds of programs; the log has them all.
void say_once(std::atomic_flag& said, std::string text) {
    if (said.test_and_set())
        return;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    fmt::print(stderr, "slimgrad: warning: {}\n", text);
}

/// Gradients that were wrong and are right now must not change in silence.
void announce_repair(const RewrittenCuda& result) {
    static std::atomic_flag said;
    constexpr std::string_view pass = "repair-extents";
    if (std::find(result.passes.begin(), result.passes.end(), pass) == result.passes.end())
        return;
    std::string text = "repaired transposed checkpoint arrays of nested loops: gradients differ "
                       "from those of slangc's own output";
    const auto note = std::find_if(result.notes.begin(), result.notes.end(),
                                   [&](const CudaRewriteNote& each) { return each.pass == pass; });
    if (note != result.notes.end())
        text += ": " + to_string(Error{note->message, note->place});
    say_once(said, std::move(text));
}

/// Who compiles at run time by way of NVRTC's interface has no heap, as a rule.
void announce_heap(const RewrittenCuda& result, const ProgramRecord& record) {
    static std::atomic_flag said;
    if (result.heap_kernels.empty())
        return;
    const std::string name(record.name ? *record.name : shader_name(record.source));
    say_once(said, (name.empty() ? "" : name + ": ") + heap_demand(result.heap_kernels));
}

std::string describe(const RewrittenCuda& result) {
    std::string text = fmt::format("changed by {}", fmt::join(result.passes, ", "));
    for (const CudaRewriteNote& note : result.notes)
        if (note.severity != "note")
            text += "; " + to_string(Error{note.message, note.place});
    return text;
}

} // namespace

std::optional<Status> compile_rewritten(Program program, ProgramRecord& record, int option_count,
                                        const char* const* options,
                                        const DropInSettings& settings) {
    if (const std::string& why = library_problem(); !why.empty()) {
        log_program(settings.log, record.name.value_or(""), record.source, "not compiled: " + why);
        return std::nullopt;
    }
    const auto start = std::chrono::steady_clock::now();
    const Result<RewrittenCuda> result = rewrite(record, option_count, options, settings);
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    const auto log = [&](std::string_view what) {
        log_program(settings.log, record.name.value_or(""), record.source,
                    fmt::format("{}{} ({} ms)", what,
                                result && result->from_cache ? ", from the cache" : "",
                                elapsed.count()));
    };
    if (!result) {
        announce_failure(result.error());
        log("left as slangc wrote it: " + to_string(result.error()));
        return std::nullopt;
    }
    if (!result->changed) {
        log("unchanged: nothing to gain");
        return std::nullopt;
    }
    record.replacement = create_like(record, result->text);
    if (record.replacement == nullptr) {
        log("left as slangc wrote it: NVRTC makes no second program");
        return std::nullopt;
    }
    const Status status = real<CompileProgram>(Function::nvrtcCompileProgram)(
        record.replacement, option_count, options);
    if (status == Status::success || status == Status::cancelled) {
        announce_repair(*result);
        announce_heap(*result, record);
        log(describe(*result));
        return status;
    }
    // What is wrong with the text as generated is to be told in its own terms.
    destroy_replacement(record);
    const Status as_generated =
        real<CompileProgram>(Function::nvrtcCompileProgram)(program, option_count, options);
    if (as_generated != Status::success) {
        log("left as slangc wrote it: NVRTC does not compile it");
        return as_generated;
    }
    const Error error{"NVRTC does not compile the rewritten text, which is a defect of slimgrad"};
    announce_failure(error);
    log("left as slangc wrote it: " + error.message);
    return as_generated;
}

void destroy_replacement(ProgramRecord& record) {
    if (record.replacement != nullptr)
        real<DestroyProgram>(Function::nvrtcDestroyProgram)(&record.replacement);
    record.replacement = nullptr;
}

void announce_failure(const Error& error) {
    static std::atomic_flag said;
    say_once(said, "compiled as slangc wrote it: " + to_string(error));
}

void log_program(const std::string& log, std::string_view name, std::string_view source,
                 std::string_view what) {
    if (log.empty())
        return;
    if (name.empty())
        name = shader_name(source);
    static std::atomic_flag said;
    if (!append_to_log(log, fmt::format("{:%Y-%m-%dT%H:%M:%SZ} slimgrad-nvrtc {}: {}",
                                        fmt::gmtime(std::time(nullptr)), name.empty() ? "-" : name,
                                        what)))
        say_once(said, fmt::format("SLIMGRAD_LOG={} cannot be written", log));
}

} // namespace slimgrad::nvrtc
