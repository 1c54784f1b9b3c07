#include "plugin/verify/replay_judge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slimgrad::verify {
namespace {

std::string counted(std::uint64_t n, std::string_view noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// Whether a gradient this steep would leave the range of the function within the smallest step:
/// differences say nothing about it. Chaotic kernels have such gradients.
bool is_too_steep(const DirectionalValues& values, double gradient, Precision precision) {
    double largest = std::max(std::abs(values.at_zero), values.magnitude);
    for (const auto* side : {&values.plus, &values.minus})
        for (const double value : *side)
            if (std::isfinite(value))
                largest = std::max(largest, std::abs(value));
    return std::abs(gradient) * difference_steps(precision).back() > largest;
}

/// What moves of a call: its arguments, or one buffer.
struct JudgedPart {
    std::string buffer; ///< "" for the arguments
    const std::vector<ReplayValues>* samples = nullptr;
    std::vector<DifferenceJudgement> judgements;
    std::vector<std::uint32_t> numbers; ///< of the samples that were judged
    std::uint32_t not_finite = 0;
    DifferenceSummary summary;

    JudgedPart(std::string moved, const std::vector<ReplayValues>& values, Precision precision)
        : buffer(std::move(moved)), samples(&values) {
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            const ReplayValues& value = values[i];
            if (!value.ran)
                continue;
            const double gradient = value.backward + value.buffers;
            if (!std::isfinite(gradient)) { // whether inputs that overflow are meant is not known
                ++not_finite;
                continue;
            }
            judgements.push_back(judge_differences(value.differences, gradient, precision));
            if (judgements.back().verdict == DifferenceVerdict::mismatch &&
                is_too_steep(value.differences, gradient, precision))
                judgements.back().verdict = DifferenceVerdict::too_coarse;
            numbers.push_back(i);
        }
        summary = summarize_differences(judgements);
    }

    bool judged() const { return judgements.size() > not_finite; }
    bool is(DifferenceSummary::Outcome outcome) const {
        return judged() && summary.outcome == outcome;
    }
    /// Nothing of it moves the result, as its gradient says.
    bool still() const {
        return judged() && !is(DifferenceSummary::Outcome::right) &&
               summary.agreeing == summary.samples;
    }
    /// Where most inputs lie at kinks the function is chaotic, and what differences converge to at
    /// the others may be its structure at the smallest steps.
    bool chaotic() const { return 2 * (summary.agreeing + summary.mismatching) < summary.samples; }
    std::string reason() const {
        const std::string infinite = not_finite == 0 ? ""
                                                     : fmt::format("gradients of {} are not finite",
                                                                   counted(not_finite, "input"));
        std::string text = infinite.empty() ? "no input gave values" : infinite;
        if (judged())
            text = summary.reason + (infinite.empty() ? "" : ", " + infinite);
        return buffer.empty() ? text : fmt::format("of {} {}", buffer, text);
    }
};

double relative_error(const DifferenceJudgement& judgement) {
    const double size =
        std::max(std::abs(judgement.gradient), std::abs(judgement.central_difference));
    return std::isfinite(size) ? std::abs(judgement.gradient - judgement.central_difference) / size
                               : std::numeric_limits<double>::infinity();
}

/// Takes over the numbers of the first call whose own gradient mismatches, in the samples that do
/// so with their calls evened out. False: there is none.
bool show_wrong_call(const JudgedPart& evened,
                     const std::vector<std::vector<ReplayValues>>& separate, Precision precision,
                     DifferentiatedCall& call) {
    for (std::size_t i = 0; i < evened.judgements.size(); ++i) {
        if (evened.judgements[i].verdict != DifferenceVerdict::mismatch)
            continue;
        for (const ReplayValues& one : separate[evened.numbers[i]]) {
            const DifferenceJudgement judgement =
                judge_differences(one.differences, one.backward, precision);
            if (judgement.verdict != DifferenceVerdict::mismatch ||
                is_too_steep(one.differences, one.backward, precision))
                continue;
            call.sample = evened.numbers[i];
            call.backward = judgement.gradient;
            call.central_difference = judgement.central_difference;
            call.typical_mismatch = relative_error(judgement);
            return true;
        }
    }
    return false;
}

/// Takes over the numbers of a part.
void show(DifferentiatedCall& call, const JudgedPart& part) {
    const DifferenceSummary& summary = part.summary;
    call.samples = summary.agreeing + summary.mismatching;
    call.kinks = summary.kinks;
    call.mismatches = summary.mismatching;
    std::vector<double> errors;
    for (const DifferenceJudgement& judgement : part.judgements)
        if (judgement.verdict == DifferenceVerdict::mismatch)
            errors.push_back(relative_error(judgement));
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    call.typical_mismatch = errors.empty() ? 0 : *middle;
    if (part.judgements.empty())
        return;
    call.sample = part.numbers[summary.sample];
    call.backward = part.judgements[summary.sample].gradient;
    call.central_difference = part.judgements[summary.sample].central_difference;
    const ReplayValues& shown = (*part.samples)[call.sample];
    if (part.buffer.empty() && call.dot_product.state != StepState::not_applicable &&
        shown.backward == shown.dot_backward) // else fwd_diff went along another direction
        call.forward = shown.forward;
}

/// "96 calls", "64 of up to 5000 calls of each input".
std::string calls_text(const Replay& replay) {
    return replay.most_made <= most_recorded_calls
               ? counted(replay.calls, "call")
               : fmt::format("{} of up to {} calls of each input", most_recorded_calls,
                             replay.most_made);
}

} // namespace

