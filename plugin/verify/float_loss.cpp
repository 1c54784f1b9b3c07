#include "plugin/verify/float_loss.h"

#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cuda_text.h"
#include "plugin/verify/make_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <utility>

namespace slimgrad::verify {
namespace {

/// A value this much smaller than it should be is lost.
constexpr double much_smaller = 0x1p-10;
/// Of the root mean square of what is written to the buffer: less is negligible.
constexpr double negligible = 0x1p-20;

/// By index of a buffer's scalars.
using Written = std::map<std::uint64_t, double>;

/// By sample and name of the buffer; scalars that hold floating-point numbers.
std::map<std::pair<std::uint32_t, std::string>, Written> written(const KernelRun& run,
                                                                 const InputPlan& plan) {
    std::map<std::pair<std::uint32_t, std::string>, Written> result;
    for (const BufferChanges& changes : run.changes) {
        const BufferPlan& buffer = plan.buffers[changes.buffer];
        for (const Change& change : changes.changes) {
            const ScalarKind kind = buffer.slots[change.index % buffer.slots.size()].kind;
            if (is_floating(kind))
                result[{changes.sample, buffer.name}][change.index] =
                    value_of_bits(change.after, kind);
        }
    }
    return result;
}

/// The smallest number of the buffer's type that has all its digits.
double smallest_normal(const BufferPlan& buffer, std::uint64_t index) {
    return buffer.slots[index % buffer.slots.size()].kind == ScalarKind::half
               ? 0x1p-14
               : std::numeric_limits<float>::min();
}

struct Count {
    std::uint32_t seen = 0, lost = 0;
    std::uint32_t sample = 0; ///< the first where it is lost
    double single = 0, in_double = 0;
};

} // namespace

std::string find_loss(const KernelRun& single, const InputPlan& single_plan,
                      const KernelRun& in_double, const InputPlan& double_plan) {
    const auto left = written(single, single_plan), right = written(in_double, double_plan);
    std::map<std::pair<std::string, std::uint64_t>, Count> counts;
    for (const auto& [key, exact] : right) {
        const auto& [sample, name] = key;
        const auto own = left.find(key);
        const auto buffer = std::find_if(single_plan.buffers.begin(), single_plan.buffers.end(),
                                         [&](const BufferPlan& b) { return b.name == key.second; });
        if (own == left.end() || buffer == single_plan.buffers.end())
            continue;
        double squares = 0;
        for (const auto& [index, value] : exact)
            squares += std::isfinite(value) ? value * value : 0;
        const double least = negligible * std::sqrt(squares / static_cast<double>(exact.size()));
        for (const auto& [index, value] : exact) {
            const auto found = own->second.find(index);
            if (found == own->second.end() || !std::isfinite(value))
                continue;
            Count& count = counts[{name, index}];
            ++count.seen;
            if (std::abs(value) < std::max(least, smallest_normal(*buffer, index)) ||
                std::abs(found->second) > much_smaller * std::abs(value))
                continue;
            if (count.lost++ == 0) {
                count.sample = sample;
                count.single = found->second;
                count.in_double = value;
            }
        }
    }
    for (const auto& [where, count] : counts) {
        const std::uint32_t needed = std::min(3u, count.seen);
        if (count.lost == 0 || count.lost < needed || 2 * count.lost <= count.seen)
            continue;
        const auto& [name, index] = where;
        const auto buffer =
            std::find_if(single_plan.buffers.begin(), single_plan.buffers.end(),
                         [&](const BufferPlan& b) { return b.name == where.first; });
        const std::size_t slots = buffer->slots.size();
        return fmt::format("{}[{}]{} is {:.3g} as the kernel computes it and {:.3g} in double "
                           "(input {}, on {} of {} inputs)",
                           name, index / slots, buffer->slots[index % slots].name, count.single,
                           count.in_double, count.sample, count.lost, count.seen);
    }
    return "";
}

Result<std::string> lost_in_float(CpuLibraries& libraries, KernelRunner& runner,
                                  const DerivativeRequest& request, const KernelRun& in_double,
                                  const InputPlan& double_plan) {
    const VerifyOptions& options = *request.options;
    const std::string function = code_name(*request.reflection, request.entry_point);
    // The comparison compiled and ran the same text.
    const InstrumentedText text = instrument(*request.code, function, request.machine);
    const auto compiled = libraries.compile({text.code}, options.limits);
    if (!compiled)
        return tl::unexpected(compiled.error());
    Result<InputPlan> plan =
        make_plan({request.reflection, request.entry_point, request.options, first_elements,
                   request.defaults, &text.used_globals, request.machine,
                   request.machine == Machine::cuda ? cuda_use(*request.code) : CudaUse{}});
    if (!plan || compiled->front().path.empty())
        return "";
    for (BufferPlan& buffer : plan->buffers)
        for (const BufferPlan& other : double_plan.buffers)
            if (other.name == buffer.name)
                buffer.elements = std::max(buffer.elements, other.elements);
    const std::uint32_t first = options.sample.value_or(0);
    const Result<KernelRun> run = runner.run({compiled->front().path, function, first,
                                              options.sample ? 1 : std::max(options.samples, 1u)},
                                             *plan, options.limits);
    if (!run)
        return tl::unexpected(run.error());
    return run->end == KernelRun::End::done ? find_loss(*run, *plan, in_double, double_plan) : "";
}

} // namespace slimgrad::verify
