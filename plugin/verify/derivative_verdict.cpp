#include "plugin/verify/derivative_verdict.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace slimgrad::verify {
namespace {

using Kind = DerivativeVerdict::Kind;

std::string numbers(const DifferentiatedCall& call) {
    return fmt::format("bwd_diff({}) gives {:.7g} where central differences give {:.7g} (input {}, "
                       "on {} of {} inputs)",
                       call.function, call.backward, call.central_difference, call.sample,
                       call.mismatches, call.samples);
}

DerivativeVerdict judge(const DifferentiatedCall& call) {
    switch (call.differences.state) {
    case StepState::passed:
        if (!call.unpaired.empty())
            return {
                Kind::cannot_tell,
                fmt::format("bwd_diff({}) agrees with central differences, but the gradient of {} "
                            "that a custom derivative adds to memory was not checked; give "
                            "`gradient.{} = \"BUFFER\"` in slimgrad.toml",
                            call.function, fmt::join(call.unpaired, ", "), call.unpaired.front()),
                call.place};
        if (!call.lost.empty())
            return {Kind::cannot_tell,
                    fmt::format("bwd_diff({}) agrees with central differences in double, but {}",
                                call.function, call.lost),
                    call.place};
        return {Kind::right,
                fmt::format("bwd_diff({}) agrees with central differences on {} inputs{}{}",
                            call.function, call.samples,
                            call.kinks ? fmt::format(", {} more at kinks", call.kinks) : "",
                            call.dot_product.state == StepState::failed
                                ? fmt::format("; fwd_diff({}), which backward kernels do not use, "
                                              "does not: {}",
                                              call.function, call.dot_product.detail)
                                : ""),
                call.place};
    case StepState::failed: {
        if (!call.cuts.empty())
            return {Kind::cut,
                    fmt::format("{}; they agree without the cut at {}: it may be meant",
                                numbers(call), short_form(call.cuts.front())),
                    call.cuts.front()};
        std::string reason = numbers(call);
        if (call.approximates())
            return {
                Kind::cannot_tell,
                fmt::format("{}; {}, the custom derivative, is off by {:.2g} % at most in half of "
                            "them: an approximation may be meant",
                            reason, fmt::join(call.custom_derivatives, ", "),
                            100 * call.typical_mismatch),
                call.place};
        if (!call.custom_derivatives.empty())
            reason += fmt::format("; the custom derivative{} {} disagree{}",
                                  call.custom_derivatives.size() > 1 ? "s" : "",
                                  fmt::join(call.custom_derivatives, ", "),
                                  call.custom_derivatives.size() > 1 ? "" : "s");
        return {Kind::wrong, reason, call.place};
    }
    case StepState::not_applicable:
    case StepState::not_run:
        break;
    }
    std::string reason = fmt::format("bwd_diff({}) was not compared with central differences: {}",
                                     call.function, call.differences.detail);
    if (call.dot_product.state == StepState::failed)
        reason =
            fmt::format("bwd_diff({}) and fwd_diff({}) disagree ({:.7g} and {:.7g}, input {}), "
                        "and central differences cannot tell which is wrong: {}",
                        call.function, call.function, call.backward, call.forward, call.sample,
                        call.differences.detail);
    return {Kind::cannot_tell, reason, call.place};
}

StepReport summary(Step step, const std::vector<DifferentiatedCall>& calls,
                   StepReport DifferentiatedCall::* member) {
    StepReport result{step, StepState::not_applicable, "no bwd_diff call was reached", {}};
    // By weight: what failed says most, then what could not be told.
    const auto weight = [](StepState state) {
        switch (state) {
        case StepState::failed:
            return 3;
        case StepState::passed:
            return 2;
        case StepState::not_applicable:
            return 1;
        case StepState::not_run:
            break;
        }
        return 0;
    };
    bool first = true;
    std::chrono::milliseconds took{0};
    for (const DifferentiatedCall& call : calls) {
        const StepReport& own = call.*member;
        took += own.duration;
        if (first || weight(own.state) > weight(result.state)) {
            result.state = own.state;
            result.detail = fmt::format("bwd_diff({}){}{}", call.function,
                                        own.detail.empty() ? "" : ": ", own.detail);
        }
        first = false;
    }
    result.duration = took;
    return result;
}

} // namespace

DerivativeVerdict judge(const std::vector<DifferentiatedCall>& calls) {
    if (calls.empty())
        return {Kind::cannot_tell, "no call of bwd_diff was reached with these inputs", {}};
    std::vector<DerivativeVerdict> verdicts;
    for (const DifferentiatedCall& call : calls)
        verdicts.push_back(judge(call));
    for (const Kind kind : {Kind::wrong, Kind::cannot_tell, Kind::cut})
        for (const DerivativeVerdict& verdict : verdicts)
            if (verdict.kind == kind)
                return verdict;
    return verdicts.front();
}

std::vector<StepReport> derivative_steps(const std::vector<DifferentiatedCall>& calls) {
    return {summary(Step::dot_product, calls, &DifferentiatedCall::dot_product),
            summary(Step::differences, calls, &DifferentiatedCall::differences)};
}

} // namespace slimgrad::verify