void not_applicable(StepReport& step, std::string why) {
    if (step.state == StepState::not_run) {
        step.state = StepState::not_applicable;
        step.detail = std::move(why);
    }
}

void not_applicable(DifferentiatedCall& call, const std::string& why) {
    not_applicable(call.dot_product, why);
    not_applicable(call.differences, why);
}

ReplayValues evened_out(const std::vector<ReplayValues>& calls, Precision precision) {
    constexpr double similar = 16;
    const bool in_double = precision == Precision::float64;
    // Of a call's own magnitude: smaller gradients are lost in its roundoff.
    const double resolved = in_double ? 0x1p-20 : 0x1p-6;
    const double smallest = in_double ? 1e-290 : 1e-30;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    std::vector<double> units;
    for (const ReplayValues& call : calls) {
        const double size =
            std::max(call.differences.magnitude, std::abs(call.differences.at_zero));
        if (!std::isfinite(size) || !std::isfinite(call.backward))
            return {};
        const double floor = std::max(resolved * size, smallest);
        units.push_back(std::abs(call.backward) > floor ? call.backward : floor);
        least = std::min(least, std::abs(units.back()));
        most = std::max(most, std::abs(units.back()));
    }
    if (calls.size() < 2 || most <= similar * least)
        return {};
    ReplayValues result;
    result.ran = true;
    DirectionalValues& sums = result.differences;
    sums.plus.resize(calls.front().differences.plus.size());
    sums.minus.resize(calls.front().differences.minus.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const DirectionalValues& own = calls[i].differences;
        if (calls[i].backward == 0 && own.magnitude == 0 && own.at_zero == 0)
            continue; // it may be too small for the type
        result.backward += calls[i].backward / units[i];
        sums.at_zero += own.at_zero / units[i];
        sums.magnitude += own.magnitude / std::abs(units[i]);
        for (std::size_t k = 0; k < sums.plus.size(); ++k) {
            sums.plus[k] += own.plus[k] / units[i];
            sums.minus[k] += own.minus[k] / units[i];
        }
    }
    return result;
}

