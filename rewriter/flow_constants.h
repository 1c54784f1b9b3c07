#pragma once

#include "rewriter/call_derivative.h"
#include "rewriter/variable_flow.h"

#include <map>
#include <vector>

namespace slimgrad {

/// Where variables have no derivative because of what they were set to: `float w = no_diff
/// draw();`, `float s = 0;`. Uses that only such values reach carry none.
class FlowConstants {
  public:
    /// `calls`: of the function, into ModuleModel::calls. `values`: what definitions set their
    /// variable to, by definition.
    FlowConstants(const ModuleModel& model, const OwnDerivatives& own,
                  const std::vector<Index>& calls, const std::map<Index, Site>& values)
        : model_(model), own_(own), calls_(calls), values_(values) {}

    /// Changes the answers of uses. The flow has to be complete.
    void find(FunctionFlow& flow) const;

  private:
    std::vector<bool> settled(const FunctionFlow& flow) const;
    bool may_have_derivative(const Call& call) const;

    const ModuleModel& model_;
    const OwnDerivatives& own_;
    const std::vector<Index>& calls_;
    const std::map<Index, Site>& values_;
};

} // namespace slimgrad
