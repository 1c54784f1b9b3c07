#include "plugin/verify/gpu_comparison.h"

#include "plugin/cuda/nvcc.h"
#include "plugin/verify/comparison.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/gradient_comparison.h"
#include "plugin/verify/make_plan.h"
#include "plugin/verify/tensor_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <utility>

namespace slimgrad::verify {
namespace {

constexpr double rounding_margin = 10;
/// Between host and device, whose functions round differently.
constexpr double host_tolerance = 1e-3;

/// A step that could not come to a result.
struct Stopped {
    StepState state;
    std::string detail;
};
template <class T> using Outcome = tl::expected<T, Stopped>;

tl::unexpected<Stopped> stop(StepState state, std::string detail) {
    return tl::unexpected(Stopped{state, std::move(detail)});
}

/// One variant on the device.
struct Side {
    std::string_view name; ///< "original", "rewritten"
    const CpuVariant* variant = nullptr;
    InputPlan plan;
    std::string ptx_file, symbol;
};

class GpuComparison {
  public:
    GpuComparison(CpuLibraries& libraries, KernelRunner& runner, const DeviceRequest& request)
        : libraries_(libraries), runner_(runner), request_(request), options_(*request.options),
          alone_(request.original == request.rewritten) {}

    Outcome<std::string> run();
    std::optional<Difference> difference() const { return difference_; }

  private:
    Outcome<Side> prepare(std::string_view name, const CpuVariant& variant, const std::string& arch,
                          const std::string& folder) const;
    Outcome<KernelRun> run(const Side& side);
    /// The original on the device and on the host; nothing: the host does not run it.
    std::optional<Comparison> against_host(const Side& original, const KernelRun& on_device);
    KernelRunner::Call call(std::string library, std::string entry, bool on_device) const;
    std::string described(const Comparison& comparison, std::string_view first,
                          std::string_view second) const;