void judge_dot_product(DifferentiatedCall& call, const std::vector<ReplayValues>& samples,
                       Precision precision) {
    StepReport& step = call.dot_product;
    if (step.state != StepState::not_run)
        return;
    const double tolerance = precision == Precision::float64 ? 1e-7 : 1e-2;
    std::uint32_t compared = 0, different = 0;
    const ReplayValues* shown = nullptr;
    bool any = false;
    for (const ReplayValues& value : samples) {
        if (!value.ran || !std::isfinite(value.forward) || !std::isfinite(value.dot_backward))
            continue;
        ++compared;
        any = any || value.forward != 0 || value.dot_backward != 0;
        const double scale = std::max(value.forward_magnitude, value.backward_magnitude);
        if (std::abs(value.forward - value.dot_backward) <= tolerance * scale)
            continue;
        if (!shown)
            shown = &value;
        ++different;
    }
    if (compared == 0)
        return not_applicable(step, "no input gave finite values");
    if (!any)
        return not_applicable(step, "all gradients are zero");
    if (different == 0) {
        step.state = StepState::passed;
        step.detail = counted(compared, "input");
    } else if (different >= std::min(compared, 2u)) {
        step.state = StepState::failed;
        step.detail = fmt::format("bwd_diff gives {:.6g}, fwd_diff {:.6g}: {} of {} inputs",
                                  shown->dot_backward, shown->forward, different, compared);
    } else {
        not_applicable(step, fmt::format("1 of {} inputs differs, which a kink can be the cause of",
                                         compared));
    }
}

void judge_differences_of(DifferentiatedCall& call, const Replay& replay, Precision precision) {
    using Outcome = DifferenceSummary::Outcome;
    StepReport& step = call.differences;
    if (step.state != StepState::not_run)
        return;
    std::vector<JudgedPart> parts;
    const auto ran = [](const std::vector<ReplayValues>& values) {
        return std::any_of(values.begin(), values.end(), [](const auto& v) { return v.ran; });
    };
    if (ran(replay.samples) || replay.buffers.empty())
        parts.emplace_back("", replay.samples, precision);
    for (const auto& [buffer, values] : replay.buffers) {
        parts.emplace_back(buffer, values,
                           replay.moved_in_float.contains(buffer) ? Precision::float32 : precision);
        if (const auto unknown = replay.unknown_layouts.find(buffer);
            unknown != replay.unknown_layouts.end() && parts.back().is(Outcome::wrong)) {
            parts.back().summary.outcome = Outcome::cannot_tell;
            parts.back().summary.reason += ", but " + unknown->second;
        }
    }
    const auto first = [&](auto&& chosen) {
        return std::find_if(parts.begin(), parts.end(), chosen);
    };
    const std::string_view words = precision == Precision::float64 ? "in double" : "in float";
    auto part = first([](const JudgedPart& p) { return p.is(Outcome::wrong) && !p.chaotic(); });
    if (part != parts.end()) {
        show(call, *part);
        step.state = StepState::failed;
        step.detail = fmt::format("bwd_diff gives {:.6g}, central differences {:.6g}: {} ({})",
                                  call.backward, call.central_difference, part->reason(), words);
        return;
    }
    part = first([](const JudgedPart& p) { return !p.is(Outcome::right) && !p.still(); });
    if (part != parts.end()) {
        show(call, *part);
        std::string why = part->reason();
        if (part->is(Outcome::wrong))
            why += fmt::format(", but only {} of {} could be judged", call.samples,
                               part->summary.samples);
        return not_applicable(step, part->judged() ? fmt::format("{} ({})", why, words) : why);
    }
    part = first([](const JudgedPart& p) { return p.is(Outcome::right); });
    if (part == parts.end()) {
        show(call, parts.front());
        return not_applicable(step, fmt::format("{} ({})", parts.front().reason(), words));
    }
    show(call, *part);
    std::vector<ReplayValues> even;
    for (const std::vector<ReplayValues>& calls : replay.separate)
        even.push_back(evened_out(calls, precision));
    const JudgedPart evened("", even, precision);
    if (evened.is(Outcome::wrong) && !evened.chaotic() &&
        show_wrong_call(evened, replay.separate, precision, call)) {
        call.samples = evened.summary.agreeing + evened.summary.mismatching;
        call.mismatches = evened.summary.mismatching;
        call.kinks = evened.summary.kinks;
        step.state = StepState::failed;
        step.detail =
            fmt::format("bwd_diff gives {:.6g}, central differences {:.6g}, in one of the "
                        "calls: {} ({})",
                        call.backward, call.central_difference, evened.reason(), words);
        return;
    }
    step.state = StepState::passed;
    std::string reason;
    for (const JudgedPart& p : parts)
        if (p.is(Outcome::right))
            reason += (reason.empty() ? "" : ", ") + p.reason();
    step.detail = fmt::format("{} ({}, {})", reason, calls_text(replay), words);
}

} // namespace slimgrad::verify
