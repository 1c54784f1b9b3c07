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

/// What makes the frame smaller, where most of it can be what the backward pass stores: that and
/// its copies, three or so in all. "" where it is something else.
std::string help(FrameFit fit, std::uint64_t frame, std::uint64_t stored) {
    constexpr std::uint64_t copies = 4;
    if (stored * copies < frame)
        return "";
    const std::string cause =
        fmt::format("; {} bytes are stored for the backward pass, and copied: ", stored);
    if (fit == FrameFit::not_metal)
        return cause + "see prefer-recompute for storing less";
    return cause + "'slimgrad cuda --passes single-copy' keeps one copy, '--passes "
                   "single-copy,heap' moves them to global memory";
}

} // namespace

std::vector<Finding> frame_limit(const RuleInput& input) {
    std::vector<Finding> findings;
    std::uint64_t stored = 0;
    for (const CheckpointContext& context : input.compiled.contexts)
        if (context.outermost)
            stored += context.bytes;
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
        if (frame.backward)
            finding.message += help(fit, frame.bytes, stored);
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
