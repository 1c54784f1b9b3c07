#include "attributes/wrong_gradient.h"

#include <cmath>
#include <fmt/format.h>

namespace slimgrad {

namespace {

using Kind = GradientFact::Kind;

/// "bwd_diff gives 3.639, central differences 1.393 on 31 of 32 inputs".
std::string numbers(const GradientFact& fact, std::string_view reference) {
    std::string text =
        fmt::format("bwd_diff gives {:.4g}, {} {:.4g}", fact.backward, reference, fact.reference);
    if (fact.mismatching != 0)
        text += fmt::format(" on {} of {} input{}", fact.mismatching, fact.samples,
                            fact.samples == 1 ? "" : "s");
    if (fact.factor != 0 && std::isfinite(fact.factor))
        text += fmt::format(", always {:.4g} times as much", fact.factor);
    return text;
}

std::string message(const GradientFact& fact) {
    const std::string differences = numbers(fact, "central differences");
    switch (fact.kind) {
    case Kind::index_out_of_range:
        return fmt::format(
            "the backward pass of '{}' indexes an array of {} stored values with {}: {}",
            fact.function, fact.extent, fact.index,
            fact.nested ? "slangc stores values of nested loops with unequal bounds transposed"
                        : "the loop runs more often than its bound says");
    case Kind::mutated_memory:
        return fmt::format("'{}' reads '{}' again in the backward pass, after it was written: {}",
                           fact.function, fact.subject, numbers(fact, "without recomputation"));
    case Kind::custom_derivative:
        if (fact.typical != 0)
            return fmt::format(
                "the custom derivative '{}' of '{}' is off by {:.2g} % in most inputs: {}. An "
                "approximation may be meant",
                fact.subject, fact.function, 100 * fact.typical, differences);
        return fmt::format("the custom derivative '{}' of '{}' is wrong: {}", fact.subject,
                           fact.function, differences);
    case Kind::differences:
        return fmt::format("the gradients of '{}' are wrong: {}", fact.function, differences);
    case Kind::data_race:
        return fmt::format("in '{}' {}", fact.function, fact.subject);
    case Kind::no_gradient: // of the rule of that name
    case Kind::cut_path:
        break;
    }
    return fmt::format("this {} cuts a path of '{}' that carries gradient: {}; without it they "
                       "agree. It may be meant",
                       fact.subject, fact.function, differences);
}

} // namespace

std::vector<Finding> wrong_gradient(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const GradientFact& fact : input.gradient_facts) {
        if (fact.kind == Kind::no_gradient)
            continue;
        Finding finding;
        finding.rule = "wrong-gradient";
        finding.severity =
            fact.kind == Kind::cut_path || fact.typical != 0 ? Severity::note : Severity::error;
        finding.place = fact.place;
        if (finding.place.file.empty() && !input.model.files.empty())
            finding.place = {input.model.files.front().path(), 0, 0};
        finding.message = message(fact);
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
