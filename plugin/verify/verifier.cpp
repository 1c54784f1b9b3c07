#include "plugin/verify/verify.h"

#include "plugin/verify/comparison.h"
#include "plugin/verify/coverage.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <utility>

namespace slimgrad {

using namespace verify; // NOLINT: the internals of this folder

namespace {

constexpr std::uint64_t first_elements = 65'536;
constexpr std::uint64_t most_elements = 64ull << 20;

std::string beside_this_program(const std::string& name) {
    std::error_code error;
    return (std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / name).string();
}

/// Everything about one variant that a comparison needs.
struct Side {
    InstrumentedText checked;
    InputPlan plan;
    CpuLibrary library, checked_library;
};

/// "gIn[3]", "gParticles[3].mass".
std::string scalar_name(const InputPlan& plan, const std::string& buffer, std::uint64_t index) {
    for (const BufferPlan& candidate : plan.buffers)
        if (candidate.name == buffer)
            return fmt::format("{}[{}]{}", buffer, index / candidate.slots.size(),
                               candidate.slots[index % candidate.slots.size()].name);
    return fmt::format("{}[{}]", buffer, index);
}

void grow(InputPlan& plan, const std::map<std::string, std::uint64_t>& elements) {
    for (BufferPlan& buffer : plan.buffers)
        if (const auto found = elements.find(buffer.name); found != elements.end())
            buffer.elements = std::max(buffer.elements, found->second);
}

/// The first parameter of one plan that the other does not have in the same form; "" if there is none.
std::string unlike_buffer(const InputPlan& a, const InputPlan& b) {
    for (const BufferPlan& buffer : a.buffers) {
        const auto same = std::find_if(b.buffers.begin(), b.buffers.end(), [&](const BufferPlan& other) {
            return other.name == buffer.name && other.stride == buffer.stride && other.slots.size() == buffer.slots.size();
        });
        if (same == b.buffers.end())
            return buffer.name;
    }
    return "";
}

} // namespace

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::equal:
        return "equal";
    case Verdict::different:
        return "different";
    case Verdict::original_wrong:
        return "original wrong";
    case Verdict::rewritten_wrong:
        return "rewritten wrong";
    case Verdict::unverified:
        return "unverified";
    case Verdict::cannot_run:
        return "cannot run";
    }
    return "";
}

struct Verifier::State {
    State(Options given, TemporaryDirectory directory)
        : options(std::move(given)), folder(std::move(directory)), libraries(options.compiler, folder.path()) {}

    Options options;
    TemporaryDirectory folder;
    CpuLibraries libraries;
    std::map<std::string, KernelRun> original_runs; ///< by library, entry point, plan and samples
    std::uint64_t runs = 0;

    KernelCall call(const CpuLibrary& library, const std::string& entry_point, const VerifyOptions& verify) {
        return {options.runner,
                library.path,
                entry_point,
                fmt::format("{}/run-{}", folder.path(), runs++),
                verify.sample.value_or(0),
                verify.sample ? 1 : verify.samples};
    }

    /// Runs the original, or takes what it did before on the same inputs.
    Result<const KernelRun*> run_original(const CpuLibrary& library, const std::string& entry_point, const InputPlan& plan,
                                          const VerifyOptions& verify) {
        constexpr std::size_t most_kept = 16;
        const KernelCall kernel = call(library, entry_point, verify);
        const std::string key = fmt::format("{}\n{}\n{} {}\n{}", kernel.library, kernel.entry_point, kernel.first, kernel.samples,
                                            nlohmann::json(plan).dump());
        if (const auto found = original_runs.find(key); found != original_runs.end())
            return &found->second;
        Result<KernelRun> run = run_kernel(kernel, plan, verify.limits);
        if (!run)
            return tl::unexpected(run.error());
        if (original_runs.size() >= most_kept)
            original_runs.clear();
        return &(original_runs[key] = std::move(*run));
    }
};

