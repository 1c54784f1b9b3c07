#include "tests/fuzz/rewriting.h"

#include "plugin/process/sandbox.h"
#include "plugin/process/temporary_directory.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cuda_text.h"
#include "plugin/verify/make_plan.h"
#include "tests/fuzz/module_text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace slimgrad::hunt {
namespace {

using verify::CpuBuild;

const ProcessLimits slang_limits{std::chrono::milliseconds{240'000}, 4ull << 30, 256ull << 20};
const ProcessLimits code_limits{std::chrono::milliseconds{240'000}, 0, 64ull << 20};
const ProcessLimits run_limits{std::chrono::milliseconds{120'000}, 8ull << 30, 64ull << 20};

std::string or_beside(const std::string& path, const std::string& name) {
    if (!path.empty())
        return path;
    std::error_code error;
    return (std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / name).string();
}

/// The message of the first error, else how the program ended.
std::string first_error(const ProcessResult& result) {
    constexpr std::string_view mark = "error: ";
    const std::size_t at = result.err.find(mark);
    if (at == std::string::npos)
        return describe_end(result, code_limits);
    return result.err.substr(at + mark.size(), result.err.find('\n', at) - at - mark.size());
}

/// A shared library of a text; without optimization that takes a third of the time. Nothing of the
/// result: the compiler's first error.
Result<std::string> compile(const std::string& code, const std::string& file, CpuBuild build,
                            std::string& rejection) {
    ProcessOptions process;
    process.arguments = {"g++",     "-std=c++17", "-O0", "-ffp-contract=off",
                         "-shared", "-fPIC",      "-w",  "-fdiagnostics-color=never",
                         "-x",      "c++",        "-",   "-o",
                         file};
    if (build == CpuBuild::sanitized)
        process.arguments.insert(process.arguments.begin() + 1, "-fsanitize=address");
    process.standard_input = code;
    process.environment = {"LC_ALL=C"};
    process.limits = code_limits;
    const Result<ProcessResult> done = run_process(process);
    if (!done)
        return tl::unexpected(done.error());
    if (!done->succeeded())
        rejection = first_error(*done);
    else if (const Result<void> readable = let_sandbox_read(file); !readable)
        return tl::unexpected(readable.error());
    return file;
}

/// What the run wrote for one variant, in all samples.
std::vector<std::pair<std::uint32_t, verify::Change>>
written_for(const verify::KernelRun& run, std::uint32_t buffer, std::size_t variant) {
    const std::uint64_t first = variant * gradient_stride, last = first + gradient_stride;
    std::vector<std::pair<std::uint32_t, verify::Change>> result;
    for (const verify::BufferChanges& changes : run.changes)
        if (changes.buffer == buffer)
            for (const verify::Change& change : changes.changes)
                if (change.index >= first && change.index < last)
                    result.emplace_back(changes.sample, change);
    return result;
}

/// By slimgrad-clang's report.
bool changed_by(const std::string& pass, const std::string& report) {
    const nlohmann::json json = nlohmann::json::parse(report, nullptr, false);
    const nlohmann::json passes = json.is_object() ? json.value("passes", nlohmann::json()) : json;
    return std::find(passes.begin(), passes.end(), pass) != passes.end();
}

} // namespace

const std::vector<Rewriting>& all_rewritings() {
    static const std::vector<Rewriting> all = [] {
        std::vector<Rewriting> result{
            {"single-copy", "single-copy", {"--passes", "single-copy,repair-extents"}}};
        for (const std::string layout : {"thread", "warp", "grid"})
            result.push_back({"heap by " + layout,
                              "heap",
                              {"--passes", "single-copy,repair-extents,heap", "--heap-threshold",
                               "0", "--heap-layout", layout}});
        return result;
    }();
    return all;
}

std::string_view to_string(Rewritten rewritten) {
    switch (rewritten) {
    case Rewritten::same:
        return "the same";
    case Rewritten::unchanged:
        return "unchanged";
    case Rewritten::original_fails:
        return "fails as it is";
    case Rewritten::refused:
        return "slimgrad-clang fails";
    case Rewritten::rejected:
        return "rewritten code does not compile";
    case Rewritten::failed:
        return "rewritten code does not run";
    case Rewritten::different:
        return "results differ";
    }
    return "";
}

struct RewritingLaboratory::Original {
    TemporaryDirectory folder;
    std::string text, function;
    verify::InputPlan plan;
    verify::KernelRun run;
};

RewritingLaboratory::RewritingLaboratory(Options options)
    : options_(std::move(options)),
      compiler_({or_beside(options_.worker, "slimgrad-slang"), slang_limits}) {}

Result<std::vector<std::vector<RewrittenResult>>>
RewritingLaboratory::run(const std::vector<Variant>& variants,
                         const std::vector<Rewriting>& rewritings) {
    using Results = std::vector<std::vector<RewrittenResult>>;
    if (variants.empty())
        return Results{};
    const Result<std::optional<Original>> original = run_original(variants);
    if (!original)
        return tl::unexpected(original.error());
    if (!*original) {
        if (variants.size() == 1)
            return Results{
                std::vector<RewrittenResult>(rewritings.size(), {Rewritten::original_fails, ""})};
        const auto middle = variants.begin() + static_cast<std::ptrdiff_t>(variants.size() / 2);
        Result<Results> first = run({variants.begin(), middle}, rewritings);
        if (!first)
            return first;
        Result<Results> second = run({middle, variants.end()}, rewritings);
        if (!second)
            return second;
        std::move(second->begin(), second->end(), std::back_inserter(*first));
        return first;
    }
    Results results(variants.size());
    for (const Rewriting& rewriting : rewritings) {
        Result<std::vector<RewrittenResult>> own =
            run_rewritten(**original, variants.size(), rewriting);
        if (own && own->size() != variants.size())
            own = split(variants, rewriting);
        if (!own)
            return tl::unexpected(own.error());
        for (std::size_t i = 0; i < variants.size(); ++i)
            results[i].push_back(std::move((*own)[i]));
    }
    return results;
}

/// A module whose rewritten text fails as a whole.
Result<std::vector<RewrittenResult>>
RewritingLaboratory::split(const std::vector<Variant>& variants, const Rewriting& rewriting) {
    std::vector<RewrittenResult> results;
    const auto middle = variants.begin() + static_cast<std::ptrdiff_t>(variants.size() / 2);
    for (const std::vector<Variant>& half :
         {std::vector(variants.begin(), middle), std::vector(middle, variants.end())}) {
        const auto done = run(half, {rewriting});
        if (!done)
            return tl::unexpected(done.error());
        for (const std::vector<RewrittenResult>& each : *done)
            results.push_back(each.front());
    }
    return results;
}

Result<std::optional<RewritingLaboratory::Original>>
RewritingLaboratory::run_original(const std::vector<Variant>& variants) {
    using Nothing = std::optional<Original>;
    Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    if (!folder)
        return tl::unexpected(folder.error());
    CompileRequest request;
    request.file = folder->path() + "/hunt.slang";
    request.project_root = folder->path();
    request.target = SlangTarget::cuda;
    request.checkpoint_report = false;
    request.overlay[request.file] = print_variants(variants, Precision::single);
    const Result<CompileResult> compiled = compiler_.compile(request);
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (!compiled->succeeded())
        return Nothing{};
    Original original{std::move(*folder),
                      compiled->code,
                      verify::code_name(compiled->reflection, "hunt"),
                      {},
                      {}};
    const verify::InstrumentedText text =
        verify::instrument(original.text, original.function, verify::Machine::cuda);
    std::string rejection;
    const Result<std::string> library =
        compile(text.code, original.folder.path() + "/original.so", CpuBuild::plain, rejection);
    if (!library)
        return tl::unexpected(library.error());
    if (!rejection.empty())
        return Nothing{};

    VerifyOptions options;
    options.seed = options_.seed;
    options.threads = static_cast<std::uint32_t>(variants.size());
    options.ranges = {{"gIn", {-1.25, 1.25}},
                      {"gData", {-1, 1}},
                      {"gWeights", {-1, 1}},
                      {"gCount", {0, most_count}},
                      {"gSelected", {all_threads, all_threads}}};
    const std::uint64_t elements = std::max<std::uint64_t>(
        variants.size() * static_cast<std::uint64_t>(gradient_stride), data_elements);
    Result<verify::InputPlan> plan = verify::make_plan({&compiled->reflection,
                                                        "hunt",
                                                        &options,
                                                        elements,
                                                        {},
                                                        &text.used_globals,
                                                        verify::Machine::cuda,
                                                        verify::cuda_use(original.text)});
    if (!plan)
        return tl::unexpected(plan.error());
    original.plan = std::move(*plan);
    verify::KernelRunner runner(or_beside(options_.runner, "slimgrad-run"));
    Result<verify::KernelRun> run =
        runner.run({*library, original.function, 0, options_.samples}, original.plan, run_limits);
    if (!run)
        return tl::unexpected(run.error());
    original.run = std::move(*run);
    if (original.run.end != verify::KernelRun::End::done)
        return Nothing{};
    return Nothing{std::move(original)};
}

Result<std::vector<RewrittenResult>>
RewritingLaboratory::run_rewritten(const Original& original, std::size_t count,
                                   const Rewriting& rewriting) {
    const auto all = [](Rewritten what, std::string message) {
        return std::vector<RewrittenResult>{{what, std::move(message)}};
    };
    const std::string& folder = original.folder.path();
    ProcessOptions process;
    process.arguments = {or_beside(options_.rewriter, "slimgrad-clang"), "-", "-o",
                         folder + "/rewritten.cu"};
    process.arguments.insert(process.arguments.end(), rewriting.arguments.begin(),
                             rewriting.arguments.end());
    process.standard_input = original.text;
    process.limits = code_limits;
    const Result<ProcessResult> done = run_process(process);
    if (!done)
        return tl::unexpected(done.error());
    if (!done->succeeded())
        return all(Rewritten::refused, first_error(*done));
    std::ifstream file(folder + "/rewritten.cu", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (!changed_by(rewriting.pass, done->out))
        return std::vector<RewrittenResult>(count, {Rewritten::unchanged, ""});

    const verify::InstrumentedText instrumented =
        verify::instrument(text, original.function, verify::Machine::cuda);
    std::string rejection;
    const Result<std::string> library =
        compile(instrumented.code, folder + "/rewritten.so", CpuBuild::sanitized, rejection);
    if (!library)
        return tl::unexpected(library.error());
    if (!rejection.empty())
        return all(Rewritten::rejected, rejection);
    verify::KernelRunner runner(or_beside(options_.runner, "slimgrad-run"));
    const Result<verify::KernelRun> run =
        runner.run({*library, original.function, 0, options_.samples, CpuBuild::sanitized},
                   original.plan, run_limits);
    if (!run)
        return tl::unexpected(run.error());
    if (run->end == verify::KernelRun::End::out_of_range)
        return all(Rewritten::failed,
                   fmt::format("index {} of {} elements", static_cast<std::int64_t>(run->index),
                               run->count));
    if (run->end != verify::KernelRun::End::done)
        return all(Rewritten::failed, run->failure);

    const auto& buffers = original.plan.buffers;
    const auto out = static_cast<std::uint32_t>(
        std::find_if(buffers.begin(), buffers.end(),
                     [](const verify::BufferPlan& buffer) { return buffer.name == "gOut"; }) -
        buffers.begin());
    std::vector<RewrittenResult> results(count);
    for (std::size_t variant = 0; variant < count; ++variant) {
        const auto before = written_for(original.run, out, variant);
        const auto after = written_for(*run, out, variant);
        if (before == after)
            continue;
        const auto place = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
        const auto value = [](const auto& at, const auto& end) {
            return at == end ? std::string("nothing")
                             : fmt::format("{:.9g} at {}",
                                           verify::value_of_bits(at->second.after,
                                                                 verify::ScalarKind::float32),
                                           at->second.index % gradient_stride);
        };
        results[variant] = {Rewritten::different,
                            fmt::format("{} before, {} after", value(place.first, before.end()),
                                        value(place.second, after.end()))};
    }
    return results;
}

} // namespace slimgrad::hunt
