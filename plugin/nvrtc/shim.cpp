// A libnvrtc that stands in front of the real one: programs whose source slangc wrote are compiled
// from the source that slimgrad-clang makes of it, everything else is passed on as it is. Whatever
// fails on our side, the program is compiled as if we were not there. The caller's handle is always
// that of the program as generated; functions.def says which functions read the other one.

#include "plugin/nvrtc/nvrtc_api.h"
#include "plugin/nvrtc/program_table.h"
#include "plugin/nvrtc/real_library.h"
#include "plugin/nvrtc/rewritten_program.h"
#include "plugin/rewrite/drop_in.h"
#include "plugin/rewrite/rewrite_cuda.h"

#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

using namespace slimgrad;
using namespace slimgrad::nvrtc;

namespace {

template <class Signature, class... Arguments>
Status call(Function function, Arguments... arguments) {
    return reinterpret_cast<Signature>(real_function(function))(arguments...);
}

/// Runs our own part of a call; what goes wrong there is as if it had not been tried.
template <class Work> void try_to(Work work) noexcept {
    try {
        work();
    } catch (const std::exception&) {
        // Out of memory, most likely.
    }
}

void remember(Program program, const char* source, const char* name, int header_count,
              const char* const* headers, const char* const* include_names) {
    const std::string_view said_name = name != nullptr ? name : "";
    const Result<DropInSettings> settings = drop_in_settings();
    if (!settings) {
        announce_failure(settings.error());
        const char* const log = std::getenv("SLIMGRAD_LOG");
        return log_program(log != nullptr ? log : "", said_name, source,
                           "passed through: " + settings.error().message);
    }
    if (!settings->on)
        return log_program(settings->log, said_name, source, "passed through: SLIMGRAD=off");
    if (!is_slang_cuda(source))
        return log_program(settings->log, said_name, source, "passed through: not from Slang");
    ProgramRecord record{source, {}, {}, {}, nullptr, nullptr, nullptr};
    if (name != nullptr)
        record.name = name;
    for (int i = 0; i < header_count; ++i)
        record.headers.push_back(
            {headers[i], include_names != nullptr && include_names[i] ? include_names[i] : ""});
    program_table().add(program, std::move(record));
}

} // namespace

#define SLIMGRAD_EXPORT extern "C" [[gnu::visibility("default")]]

SLIMGRAD_EXPORT Status nvrtcCreateProgram(Program* program, const char* source, const char* name,
                                          int header_count, const char* const* headers,
                                          const char* const* include_names) {
    Status status = Status::internal_error;
    try_to([&] {
        status = call<CreateProgram>(Function::nvrtcCreateProgram, program, source, name,
                                     header_count, headers, include_names);
        if (status == Status::success && source != nullptr)
            remember(*program, source, name, header_count, headers, include_names);
    });
    return status;
}

SLIMGRAD_EXPORT Status nvrtcCompileProgram(Program program, int option_count,
                                           const char* const* options) {
    Status status = Status::internal_error;
    std::optional<Status> rewritten;
    try_to([&] {
        const std::shared_ptr<ProgramRecord> record = program_table().find(program);
        if (record == nullptr)
            return;
        destroy_replacement(*record); // of an earlier call, with other options
        const Result<DropInSettings> settings = drop_in_settings();
        if (settings && settings->on)
            rewritten = compile_rewritten(program, *record, option_count, options, *settings);
    });
    if (rewritten)
        return *rewritten;
    try_to([&] {
        status =
            call<CompileProgram>(Function::nvrtcCompileProgram, program, option_count, options);
    });
    return status;
}

SLIMGRAD_EXPORT Status nvrtcAddNameExpression(Program program, const char* expression) {
    Status status = Status::internal_error;
    try_to([&] {
        const std::shared_ptr<ProgramRecord> record = program_table().find(program);
        const bool compiled = record != nullptr && record->replacement != nullptr;
        status = call<AddNameExpression>(Function::nvrtcAddNameExpression,
                                         compiled ? record->replacement : program, expression);
        if (record != nullptr && status == Status::success)
            record->name_expressions.emplace_back(expression);
    });
    return status;
}

SLIMGRAD_EXPORT Status nvrtcSetFlowCallback(Program program, FlowCallback callback, void* payload) {
    Status status = Status::internal_error;
    try_to([&] {
        status = call<SetFlowCallback>(Function::nvrtcSetFlowCallback, program, callback, payload);
        if (const std::shared_ptr<ProgramRecord> record = program_table().find(program);
            record != nullptr && status == Status::success) {
            record->flow_callback = callback;
            record->flow_payload = payload;
        }
    });
    return status;
}

SLIMGRAD_EXPORT Status nvrtcDestroyProgram(Program* program) {
    Status status = Status::internal_error;
    try_to([&] {
        if (program != nullptr)
            if (const std::shared_ptr<ProgramRecord> record = program_table().remove(*program))
                destroy_replacement(*record);
        status = call<DestroyProgram>(Function::nvrtcDestroyProgram, program);
    });
    return status;
}
