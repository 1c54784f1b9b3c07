#include "plugin/verify/verify.h"

#include "plugin/cache/program_identity.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/gradient_comparison.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace slimgrad {

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
    case Verdict::right:
        return "right";
    case Verdict::wrong:
        return "wrong";
    }
    return "";
}

struct Verifier::State {
    State(const Options& options, TemporaryDirectory directory)
        : folder(std::move(directory)), libraries(options.compiler, folder.path()),
          runner(options.runner.empty() ? beside_this_program("slimgrad-run") : options.runner) {}

    TemporaryDirectory folder;
    verify::CpuLibraries libraries;
    verify::KernelRunner runner;
};

Verifier::Verifier(std::unique_ptr<State> state) : state_(std::move(state)) {}
Verifier::~Verifier() = default;
Verifier::Verifier(Verifier&&) noexcept = default;
Verifier& Verifier::operator=(Verifier&&) noexcept = default;

Result<Verifier> Verifier::create(const Options& options) {
    Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    if (!folder)
        return tl::unexpected(folder.error());
    return Verifier(std::make_unique<State>(options, std::move(*folder)));
}

Result<VerifyResult> Verifier::compare(const CpuVariant& original, const CpuVariant& rewritten,
                                       const std::string& entry_point,
                                       const VerifyOptions& options) {
    return verify::GradientComparison(state_->libraries, state_->runner, entry_point, options)
        .run(original, rewritten);
}

Result<std::vector<EntryOutputs>> Verifier::run_entry(const CpuVariant& variant,
                                                      const std::string& entry_point,
                                                      const std::vector<EntryInputs>& inputs,
                                                      const ProcessLimits& limits) {
    using namespace verify;
    if (inputs.empty())
        return std::vector<EntryOutputs>{};
    const VerifyOptions options;
    const std::string function = code_name(variant.reflection, entry_point);
    const InstrumentedText text = instrument(variant.code, function, variant.machine);
    const bool cuda = variant.machine == Machine::cuda;
    Result<InputPlan> plan = make_plan({&variant.reflection,
                                        entry_point,
                                        &options,
                                        usual_elements,
                                        {},
                                        &text.used_globals,
                                        variant.machine,
                                        cuda ? cuda_use(variant.code) : CudaUse{}});
    if (!plan)
        return tl::unexpected(plan.error());
    plan->given = inputs;
    const auto libraries =
        state_->libraries.compile({library_text(variant.code, variant.machine)}, limits);
    if (!libraries)
        return tl::unexpected(libraries.error());
    if (libraries->front().path.empty())
        return tl::unexpected(libraries->front().rejection);
    const KernelRunner::Call call{libraries->front().path, function, 0,
                                  static_cast<std::uint32_t>(inputs.size())};
    const Result<KernelRun> run = state_->runner.run(call, *plan, limits);
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
            values[change.index] =
                value_of_bits(change.after, buffer.slots[change.index % buffer.slots.size()].kind);
    }
    return outputs;
}

std::string Verifier::identity() const {
    std::string identity = own_identity();
    for (const std::string& program :
         {state_->libraries.compiler(), std::string("as"), std::string("ld")})
        identity += program_identity(program);
    for (const char* form : {"", "-sanitized"})
        identity += program_identity(state_->runner.program() + form);
    return identity +
           environment_identity({"CPATH", "CPLUS_INCLUDE_PATH", "GCC_*", "COMPILER_PATH", "LPATH",
                                 "LIBRARY_PATH", "LD_*", "G++_*", "BINUTILS_*"});
}

verify::CpuLibraries& Verifier::libraries() {
    return state_->libraries;
}

verify::KernelRunner& Verifier::runner() {
    return state_->runner;
}

Result<std::optional<Error>> Verifier::rejection(const CpuVariant& variant) {
    const auto libraries = state_->libraries.compile(
        {verify::library_text(variant.code, variant.machine)}, VerifyOptions{}.limits);
    if (!libraries)
        return tl::unexpected(libraries.error());
    return libraries->front().path.empty() ? std::optional(libraries->front().rejection)
                                           : std::nullopt;
}

} // namespace slimgrad