    CpuLibraries& libraries_;
    KernelRunner& runner_;
    const DeviceRequest& request_;
    const VerifyOptions& options_;
    const bool alone_;
    std::optional<Difference> difference_;
};

Outcome<Side> GpuComparison::prepare(std::string_view name, const CpuVariant& variant,
                                     const std::string& arch, const std::string& folder) const {
    const VerifyResult& host = *request_.host;
    const std::string function = code_name(variant.reflection, host.entry_point);
    const InstrumentedText text = instrument(variant.code, function, variant.machine);
    Result<InputPlan> plan =
        make_plan({&variant.reflection, host.entry_point, &options_, first_elements, host.defaults,
                   &text.used_globals, Machine::cuda, use_of(variant)});
    if (!plan)
        return stop(StepState::not_applicable, plan.error().message);
    if (options_.checkpoint_trips)
        plan->checkpoint_trips = *options_.checkpoint_trips;
    for (BufferPlan& buffer : plan->buffers)
        if (const auto found = host.elements.find(buffer.name); found != host.elements.end())
            buffer.elements = std::max(buffer.elements, found->second);
    resize_tensors(*plan, host.tensor_sizes, options_.ranges);

    NvccOptions nvcc = options_.device->nvcc;
    nvcc.arch = arch;
    nvcc.fast_math = false;
    nvcc.extra_arguments.push_back("--fmad=false");
    const Result<PtxResult> compiled = compile_to_ptx(options_.device->toolkit, variant.code, nvcc);
    if (!compiled)
        return stop(StepState::not_run, to_string(compiled.error()));
    if (!compiled->succeeded())
        return stop(
            StepState::not_run,
            fmt::format("nvcc does not compile the {} kernel's code: {}", name, compiled->detail));
    Side side{name, &variant, std::move(*plan), fmt::format("{}/{}.ptx", folder, name),
              entry_symbol(compiled->ptx, function)};
    if (side.symbol.empty())
        return stop(StepState::not_run,
                    fmt::format("the {} kernel's PTX has no entry {}", name, function));
    std::ofstream file(side.ptx_file, std::ios::binary);
    file << compiled->ptx;
    if (!file.flush())
        return stop(StepState::not_run, side.ptx_file + " cannot be written");
    return side;
}

KernelRunner::Call GpuComparison::call(std::string library, std::string entry,
                                       bool on_device) const {
    KernelRunner::Call call{std::move(library), std::move(entry), options_.sample.value_or(0),
                            options_.sample ? 1 : options_.samples};
    call.on_device = on_device;
    return call;
}

Outcome<KernelRun> GpuComparison::run(const Side& side) {
    Result<KernelRun> run =
        runner_.run(call(side.ptx_file, side.symbol, true), side.plan, options_.limits);
    if (!run)
        return stop(StepState::not_run, run.error().message);
    if (run->end == KernelRun::End::done)
        return std::move(*run);
    const bool says_nothing = run->unsupported || run->timed_out || side.name == "original";
    return stop(says_nothing ? StepState::not_applicable : StepState::failed,
                fmt::format("the {} kernel {} (input {}, seed {})", side.name, run->failure,
                            run->sample, options_.seed));
}

std::optional<Comparison> GpuComparison::against_host(const Side& original,
                                                      const KernelRun& on_device) {
    const CpuVariant& variant = *original.variant;
    const auto libraries =
        libraries_.compile({library_text(variant.code, variant.machine)}, options_.limits);
    if (!libraries || libraries->front().path.empty())
        return std::nullopt;
    const std::string function = code_name(variant.reflection, request_.host->entry_point);
    const Result<KernelRun> on_host = runner_.run_again(
        call(libraries->front().path, function, false), original.plan, options_.limits);
    if (!on_host || on_host->end != KernelRun::End::done)
        return std::nullopt;
    return compare_runs(*on_host, original.plan, on_device, original.plan, host_tolerance);
}

std::string GpuComparison::described(const Comparison& comparison, std::string_view first,
                                     std::string_view second) const {
    const Difference& difference = *comparison.difference;
    return fmt::format("scalar {} of {} is {:.9g} {} and {:.9g} {} (input {}, seed {})",
                       difference.element, difference.buffer, difference.original, first,
                       difference.rewritten, second, difference.sample, options_.seed);
}

Outcome<std::string> GpuComparison::run() {
    if (request_.original->target_code || request_.rewritten->target_code)
        return stop(StepState::not_run, "the module holds code of the target language, which "
                                        "slimgrad does not run");
    const Result<KernelRunner::Device> device = runner_.device(options_.limits);
    if (!device)
        return stop(StepState::not_run, device.error().message);
    const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    if (!folder)
        return stop(StepState::not_run, folder.error().message);
    const std::string arch = arch_for(options_.device->nvcc.arch, device->capability);
    const Outcome<Side> original = prepare("original", *request_.original, arch, folder->path());
    if (!original)
        return tl::unexpected(original.error());
    const Outcome<KernelRun> first = run(*original);
    const Outcome<KernelRun> again = first ? run(*original) : first;
    if (!again)
        return tl::unexpected(again.error());
    const Comparison repeated =
        compare_runs(*first, original->plan, *again, original->plan, options_.tolerance);
    if (repeated.difference)
        return stop(StepState::not_applicable, "the original does not write the same twice: " +
                                                   described(repeated, "first", "then"));

    std::string detail = fmt::format("{}, PTX for {}: ", device->name, arch);
    if (alone_) {
        detail += repeated.bit_equal ? "two runs are bit-equal" : "two runs are equal";
    } else {
        const Outcome<Side> rewritten =
            prepare("rewritten", *request_.rewritten, arch, folder->path());
        const Outcome<KernelRun> other =
            rewritten ? run(*rewritten) : tl::unexpected(rewritten.error());
        if (!other)
            return tl::unexpected(other.error());
        const VerifyResult& says = *request_.host;
        const double rounding = says.verdict == Verdict::different ? 0 : says.largest_error;
        const double noise = std::max(repeated.largest_error, rounding);
        const Comparison comparison =
            compare_runs(*first, original->plan, *other, rewritten->plan,
                         std::max(options_.tolerance, rounding_margin * noise));
        if (comparison.difference) {
            difference_ = comparison.difference;
            return stop(StepState::failed, detail + described(comparison, "in the original",
                                                              "in the rewritten kernel"));
        }
        detail += comparison.bit_equal
                      ? "bit-equal"
                      : fmt::format("largest relative error {:.2g}", comparison.largest_error);
    }
    const std::optional<Comparison> host = against_host(*original, *first);
    if (!host)
        return detail + "; not compared with the host";
    if (!host->difference)
        return detail + fmt::format("; device and host {:.2g} apart", host->largest_error);
    detail += "; " + described(*host, "on the host", "on the device");
    return alone_ ? stop(StepState::failed, detail) : Outcome<std::string>(detail);
}

} // namespace

std::string entry_symbol(std::string_view ptx, const std::string& kernel) {
    constexpr std::string_view entry = ".entry ";
    std::string symbol;
    for (std::size_t at = ptx.find(entry); at != ptx.npos; at = ptx.find(entry, at)) {
        at += entry.size();
        const std::string name(ptx.substr(at, ptx.find_first_of("( \t\r\n", at) - at));
        if (plain_name(name) != kernel)
            continue;
        if (!symbol.empty())
            return "";
        symbol = name;
    }
    return symbol;
}

std::string arch_for(const std::string& wanted, std::uint32_t capability) {
    std::uint32_t number = 0; // "sm_89", "sm_90a"
    for (const char c : wanted)
        if (c >= '0' && c <= '9')
            number = number * 10 + static_cast<std::uint32_t>(c - '0');
    return number <= capability ? wanted : fmt::format("sm_{}", capability);
}

DeviceComparison compare_on_device(CpuLibraries& libraries, KernelRunner& runner,
                                   const DeviceRequest& request) {
    const StepClock clock;
    GpuComparison comparison(libraries, runner, request);
    Outcome<std::string> outcome = comparison.run();
    DeviceComparison result;
    result.step.step = Step::device;
    result.step.state = outcome ? StepState::passed : outcome.error().state;
    result.step.detail = outcome ? std::move(*outcome) : outcome.error().detail;
    result.step.duration = clock.elapsed();
    result.difference = comparison.difference();
    return result;
}

bool stayed_inside(const VerifyResult& result) {
    bool checked = false;
    for (const StepReport& step : result.steps)
        if (step.step == Step::checked) {
            checked = true;
            if (step.state != StepState::passed)
                return false;
        }
    return checked;
}

void confirm_on_device(CpuLibraries& libraries, KernelRunner& runner, const CpuVariant& original,
                       const CpuVariant& rewritten, const VerifyOptions& options,
                       VerifyResult& result) {
    if (!stayed_inside(result)) { // it may write anywhere
        result.steps.push_back({Step::device,
                                StepState::not_run,
                                "on the host it did not run to its end with every index inside",
                                {}});
        return;
    }
    const DeviceComparison device =
        compare_on_device(libraries, runner, {&original, &rewritten, &options, &result});
    result.steps.push_back(device.step);
    const bool alone = &original == &rewritten;
    if (device.step.state == StepState::passed && result.verdict == Verdict::different)
        result.reason += "; on the device they are equal";
    if (device.step.state != StepState::failed)
        return;
    if (alone && result.verdict == Verdict::right) {
        result.verdict = Verdict::unverified;
        result.reason = "the device does not compute what the host does: " + device.step.detail;
    } else if (!alone &&
               (result.verdict == Verdict::equal || result.verdict == Verdict::unverified)) {
        result.verdict = device.difference ? Verdict::different : Verdict::rewritten_wrong;
        result.reason = "on the device: " + device.step.detail;
        result.difference = device.difference;
    }
}

} // namespace slimgrad::verify
