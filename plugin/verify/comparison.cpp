#include "plugin/verify/comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace slimgrad::verify {
namespace {

using ByBuffer = std::map<std::pair<std::uint32_t, std::string>, const BufferChanges*>;

ByBuffer by_buffer(const KernelRun& run, const InputPlan& plan) {
    ByBuffer result;
    for (const BufferChanges& changes : run.changes)
        result[{changes.sample, plan.buffers[changes.buffer].name}] = &changes;
    return result;
}

double root_mean_square(const std::vector<Change>& changes, const BufferPlan& buffer) {
    double sum = 0;
    std::size_t count = 0;
    for (const Change& change : changes) {
        const ScalarKind kind = buffer.slots[change.index % buffer.slots.size()].kind;
        const double value = value_of_bits(change.after, kind);
        if (!holds_float(change.after, kind) || !std::isfinite(value))
            continue;
        sum += value * value;
        ++count;
    }
    return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

constexpr double double_tolerance = 1e-10;
/// Relative error that rounding explains only where larger values cancel.
constexpr double suspicious = 1e-2;

class Comparer {
  public:
    explicit Comparer(double tolerance) : tolerance_(tolerance) {}

    void buffer(std::uint32_t sample, const BufferPlan& plan, const std::vector<Change>& original,
                const std::vector<Change>& rewritten) {
        const double rms = root_mean_square(original, plan);
        std::size_t i = 0, k = 0;
        while (i < original.size() || k < rewritten.size()) {
            // Both are sorted by index; a scalar that only one run changed still has its first
            // value in the other.
            const bool have_original =
                i < original.size() &&
                (k == rewritten.size() || original[i].index <= rewritten[k].index);
            const bool have_rewritten =
                k < rewritten.size() &&
                (i == original.size() || rewritten[k].index <= original[i].index);
            const Change& known = have_original ? original[i] : rewritten[k];
            const ScalarKind kind = plan.slots[known.index % plan.slots.size()].kind;
            scalar({plan.name, known.index, 0, 0, sample},
                   have_original ? original[i].after : known.before,
                   have_rewritten ? rewritten[k].after : known.before, kind, rms);
            if (have_original && value_of_bits(original[i].after, kind) != 0)
                result_.any_not_zero = true;
            i += have_original ? 1 : 0;
            k += have_rewritten ? 1 : 0;
        }
    }

    Comparison result() && { return std::move(result_); }

  private:
    void scalar(Difference where, std::uint64_t original, std::uint64_t rewritten, ScalarKind kind,
                double rms) {
        where.original = value_of_bits(original, kind);
        where.rewritten = value_of_bits(rewritten, kind);
        result_.bit_equal &= original == rewritten;
        if (!holds_float(original, kind) || !holds_float(rewritten, kind)) {
            if (original != rewritten)
                differs(where);
            return;
        }
        if (!std::isfinite(where.original)) {
            const bool same = std::isnan(where.original) ? std::isnan(where.rewritten)
                                                         : where.original == where.rewritten;
            if (!same)
                differs(where);
            else if (!result_.not_finite)
                result_.not_finite = where;
            return;
        }
        const double scale = std::max({std::fabs(where.original), std::fabs(where.rewritten), rms});
        const double error = std::fabs(where.original - where.rewritten);
        if (!std::isfinite(where.rewritten)) {
            result_.largest_error = std::numeric_limits<double>::infinity();
            return differs(where, true);
        }
        if (error > 0)
            result_.largest_error = std::max(result_.largest_error, error / scale);
        if (error > tolerance_for(kind) * scale)
            differs(where, error > suspicious * scale);
        else if (error >
                     suspicious * std::max(std::fabs(where.original), std::fabs(where.rewritten)) &&
                 !result_.hidden_difference)
            result_.hidden_difference = where;
    }

    double tolerance_for(ScalarKind kind) const {
        return kind == ScalarKind::float64 ? std::min(tolerance_, double_tolerance) : tolerance_;
    }

    void differs(const Difference& where, bool gross = false) {
        if (!result_.difference || (gross && !gross_)) {
            result_.difference = where;
            gross_ = gross;
        }
    }

    double tolerance_;
    bool gross_ = false; ///< the difference that is shown
    Comparison result_;
};

} // namespace

Comparison compare_runs(const KernelRun& original, const InputPlan& original_plan,
                        const KernelRun& rewritten, const InputPlan& rewritten_plan,
                        double tolerance) {
    const ByBuffer left = by_buffer(original, original_plan),
                   right = by_buffer(rewritten, rewritten_plan);
    static const std::vector<Change> nothing;
    Comparer comparer(tolerance);
    for (const auto& [key, changes] : left) {
        const auto other = right.find(key);
        comparer.buffer(key.first, original_plan.buffers[changes->buffer], changes->changes,
                        other == right.end() ? nothing : other->second->changes);
    }
    for (const auto& [key, changes] : right) {
        if (!left.contains(key))
            comparer.buffer(key.first, rewritten_plan.buffers[changes->buffer], nothing,
                            changes->changes);
    }
    return std::move(comparer).result();
}

std::string scalar_name(const InputPlan& plan, const std::string& buffer, std::uint64_t scalar) {
    for (const BufferPlan& candidate : plan.buffers)
        if (candidate.name == buffer)
            return fmt::format("{}[{}]{}", buffer, scalar / candidate.slots.size(),
                               candidate.slots[scalar % candidate.slots.size()].name);
    return fmt::format("{}[{}]", buffer, scalar);
}

} // namespace slimgrad::verify
