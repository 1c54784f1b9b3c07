#include "rewriter/variable_flow.h"

#include "rewriter/flow_constants.h"
#include "rewriter/flow_reader.h"

#include <utility>

namespace slimgrad {

std::string_view name_of(DerivativeUse use) {
    switch (use) {
    case DerivativeUse::carries:
        return "carries";
    case DerivativeUse::does_not:
        return "does not carry";
    case DerivativeUse::unknown:
        break;
    }
    return "unknown";
}

struct FlowAnalysis::Shared : FlowModel {
    using FlowModel::FlowModel;
};

FlowAnalysis::FlowAnalysis(const ModuleModel& model, GlobalWriter may_write)
    : shared_(std::make_unique<const Shared>(model, std::move(may_write))) {}
FlowAnalysis::~FlowAnalysis() = default;

FunctionFlow FlowAnalysis::of_function(Index function) const {
    FunctionFlow flow;
    FlowReader reader(*shared_, function, flow);
    reader.read();
    if (!reader.graph().find_reaching(flow, shared_->model.loops) && flow.incomplete.empty())
        flow.incomplete = "it is too large";
    if (flow.incomplete.empty())
        FlowConstants(shared_->model, shared_->own, shared_->calls[function], reader.values())
            .find(flow);
    return flow;
}

FunctionFlow read_flow(const ModuleModel& model, Index function) {
    return FlowAnalysis(model).of_function(function);
}

} // namespace slimgrad
