#include "plugin/nvrtc/rewritten_program.h"

#include "plugin/nvrtc/compile_options.h"
#include "plugin/nvrtc/real_library.h"
#include "plugin/nvrtc/shader_name.h"
#include "plugin/rewrite/rewrite_cuda.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
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
        if (const auto set = real<SetFlowCallback>(Function::nvrtcSetFlowCallback); set != nullptr)
            set(program, record.flow_callback, record.flow_payload);
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

/// Gradients that were wrong and are right now must not change silently: once per process, as a
/// renderer compiles many programs of the same shaders. The log has them all.
void announce_repair(const RewrittenCuda& result) {
    static std::atomic_flag announced;
    for (const CudaRewriteNote& note : result.notes)
        if (note.pass == "repair-extents" && note.severity == "error" &&
            !announced.test_and_set()) {
            const std::string place = to_string(note.place);
            fmt::print(stderr, "{}{}slimgrad: warning: {}\n", place, place.empty() ? "" : ": ",
                       note.message);
        }
}

std::string describe(const RewrittenCuda& result) {
    std::string text = fmt::format("rewritten by {}", fmt::join(result.passes, ","));
    for (const CudaRewriteNote& note : result.notes)
        if (note.severity != "note")
            text += fmt::format("; {}", to_string(Error{note.message, note.place}));
    return text;
}

} // namespace

std::optional<Status> compile_rewritten(ProgramRecord& record, int option_count,
                                        const char* const* options,
                                        const DropInSettings& settings) {
    const auto start = std::chrono::steady_clock::now();
    const Result<RewrittenCuda> result = rewrite(record, option_count, options, settings);
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    const auto log = [&](std::string_view what) {
        const std::string_view shader = shader_name(record.source);
        log_program(settings.log, shader.empty() ? record.name.value_or("") : shader,
                    fmt::format("{} ({} ms{})", what, elapsed.count(),
                                result && result->from_cache ? ", cached" : ""));
    };
    if (!result) {
        log(fmt::format("passed on as generated: {}", to_string(result.error())));
        return std::nullopt;
    }
    if (!result->changed) {
        log("passed on as generated: nothing to rewrite");
        return std::nullopt;
    }
    record.replacement = create_like(record, result->text);
    if (record.replacement == nullptr) {
        log("passed on as generated: NVRTC makes no second program");
        return std::nullopt;
    }
    const Status status = real<CompileProgram>(Function::nvrtcCompileProgram)(
        record.replacement, option_count, options);
    if (status == Status::success || status == Status::cancelled) {
        announce_repair(*result);
        log(describe(*result));
        return status;
    }
    // What is wrong with the text as generated is to be told in its own terms.
    destroy_replacement(record);
    log(fmt::format("passed on as generated: NVRTC does not compile the rewritten text (error {})",
                    static_cast<int>(status)));
    return std::nullopt;
}

void destroy_replacement(ProgramRecord& record) {
    if (record.replacement != nullptr)
        real<DestroyProgram>(Function::nvrtcDestroyProgram)(&record.replacement);
    record.replacement = nullptr;
}

void log_program(const std::string& log, std::string_view name, std::string_view what) {
    append_to_log(log, fmt::format("nvrtc: {}: {}", name.empty() ? "unnamed" : name, what));
}

} // namespace slimgrad::nvrtc
