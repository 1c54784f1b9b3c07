#include "plugin/slang/compiler.h"
#include "plugin/cache/program_identity.h"
#include "plugin/process/restarts.h"
#include "plugin/process/worker_process.h"
#include "plugin/slang/compile_cache.h"
#include "plugin/slang/message.h"
#include "plugin/slang/worker_exit.h"

#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

/// The global session takes a fifth of a second; a machine under load may take much longer.
constexpr std::chrono::milliseconds start_limit{60'000};

std::string seconds(std::chrono::milliseconds time) {
    return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

std::string last_line(std::string text) {
    while (text.ends_with('\n'))
        text.pop_back();
    const auto begin = text.rfind('\n');
    return begin == std::string::npos ? text : text.substr(begin + 1);
}

/// The compiler did not come back: a result of its own kind.
CompileResult as_result(const WorkerAnswer& answer, const ProcessLimits& limits) {
    CompileResult result;
    if (answer.timed_out) {
        result.status = CompileStatus::timed_out;
        result.detail =
            fmt::format("the Slang compiler took more than {}", seconds(limits.wall_clock));
    } else if (answer.exit_code == slang_plugin::exit_out_of_memory) {
        result.status = CompileStatus::out_of_memory;
        result.detail = fmt::format("the Slang compiler needs more than {} MiB of memory",
                                    limits.memory_bytes >> 20);
    } else if (answer.signal == SIGKILL) { // not by us
        result.status = CompileStatus::killed;
        result.detail = "the Slang compiler was killed from outside each time it was started "
                        "(signal 9): is memory short?";
    } else if (answer.too_long) {
        result.status = CompileStatus::out_of_memory;
        result.detail = fmt::format("the Slang compiler's result is longer than {} MiB",
                                    limits.output_bytes >> 20);
    } else {
        result.status = CompileStatus::crashed;
        result.detail = answer.signal != 0
                            ? fmt::format("the Slang compiler crashed (signal {}, {})",
                                          answer.signal, strsignal(answer.signal))
                            : fmt::format("the Slang compiler ended by itself (exit code {})",
                                          answer.exit_code);
    }
    return result;
}

} // namespace

std::uint64_t CompileResult::checkpoint_bytes() const {
    std::uint64_t bytes = 0;
    for (const CheckpointContext& context : contexts)
        bytes += context.outermost ? context.bytes : 0;
    return bytes;
}

SlangCompiler::SlangCompiler(Options options) : options_(std::move(options)) {
    if (options_.worker.empty())
        options_.worker = beside_this_program("slimgrad-slang");
    if (options_.cache)
        cache_ = std::make_unique<slang_plugin::CompileCache>(options_.cache, options_.worker,
                                                              options_.limits);
}

SlangCompiler::~SlangCompiler() = default;
SlangCompiler::SlangCompiler(SlangCompiler&&) noexcept = default;
SlangCompiler& SlangCompiler::operator=(SlangCompiler&&) noexcept = default;

Result<void> SlangCompiler::ensure_worker() {
    if (worker_ && worker_->alive())
        return {};
    worker_.reset();
    Restarts restarts(start_limit);
    const auto start = [&] {
        return WorkerProcess::start({options_.worker}, options_.limits.memory_bytes);
    };
    Result<WorkerProcess> started = start();
    if (!started)
        return tl::unexpected(started.error());
    WorkerAnswer greeting = started->receive(start_limit, 4096);
    while (greeting.signal == SIGKILL && restarts.again()) {
        started = start();
        if (!started)
            return tl::unexpected(started.error());
        greeting = started->receive(start_limit, 4096);
    }
    if (!greeting.message)
        return fail(fmt::format("{} does not start: {}", options_.worker,
                                greeting.exit_code == slang_plugin::exit_out_of_memory
                                    ? "not enough memory within the limit"
                                : greeting.timed_out ? "no answer"
                                : greeting.signal == SIGKILL
                                    ? "killed from outside each time (signal 9)"
                                    : last_line(greeting.err)));
    version_ = std::move(*greeting.message);
    if (cache_)
        cache_->put_version(version_);
    worker_ = std::make_unique<WorkerProcess>(std::move(*started));
    fresh_ = true;
    return {};
}

Result<std::string> SlangCompiler::version() {
    if (version_.empty() && cache_)
        version_ = cache_->version();
    if (version_.empty())
        if (Result<void> worker = ensure_worker(); !worker)
            return tl::unexpected(worker.error());
    return version_;
}

std::string SlangCompiler::identity() const {
    return slang_plugin::compiler_identity(options_.worker, options_.limits);
}

Result<CompileResult> SlangCompiler::compile(const CompileRequest& request) {
    if (cache_)
        if (std::optional<CompileResult> known = cache_->get(request))
            return std::move(*known);
    return compile_anew(request);
}

Result<CompileResult> SlangCompiler::compile_anew(const CompileRequest& request) {
    std::error_code error;
    const fs::path folder = fs::current_path(error);
    if (error)
        return fail("the working directory is gone");
    const std::string message = slang_plugin::encode({request, folder.string()});
    Restarts restarts(options_.limits.wall_clock);
    for (bool again = false;;) {
        if (Result<void> worker = ensure_worker(); !worker)
            return tl::unexpected(worker.error());
        WorkerAnswer answer =
            worker_->exchange(message, options_.limits.wall_clock, options_.limits.output_bytes);
        if (answer.message) {
            fresh_ = false;
            Result<slang_plugin::WorkerReply> reply = slang_plugin::decode_reply(*answer.message);
            if (!reply)
                return tl::unexpected(reply.error());
            if (cache_)
                cache_->put(request, *reply);
            return std::move(reply->result);
        }
        worker_.reset();
        if (answer.exit_code == slang_plugin::exit_unreadable_request)
            return fail(fmt::format("{} is of another build than this program: {}", options_.worker,
                                    last_line(answer.err)));
        // Be it that the thread that started the worker has ended.
        if (answer.signal == SIGKILL && restarts.again())
            continue;
        // A request is not blamed for what its worker had compiled before.
        const bool blameless = !answer.timed_out && !answer.too_long && !fresh_;
        if (again || !blameless) {
            ++accidents_;
            return as_result(answer, options_.limits);
        }
        again = true;
    }
}

} // namespace slimgrad
