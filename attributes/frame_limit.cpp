#include "attributes/frame_limit.h"

#include "plugin/cuda/frame_size.h"

#include <fmt/format.h>

namespace slimgrad {
namespace {

Severity severity_of(FrameFit fit) {
    switch (fit) {
    case FrameFit::unlaunchable:
        return Severity::error;
    case FrameFit::costly:
        return Severity::cost;
    case FrameFit::not_metal:
    case FrameFit::everywhere:
        return Severity::note;
    }
    return Severity::note;
}

/// The kernel's declaration; the file alone where its name is no function of the text.
Place place_of(const ModuleModel& model, const std::string& kernel) {
    std::string name = kernel;
    for (const std::string_view suffix : {"_bwd_diff", "_fwd_diff"})
        if (name.ends_with(suffix) && model.find_functions(name).empty())
            name.resize(name.size() - suffix.size());
    const std::vector<Index> found = model.find_functions(name);
    if (!found.empty())
        return model.place(model.functions[found.front()].name_site);
    return model.files.empty() ? Place{} : Place{model.files.front().path(), 0, 0};
}

} // namespace

std::vector<Finding> frame_limit(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const KernelFrame& frame : input.frames) {
        const FrameFit fit = fit_of_frame(frame.bytes);
        if (fit == FrameFit::everywhere)
            continue;
        Finding finding;
        finding.rule = "frame-limit";
        finding.severity = severity_of(fit);
        finding.place = place_of(input.model, frame.kernel);
        finding.bytes = frame.bytes;
        finding.message = fmt::format("'{}' has a stack frame of {} bytes for each thread{}",
                                      frame.kernel, frame.bytes, frame_consequence(frame.bytes));
        // The passes move what the forward pass stores, nothing else.
        if (frame.backward && !input.compiled.contexts.empty())
            finding.message +=
                fit == FrameFit::not_metal
                    ? "; what is stored less is not in it: see prefer-recompute"
                    : "; 'slimgrad cuda' makes it smaller: --passes single-copy keeps one copy of "
                      "what is stored, --passes single-copy,heap moves it to global memory";
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
