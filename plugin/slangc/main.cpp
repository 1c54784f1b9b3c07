#include "plugin/cuda/cuda_text.h"
#include "plugin/process/stop_signals.h"
#include "plugin/rewrite/drop_in.h"
#include "plugin/slangc/build_state.h"
#include "plugin/slangc/find_slangc.h"
#include "plugin/slangc/output_file.h"
#include "plugin/slangc/run_slangc.h"
#include "plugin/slangc/slangc_call.h"
#include "plugin/slangc/warnings.h"
#include "rewriter/atomic_write.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <system_error>
#include <vector>

// slimgrad-slangc: slangc, and where a call makes one file of CUDA, that file rewritten. Every
// argument, stream and exit code is slangc's; whatever goes wrong here leaves the file as slangc
// wrote it.

namespace slimgrad::slangc {
namespace {

using Clock = std::chrono::steady_clock;

/// What came of a call, for the log.
struct Outcome {
    std::string what;
    std::string warnings; ///< for standard error
};

Outcome left_as_it_is(const std::string& file, const std::string& why, bool machine_readable) {
    return {"left as slangc wrote it: " + why,
            warning_text("left as slangc wrote it: " + why, {file}, machine_readable)};
}

Outcome rewrite_output(const SlangcCall& call, const OutputFile& output,
                       const DropInSettings& settings) {
    const std::string& file = output.path();
    if (!output.is_there())
        return {"left alone: not a regular file", ""};
    const Result<std::string> text = read_file(file);
    if (!text)
        return left_as_it_is(file, text.error().message, call.machine_readable);
    if (!is_slang_cuda(*text))
        return {"left alone: not CUDA source", ""};
    CudaRewriteOptions options = settings.rewrite;
    options.defines = read_cuda_text(*text).defines;
    const Result<RewrittenCuda> rewritten = rewrite_cuda(*text, options);
    if (!rewritten)
        return left_as_it_is(file, to_string(rewritten.error()), call.machine_readable);
    const std::string source = rewritten->from_cache ? ", from the cache" : "";
    const std::string warnings = warnings_text(*rewritten, file, call.machine_readable);
    if (!rewritten->changed)
        return {"unchanged: nothing to gain" + source, warnings};
    if (const Result<void> written = output.replace(*text, rewritten->text); !written)
        return left_as_it_is(file, to_string(written.error()), call.machine_readable);
    return {fmt::format("changed by {}{}", fmt::join(rewritten->passes, ", "), source), warnings};
}

/// Returns a warning, or "".
std::string list_own_files(const OutputFile& depfile, const std::vector<std::string>& files,
                           bool machine_readable) {
    const Result<std::string> text = depfile.is_there() ? read_file(depfile.path()) : "";
    const Result<void> written =
        text && !text->empty()
            ? depfile.replace(*text,
                              with_dependencies(*text, files, takes_empty_rules(depfile.path())))
            : Result<void>();
    if (written)
        return "";
    return warning_text("slimgrad's own files are not listed: " + to_string(written.error()),
                        {depfile.path()}, machine_readable);
}

/// False: the log that is asked for cannot be written.
bool add_to_log(const DropInSettings& settings, const std::string& output, const std::string& what,
                Clock::duration spent) {
    if (settings.log.empty())
        return true;
    std::error_code error;
    return append_to_log(
        settings.log,
        fmt::format("{:%Y-%m-%dT%H:%M:%SZ} slimgrad-slangc {}: {} ({} ms)",
                    fmt::gmtime(std::time(nullptr)),
                    output.empty() ? "-" : std::filesystem::absolute(output, error).string(), what,
                    std::chrono::duration_cast<std::chrono::milliseconds>(spent).count()));
}

/// Places that variables name and that cannot be written. That no cache can be had otherwise, as
/// in a build without a home folder, is not worth a word.
std::string unwritable_places(const DropInSettings& settings, bool logged,
                              const std::string& state_file, bool machine_readable) {
    std::string text;
    if (!logged)
        text += warning_text(fmt::format("SLIMGRAD_LOG={} cannot be written", settings.log), {},
                             machine_readable);
    if (const char* folder = std::getenv("SLIMGRAD_CACHE_DIR");
        folder != nullptr && *folder != '\0' && state_file.empty())
        text += warning_text(
            fmt::format("SLIMGRAD_CACHE_DIR={} cannot be written: nothing is kept there", folder),
            {}, machine_readable);
    return text;
}

int refuse(const Error& error) {
    fmt::print(stderr, "slimgrad-slangc: error: {}\n", to_string(error));
    return 127; // as a shell does where a program cannot be started
}

int run(const std::vector<std::string>& arguments) {
    Clock::time_point start = Clock::now();
    const Result<std::string> slangc = find_slangc();
    if (!slangc)
        return refuse(slangc.error());
    const SlangcCall call = read_slangc_call(arguments);
    Result<DropInSettings> settings = drop_in_settings();
    const std::string problem = settings ? "" : settings.error().message;
    if (!settings) {
        settings = DropInSettings();
        settings->on = false;
    }
    const std::string state_file = update_state_file(*settings);
    const bool makes_cuda = !call.cuda_file.empty();
    if (!makes_cuda || (!settings->on && problem.empty() && call.depfile.empty())) {
        add_to_log(*settings, call.cuda_file,
                   "passed through: " + (makes_cuda ? "SLIMGRAD=off" : call.why_not),
                   Clock::now() - start);
        return refuse(become_slangc(*slangc, arguments));
    }

    const OutputFile output(call.cuda_file), depfile(call.depfile);
    Clock::duration spent = Clock::now() - start;
    const Result<SlangcEnd> end = run_slangc(*slangc, arguments);
    if (!end)
        return refuse(end.error());
    start = Clock::now();
    Outcome outcome;
    if (end->signal != 0 || end->exit_code != 0) {
        outcome.what = "passed through: slangc failed";
    } else if (!problem.empty()) {
        outcome = left_as_it_is(call.cuda_file, problem, call.machine_readable);
    } else if (!settings->on) {
        outcome.what = "passed through: SLIMGRAD=off";
    } else {
        clean_up_when_stopped();
        outcome = rewrite_output(call, output, *settings);
    }
    if (!call.depfile.empty() && end->signal == 0 && end->exit_code == 0) {
        outcome.warnings +=
            list_own_files(depfile, own_dependencies(*settings, state_file), call.machine_readable);
        // Older than one of our files, it would be built again by every call of make.
        if (takes_empty_rules(call.depfile))
            output.touch();
    }
    const bool logged =
        add_to_log(*settings, call.cuda_file, outcome.what, spent + (Clock::now() - start));
    if (settings->on)
        outcome.warnings += unwritable_places(*settings, logged, state_file, call.machine_readable);
    std::fputs(outcome.warnings.c_str(), stderr);
    end_as(*end);
}

} // namespace
} // namespace slimgrad::slangc

int main(int argc, char** argv) {
    try {
        return slimgrad::slangc::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "slimgrad-slangc: internal error: %s\n", error.what());
        return 127;
    }
}