namespace {

/// One comparison: goes through its stages until one of them has the verdict.
class ComparisonRun {
  public:
    ComparisonRun(const std::string& entry_point, const VerifyOptions& options) : options_(options) {
        result_.entry_point = entry_point;
        result_.samples = options.sample ? 1 : options.samples;
        result_.seed = options.seed;
    }

    VerifyResult verdict(Verdict verdict, std::string reason, Place place = {}) {
        result_.verdict = verdict;
        result_.reason = std::move(reason);
        result_.place = std::move(place);
        return result_;
    }

    /// ` (input 3, seed 1)`.
    std::string input(std::uint32_t sample) {
        result_.sample = sample;
        return fmt::format(" (input {}, seed {})", sample, options_.seed);
    }

    VerifyResult rejected(const CpuLibrary& library, std::string_view variant) {
        result_.code_rejected = true;
        return verdict(Verdict::cannot_run, fmt::format("the C++ compiler rejects the {} kernel's code: {}", variant,
                                                        slimgrad::to_string(library.rejection)),
                       library.rejection.place);
    }

    VerifyResult failed(const KernelRun& run, std::string_view variant) {
        const bool its_own_fault = variant != "original" && !run.timed_out;
        return verdict(its_own_fault ? Verdict::rewritten_wrong : Verdict::cannot_run,
                       fmt::format("the {} kernel {}{}", variant, run.failure, input(run.sample)));
    }

    VerifyResult out_of_range(const KernelRun& run, const Side& side, bool original) {
        const Subscript& subscript = side.checked.subscripts.at(std::min<std::size_t>(run.subscript, side.checked.subscripts.size() - 1));
        const std::string where = subscript.place.line ? " at " + slimgrad::to_string(subscript.place) : "";
        const auto index = static_cast<std::int64_t>(run.index); // a negative index became a large one
        if (subscript.checkpoint)
            return verdict(original ? Verdict::original_wrong : Verdict::rewritten_wrong,
                           fmt::format("the {} kernel indexes a checkpoint array of {} elements with {}{}{}",
                                       original ? "original" : "rewritten", run.count, index, where, input(run.sample)),
                           subscript.place);
        const std::string name = !run.buffer.empty() ? run.buffer : subscript.name.empty() ? "an array" : subscript.name;
        const std::string what =
            fmt::format("index out of range: {}[{}] of {} elements{}{}", name, index, run.count, where, input(run.sample));
        return verdict(original ? Verdict::cannot_run : Verdict::rewritten_wrong,
                       original ? what : what + ", where the original stays inside", subscript.place);
    }

    VerifyResult compared(const Comparison& comparison, const Side& original, const KernelRun& checked_run) {
        result_.bit_equal = comparison.bit_equal;
        result_.largest_error = comparison.largest_error;
        result_.difference = comparison.difference;
        const std::string branch = result_.cpp_branch ? " (cpp branch)" : "";
        if (const auto& difference = comparison.difference)
            return verdict(Verdict::different,
                           fmt::format("{} is {:.9g} in the original and {:.9g} in the rewritten kernel{}{}",
                                       scalar_name(original.plan, difference->buffer, difference->element), difference->original,
                                       difference->rewritten, input(difference->sample), branch));
        if (const auto& value = comparison.not_finite)
            return verdict(Verdict::unverified,
                           fmt::format("{} is not finite in the original{}; give its inputs ranges under [inputs]{}",
                                       scalar_name(original.plan, value->buffer, value->element), input(value->sample), branch));
        if (std::optional<CoverageGap> gap = find_gap(options_.loops, original.checked.loops, checked_run.heads))
            return verdict(Verdict::unverified, gap->reason + branch, gap->place);
        if (!comparison.any_not_zero)
            return verdict(Verdict::unverified, "the original writes nothing but zeros" + branch);
        const std::string inputs = fmt::format("{} input{}", result_.samples, result_.samples == 1 ? "" : "s");
        if (comparison.bit_equal)
            return verdict(Verdict::equal, fmt::format("bit-equal on {}{}", inputs, branch));
        return verdict(Verdict::equal,
                       fmt::format("equal on {}, largest relative error {:.2g}{}", inputs, comparison.largest_error, branch));
    }

