#include "rewriter/variable_flow.h"

#include "rewriter/flow_reader.h"

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

FunctionFlow read_flow(const ModuleModel& model, Index function) {
    FunctionFlow flow;
    FlowReader reader(model, function, flow);
    reader.read();
    if (!reader.graph().find_reaching(flow, model.loops) && flow.incomplete.empty())
        flow.incomplete = "it is too large";
    return flow;
}

} // namespace slimgrad
