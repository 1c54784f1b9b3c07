#include "attributes/no_diff_parameter.h"

#include "attributes/entry_point.h"
#include "attributes/unused_gradients.h"
#include "rewriter/call_derivative.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace slimgrad {
namespace {

/// "'a'", "'a' and 'b'", "'a', 'b' and 'c'".
std::string names_of(const Function& function, const std::vector<Index>& parameters) {
    std::string names;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        names += fmt::format("{}'{}'",
                             i == 0                       ? ""
                             : i + 1 == parameters.size() ? " and "
                                                          : ", ",
                             function.parameters[parameters[i]].name);
    return names;
}

/// Bytes of the largest context of each name.
std::map<std::string, std::uint64_t> stored_bytes(const CompileResult& compiled) {
    std::map<std::string, std::uint64_t> bytes;
    for (const CheckpointContext& context : compiled.contexts)
        bytes[context.function] = std::max(bytes[context.function], context.bytes);
    return bytes;
}

bool can_edit(const RuleInput& input, Site site) {
    return !input.model.is_macro(site) && !input.model.is_broken(site) &&
           input.editable(input.model.files[site.file].path());
}

class ParameterRule {
  public:
    explicit ParameterRule(const RuleInput& input)
        : input_(input), model_(input.model), unused_(input), own_(model_),
          stored_(stored_bytes(input.compiled)) {}

    std::vector<Finding> run() {
        std::vector<Finding> findings;
        for (Index i = 0; i < model_.functions.size(); ++i) {
            const Function& function = model_.functions[i];
            if (!unused_.is_differentiated(i) || !function.body || is_entry_point(function) ||
                own_.has(i))
                continue;
            const std::uint64_t bytes = stored_for(i);
            const auto parameters = bytes > 0 ? unused_.of(i) : std::vector<Index>{};
            if (!parameters.empty())
                findings.push_back(finding(i, parameters, bytes));
        }
        return findings;
    }

  private:
    /// What is stored for the function, for what it calls, or for what calls it.
    std::uint64_t stored_for(Index function) const {
        std::uint64_t bytes = 0;
        for (Index i = 0; i < model_.functions.size(); ++i) {
            const auto stored = stored_.find(model_.functions[i].name);
            if (stored == stored_.end() || stored->second <= bytes)
                continue;
            if (unused_.effects().reachable(i, true).contains(function) ||
                unused_.effects().reachable(function, true).contains(i))
                bytes = stored->second;
        }
        return bytes;
    }

    Finding finding(Index index, const std::vector<Index>& parameters, std::uint64_t bytes) {
        const Function& function = model_.functions[index];
        const std::string names = names_of(function, parameters);
        Finding finding;
        finding.rule = "no-diff-parameter";
        finding.place = model_.place(function.name_site);
        finding.bytes = bytes;
        finding.message = fmt::format("nobody uses the gradient of {} that '{}' gives; {} B are "
                                      "stored for its backward pass",
                                      names, function.name, bytes);
        Fix fix;
        fix.description = fmt::format("mark {} of '{}' no_diff", names, function.name);
        bool editable = !function.from_macro;
        for (Index parameter : parameters) {
            const Site site = function.parameters[parameter].site;
            editable = editable && can_edit(input_, site);
            fix.edits.push_back(
                {model_.files[site.file].path(), {site.range.begin, site.range.begin}, "no_diff "});
            for (Site pair : unused_.pairs(index, parameter)) {
                editable = editable && can_edit(input_, pair);
                fix.edits.push_back(
                    {model_.files[pair.file].path(), {pair.range.end, pair.range.end}, ".p"});
            }
        }
        if (const std::string why = unused_.why_seen_in_part(index); !why.empty())
            finding.why_not.push_back(why);
        else if (!editable)
            finding.why_not.push_back("a macro or text that is not to be edited holds it");
        else
            finding.fixes.push_back(std::move(fix));
        finding.severity = finding.fixes.empty() ? Severity::note : Severity::cost;
        return finding;
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    UnusedGradients unused_;
    const OwnDerivatives own_;
    const std::map<std::string, std::uint64_t> stored_;
};

} // namespace

std::vector<Finding> no_diff_parameter(const RuleInput& input) {
    if (input.compiled.contexts.empty())
        return {};
    return ParameterRule(input).run();
}

} // namespace slimgrad
