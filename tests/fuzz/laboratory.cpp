#include "tests/fuzz/laboratory.h"

#include "plugin/process/temporary_directory.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/make_plan.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

namespace slimgrad::hunt {
namespace {

// Far more than any program takes, on a machine that does much else besides.
const ProcessLimits slang_limits{std::chrono::milliseconds{240'000}, 4ull << 30, 256ull << 20};
const ProcessLimits code_limits{std::chrono::milliseconds{240'000}, 8ull << 30, 64ull << 20};
const ProcessLimits run_limits{std::chrono::milliseconds{60'000}, 8ull << 30, 64ull << 20};

std::string beside_this_program(const std::string& name) {
    std::error_code error;
    return (std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / name).string();
}

std::string or_beside(const std::string& path, const std::string& name) {
    return path.empty() ? beside_this_program(name) : path;
}

/// The compiler's own code for an exception that it did not expect.
constexpr std::string_view internal_error = "E99997";

Fate fate_of(const CompileResult& compiled) {
    switch (compiled.status) {
    case CompileStatus::crashed:
        return Fate::crashed_slangc;
    case CompileStatus::timed_out:
    case CompileStatus::out_of_memory:
    case CompileStatus::killed:
        return Fate::hung_slangc;
    default:
        break;
    }
    const bool internal =
        std::any_of(compiled.diagnostics.begin(), compiled.diagnostics.end(),
                    [](const Diagnostic& each) { return each.code == internal_error; });
    return internal ? Fate::crashed_slangc : Fate::rejected;
}

bool has_error(const CompileResult& compiled) {
    return std::any_of(compiled.diagnostics.begin(), compiled.diagnostics.end(),
                       [](const Diagnostic& diagnostic) {
                           return diagnostic.severity == DiagnosticSeverity::error;
                       });
}

std::string first_error(const CompileResult& compiled) {
    for (const Diagnostic& diagnostic : compiled.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return diagnostic.code + ": " +
                   diagnostic.message.substr(0, diagnostic.message.find('\n'));
    return compiled.detail;
}

Slope slope_of(const double* values) {
    const double wide = (values[0] - values[1]) / (2 * step_size);
    const double narrow = (values[2] - values[3]) / step_size;
    return {(4 * narrow - wide) / 3, std::fabs(narrow - wide)};
}

/// Not by CpuLibraries: without optimization it takes a third of the time, and no code is run
/// twice.
Result<ProcessResult> compile_library(const std::string& code, const std::string& folder) {
    ProcessOptions process;
    process.arguments = {"g++",
                         "-std=c++17",
                         "-O0",
                         "-ffp-contract=off",
                         "-shared",
                         "-fPIC",
                         "-w",
                         "-fdiagnostics-color=never",
                         "-x",
                         "c++",
                         "-",
                         "-o",
                         folder + "/hunt.so"};
    process.standard_input = code;
    process.environment = {"LC_ALL=C"};
    process.limits = code_limits;
    return run_process(process);
}

std::uint32_t buffer_index(const verify::InputPlan& plan, std::string_view name) {
    const auto found =
        std::find_if(plan.buffers.begin(), plan.buffers.end(),
                     [&](const verify::BufferPlan& buffer) { return buffer.name == name; });
    return static_cast<std::uint32_t>(found - plan.buffers.begin());
}

/// Takes apart what the threads of a module wrote.
class Results {
  public:
    Results(const verify::KernelRun& run, const verify::InputPlan& plan, std::uint32_t samples)
        : run_(run), plan_(plan), samples_(samples), out_(buffer_index(plan, "gOut")),
          values_(buffer_index(plan, "gValues")) {}

    std::vector<TrialResult> sort(const std::vector<Trial>& trials) const {
        std::vector<TrialResult> results;
        std::uint64_t thread = 0;
        for (const Trial& trial : trials) {
            TrialResult& result = results.emplace_back();
            const int outputs = input_count(trial.variants.front().program) + weight_elements;
            result.plan.buffers.push_back(plan_.buffers[out_]);
            for (std::size_t v = 0; v < trial.variants.size(); ++v, ++thread) {
                VariantResult& variant = result.variants.emplace_back();
                for (std::uint32_t sample = 0; sample < samples_; ++sample) {
                    variant.runs.push_back(part(out_, sample, thread * gradient_stride,
                                                static_cast<std::uint64_t>(outputs) + 1));
                    variant.gradients.push_back(
                        numbers(variant.runs.back(), plan_.buffers[out_], outputs + 1));
                }
            }
            const std::uint64_t base = (results.size() - 1) * value_stride;
            for (std::uint32_t sample = 0; sample < samples_; ++sample) {
                const std::vector<double> values =
                    numbers(part(values_, sample, base, value_stride), plan_.buffers[values_],
                            value_stride);
                std::vector<Slope>& slopes = result.slopes.emplace_back();
                for (int i = 0; i < outputs; ++i)
                    slopes.push_back(slope_of(values.data() + 4 * i));
            }
        }
        return results;
    }

  private:
    verify::KernelRun part(std::uint32_t buffer, std::uint32_t sample, std::uint64_t first,
                           std::uint64_t count) const {
        verify::KernelRun result;
        verify::BufferChanges& part =
            result.changes.emplace_back(verify::BufferChanges{sample, 0, {}});
        for (const verify::BufferChanges& changes : run_.changes) {
            if (changes.sample != sample || changes.buffer != buffer)
                continue;
            for (verify::Change change : changes.changes)
                if (change.index >= first && change.index < first + count) {
                    change.index -= first;
                    part.changes.push_back(change);
                }
        }
        return result;
    }

    /// What did not change holds what it was filled with; a kernel that writes that by chance is
    /// taken for one that writes NaN, which is never equal to anything.
    static std::vector<double> numbers(const verify::KernelRun& run,
                                       const verify::BufferPlan& buffer, int count) {
        std::vector<double> result(static_cast<std::size_t>(count), std::nan(""));
        for (const verify::Change& change : run.changes.front().changes)
            result[change.index] = verify::value_of_bits(change.after, buffer.slots.front().kind);
        return result;
    }

    const verify::KernelRun& run_;
    const verify::InputPlan& plan_;
    std::uint32_t samples_, out_, values_;
};

} // namespace

std::string_view to_string(Fate fate) {
    switch (fate) {
    case Fate::ran:
        return "ran";
    case Fate::rejected:
        return "rejected by slangc";
    case Fate::crashed_slangc:
        return "crashes slangc";
    case Fate::hung_slangc:
        return "slangc does not end";
    case Fate::rejected_code:
        return "emitted code does not compile";
    case Fate::out_of_range:
        return "index out of range";
    case Fate::crashed:
        return "crashes";
    case Fate::hung:
        return "does not end";
    }
    return "";
}

Laboratory::Laboratory(Options options)
    : options_(std::move(options)),
      compiler_({or_beside(options_.worker, "slimgrad-slang"), slang_limits}) {}

Result<std::vector<TrialResult>> Laboratory::run(const std::vector<Trial>& trials,
                                                 Precision precision) {
    if (trials.empty())
        return std::vector<TrialResult>{};
    Failure failure;
    auto done = run_module(trials, precision, failure);
    if (!done)
        return tl::unexpected(done.error());
    if (*done)
        return std::move(**done);
    if (trials.size() > 1) {
        const auto middle = trials.begin() + static_cast<std::ptrdiff_t>(trials.size() / 2);
        Result<std::vector<TrialResult>> first = run({trials.begin(), middle}, precision);
        if (!first)
            return first;
        Result<std::vector<TrialResult>> second = run({middle, trials.end()}, precision);
        if (!second)
            return second;
        std::move(second->begin(), second->end(), std::back_inserter(*first));
        return first;
    }
    if (trials.front().variants.size() > 1)
        return run_variants(trials.front(), precision);
    TrialResult result;
    result.variants.push_back({failure.fate, failure.message, {}, {}});
    return std::vector<TrialResult>{std::move(result)};
}

Result<std::vector<TrialResult>> Laboratory::run_variants(const Trial& trial, Precision precision) {
    TrialResult result;
    for (const Variant& variant : trial.variants) {
        Result<std::vector<TrialResult>> alone = run({Trial{{variant}}}, precision);
        if (!alone)
            return alone;
        TrialResult& one = alone->front();
        if (result.slopes.empty() && !one.slopes.empty()) {
            result.slopes = std::move(one.slopes);
            result.plan = std::move(one.plan);
        }
        result.variants.push_back(std::move(one.variants.front()));
    }
    return std::vector<TrialResult>{std::move(result)};
}

Result<std::optional<std::vector<TrialResult>>>
Laboratory::run_module(const std::vector<Trial>& trials, Precision precision, Failure& failure) {
    using Nothing = std::optional<std::vector<TrialResult>>;
    const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    if (!folder)
        return tl::unexpected(folder.error());
    CompileRequest request;
    request.file = folder->path() + "/hunt.slang";
    request.project_root = folder->path();
    request.target = SlangTarget::cpp;
    request.checkpoint_report = false;
    request.overlay[request.file] = print_trials(trials, precision);
    const Result<CompileResult> compiled = compiler_.compile(request);
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (compiled->status == CompileStatus::rejected && !has_error(*compiled))
        return fail(
            compiled->detail); // by us: a file that cannot be read, a worker of another build
    if (!compiled->succeeded()) {
        failure = {fate_of(*compiled), first_error(*compiled)};
        return Nothing{};
    }

    const std::string function = verify::code_name(compiled->reflection, "hunt");
    const verify::InstrumentedText text = verify::instrument(compiled->code, function);
    const Result<ProcessResult> library = compile_library(text.code, folder->path());
    if (!library)
        return tl::unexpected(library.error());
    if (!library->succeeded()) {
        const std::size_t at = library->err.find(": error: ");
        failure = {Fate::rejected_code,
                   at == std::string::npos
                       ? describe_end(*library, code_limits)
                       : library->err.substr(at + 9, library->err.find('\n', at) - at - 9)};
        return Nothing{};
    }

    const auto run = [&](int selected) {
        return run_code(*compiled, text,
                        {folder->path() + "/hunt.so", function, 0, options_.samples}, trials,
                        selected);
    };
    const Result<Execution> all = run(all_threads);
    if (!all)
        return tl::unexpected(all.error());
    if (all->run.end == verify::KernelRun::End::done)
        return Nothing{Results(all->run, all->plan, options_.samples).sort(trials)};

    // One thread after the other: that takes less than to compile again.
    Execution merged{{}, all->plan};
    std::vector<Failure> failures;
    for (int thread = 0; thread < thread_count(trials); ++thread) {
        Result<Execution> one = run(thread);
        if (!one)
            return tl::unexpected(one.error());
        failures.push_back(failure_of(one->run));
        if (failures.back().fate == Fate::ran)
            std::move(one->run.changes.begin(), one->run.changes.end(),
                      std::back_inserter(merged.run.changes));
    }
    std::vector<TrialResult> results =
        Results(merged.run, merged.plan, options_.samples).sort(trials);
    auto next = failures.begin();
    for (TrialResult& result : results)
        for (VariantResult& variant : result.variants) {
            const Failure& failed = *next++;
            if (failed.fate != Fate::ran)
                variant = {failed.fate, failed.message, {}, {}};
        }
    return Nothing{std::move(results)};
}

Result<Laboratory::Execution> Laboratory::run_code(const CompileResult& compiled,
                                                   const verify::InstrumentedText& text,
                                                   const verify::KernelRunner::Call& target,
                                                   const std::vector<Trial>& trials, int selected) {
    VerifyOptions options;
    options.seed = options_.seed;
    options.threads = static_cast<std::uint32_t>(thread_count(trials));
    options.ranges = {{"gIn", {-1.25, 1.25}},
                      {"gData", {-1, 1}},
                      {"gWeights", {-1, 1}},
                      {"gCount", {0, most_count}},
                      {"gSelected", {double(selected), double(selected)}}};
    const auto elements = static_cast<std::uint64_t>(std::max<std::size_t>(
        {options.threads * static_cast<std::size_t>(gradient_stride), trials.size() * value_stride,
         static_cast<std::size_t>(data_elements)}));
    const Result<verify::InputPlan> plan = verify::make_plan(
        {&compiled.reflection, "hunt", &options, elements, {}, &text.used_globals});
    if (!plan)
        return tl::unexpected(plan.error());
    verify::KernelRunner runner(or_beside(options_.runner, "slimgrad-run"));
    Result<verify::KernelRun> run = runner.run(target, *plan, run_limits);
    if (!run)
        return tl::unexpected(run.error());
    return Execution{std::move(*run), *plan};
}

Laboratory::Failure Laboratory::failure_of(const verify::KernelRun& run) {
    switch (run.end) {
    case verify::KernelRun::End::done:
        return {};
    case verify::KernelRun::End::out_of_range:
        return {Fate::out_of_range,
                fmt::format("index {} of {}", static_cast<std::int64_t>(run.index), run.count)};
    default:
        return {run.timed_out ? Fate::hung : Fate::crashed, run.failure};
    }
}

} // namespace slimgrad::hunt
