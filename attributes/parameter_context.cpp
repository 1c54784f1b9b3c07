#include "attributes/parameter_context.h"

#include "rewriter/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace slimgrad {
namespace {

/// With more, less than a third of an SM's warps are there.
constexpr std::uint32_t many_registers = 128;

std::string_view take_name(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_name);
    const std::string_view name = text.substr(0, std::size_t(end - text.begin()));
    text.remove_prefix(name.size());
    return name;
}

/// How many records of arguments the text keeps in variables, by the function that was called:
/// `s_paramCtx_s_bwdCallableCtx_step_0 _S42;`.
std::map<std::string, int> kept_calls(std::string_view code) {
    constexpr std::string_view record = "s_paramCtx_s_bwdCallableCtx_";
    std::map<std::string, int> calls;
    for (std::size_t at = code.find(record); at != std::string_view::npos; at = code.find(record)) {
        code.remove_prefix(at + record.size());
        std::string_view function = take_name(code);
        function = function.substr(0, function.rfind('_')); // the number that slangc adds
        if (!code.starts_with(" _S"))
            continue; // a field, a parameter or the record's declaration
        code.remove_prefix(1);
        take_name(code);
        if (code.starts_with(";"))
            ++calls[std::string(function)];
    }
    return calls;
}

Place place_of(const ModuleModel& model, std::string kernel) {
    if (constexpr std::string_view suffix = "_bwd_diff"; kernel.ends_with(suffix))
        kernel.resize(kernel.size() - suffix.size());
    const std::vector<Index> found = model.find_functions(kernel);
    if (!found.empty())
        return model.place(model.functions[found.front()].name_site);
    return model.files.empty() ? Place{} : Place{model.files.front().path(), 0, 0};
}

} // namespace

std::vector<Finding> parameter_context(const RuleInput& input) {
    std::vector<Finding> findings;
    if (!input.compiled.succeeded() || !input.compiled.contexts.empty())
        return findings;
    const std::map<std::string, int> calls = kept_calls(input.compiled.code);
    const auto most =
        std::max_element(calls.begin(), calls.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == calls.end() || most->second < 2)
        return findings;
    for (const KernelFrame& kernel : input.frames) {
        if (!kernel.backward || (kernel.registers <= many_registers && kernel.spill_bytes == 0))
            continue;
        Finding finding;
        finding.rule = "parameter-context";
        finding.severity = Severity::note;
        finding.place = place_of(input.model, kernel.kernel);
        finding.message = fmt::format(
            "'{}' has {} registers and {} B of spills, and slangc reports nothing that is stored: "
            "it leaves out the arguments of calls, which are kept until the backward pass; most "
            "are of '{}', for {} calls in the emitted code",
            kernel.kernel, kernel.registers, kernel.spill_bytes, most->first, most->second);
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