    VerifyResult& result() { return result_; }

  private:
    const VerifyOptions& options_;
    VerifyResult result_;
};

/// How many elements the buffer needs so that the index fits; 0 if no size would do.
std::uint64_t elements_needed(const KernelRun& run, const InputPlan& plan) {
    const auto buffer = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                     [&](const BufferPlan& b) { return b.name == run.buffer; });
    if (buffer == plan.buffers.end())
        return 0;
    // Byte-address buffers count bytes, and up to 16 of them are read at once.
    const std::uint64_t bytes_per_count = run.count == buffer->elements ? buffer->stride : 1;
    if (run.index > most_elements * buffer->stride / bytes_per_count)
        return 0;
    const std::uint64_t needed = (run.index * bytes_per_count + std::max<std::uint64_t>(buffer->stride, 16)) / buffer->stride;
    if (needed <= buffer->elements && bytes_per_count == 1)
        return 0; // in range but misaligned
    std::uint64_t elements = buffer->elements;
    while (elements < needed)
        elements *= 4;
    return elements <= most_elements ? elements : 0;
}

} // namespace

Verifier::Verifier(std::unique_ptr<State> state) : state_(std::move(state)) {}
Verifier::~Verifier() = default;
Verifier::Verifier(Verifier&&) noexcept = default;
Verifier& Verifier::operator=(Verifier&&) noexcept = default;

Result<Verifier> Verifier::create(Options options) {
    Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    if (!folder)
        return tl::unexpected(folder.error());
    if (options.runner.empty())
        options.runner = beside_this_program("slimgrad-run");
    return Verifier(std::make_unique<State>(std::move(options), std::move(*folder)));
}

Result<VerifyResult> Verifier::compare(const CpuVariant& original, const CpuVariant& rewritten, const std::string& entry_point,
                                       const VerifyOptions& options) {
    ComparisonRun comparison(entry_point, options);
    comparison.result().cpp_branch = original.target_switch || rewritten.target_switch;

    Side left, right;
    for (auto [side, variant] : {std::pair{&left, &original}, std::pair{&right, &rewritten}}) {
        side->checked = instrument(variant->code, entry_point);
        Result<InputPlan> plan = make_plan({&variant->reflection, entry_point, &options, first_elements, &side->checked.used_globals});
        if (!plan)
            return comparison.verdict(Verdict::cannot_run, plan.error().message);
        side->plan = std::move(*plan);
    }
    for (const auto& [a, b] : {std::pair{&left, &right}, std::pair{&right, &left}})
        if (const std::string name = unlike_buffer(a->plan, b->plan); !name.empty())
            return comparison.verdict(Verdict::cannot_run, fmt::format("the two variants do not both take the buffer {}", name));

    const auto libraries = state_->libraries.compile({original.code, left.checked.code, rewritten.code, right.checked.code}, options.limits);
    if (!libraries)
        return tl::unexpected(libraries.error());
    left.library = (*libraries)[0], left.checked_library = (*libraries)[1];
    right.library = (*libraries)[2], right.checked_library = (*libraries)[3];
    for (const auto& [side, name] : {std::pair{&left, "original"}, std::pair{&right, "rewritten"}})
        for (const CpuLibrary* library : {&side->library, &side->checked_library})
            if (library->path.empty())
                return comparison.rejected(*library, name);

    // The original goes first: how much memory its buffers need shows when it runs out of one.
    std::map<std::string, std::uint64_t> elements;
    const KernelRun* checked_original = nullptr;
    for (;;) {
        const auto run = state_->run_original(left.checked_library, entry_point, left.plan, options);
        if (!run)
            return tl::unexpected(run.error());
        checked_original = *run;
        if (checked_original->end == KernelRun::End::failed)
            return comparison.failed(*checked_original, "original");
        if (checked_original->end == KernelRun::End::done)
            break;
        const bool checkpoint = left.checked.subscripts.at(std::min<std::size_t>(checked_original->subscript, left.checked.subscripts.size() - 1)).checkpoint;
        const std::uint64_t needed = checkpoint ? 0 : elements_needed(*checked_original, left.plan);
        if (needed == 0)
            return comparison.out_of_range(*checked_original, left, true);
        elements[checked_original->buffer] = needed;
        grow(left.plan, elements);
    }
    grow(right.plan, elements);

    const auto start = [&](const CpuLibrary& library) {
        return std::async(std::launch::async, run_kernel, state_->call(library, entry_point, options), std::cref(right.plan), options.limits);
    };
    auto checked_rewritten_run = start(right.checked_library);
    auto rewritten_run = start(right.library);
    const auto original_run = state_->run_original(left.library, entry_point, left.plan, options);
    const Result<KernelRun> checked_rewritten = checked_rewritten_run.get(), rewritten_result = rewritten_run.get();
    for (const Result<KernelRun>* run : {&checked_rewritten, &rewritten_result})
        if (!*run)
            return tl::unexpected(run->error());
    if (!original_run)
        return tl::unexpected(original_run.error());

    if ((*original_run)->end == KernelRun::End::failed)
        return comparison.failed(**original_run, "original");
    if (checked_rewritten->end == KernelRun::End::out_of_range)
        return comparison.out_of_range(*checked_rewritten, right, false);
    for (const KernelRun* run : {&*checked_rewritten, &*rewritten_result})
        if (run->end == KernelRun::End::failed)
            return comparison.failed(*run, "rewritten");
    return comparison.compared(compare_runs(**original_run, left.plan, *rewritten_result, right.plan, options.tolerance), left,
                               *checked_original);
}

Result<std::vector<EntryOutputs>> Verifier::run_entry(const CpuVariant& variant, const std::string& entry_point,
                                                      const std::vector<EntryInputs>& inputs, const ProcessLimits& limits) {
    VerifyOptions options;
    options.samples = static_cast<std::uint32_t>(inputs.size());
    options.limits = limits;
    if (inputs.empty())
        return std::vector<EntryOutputs>{};
    const InstrumentedText text = instrument(variant.code, entry_point);
    Result<InputPlan> plan = make_plan({&variant.reflection, entry_point, &options, first_elements, &text.used_globals});
    if (!plan)
        return tl::unexpected(plan.error());
    plan->given = inputs;
    const auto libraries = state_->libraries.compile({variant.code}, limits);
    if (!libraries)
        return tl::unexpected(libraries.error());
    if (libraries->front().path.empty())
        return tl::unexpected(libraries->front().rejection);
    const Result<KernelRun> run = run_kernel(state_->call(libraries->front(), entry_point, options), *plan, limits);
    if (!run)
        return tl::unexpected(run.error());
    if (run->end != KernelRun::End::done)
        return fail(fmt::format("{} {}", entry_point, run->failure));

    std::vector<EntryOutputs> outputs(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (const BufferPlan& buffer : plan->buffers)
            if (buffer.writable) {
                std::vector<double>& values = outputs[i][buffer.name];
                if (const auto given = inputs[i].find(buffer.name); given != inputs[i].end())
                    values = given->second;
                values.resize(buffer.elements * buffer.slots.size());
            }
    for (const BufferChanges& changes : run->changes) {
        const BufferPlan& buffer = plan->buffers[changes.buffer];
        std::vector<double>& values = outputs.at(changes.sample)[buffer.name];
        for (const Change& change : changes.changes)
            values[change.index] = value_of_bits(change.after, buffer.slots[change.index % buffer.slots.size()].kind);
    }
    return outputs;
}

Result<std::optional<Error>> Verifier::rejection(const CpuVariant& variant) {
    const auto libraries = state_->libraries.compile({variant.code}, VerifyOptions{}.limits);
    if (!libraries)
        return tl::unexpected(libraries.error());
    return libraries->front().path.empty() ? std::optional(libraries->front().rejection) : std::nullopt;
}

} // namespace slimgrad
