#pragma once

#include "attributes/effects.h"
#include "attributes/gradient_paths.h"
#include "attributes/rule.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// Which parameters of a module's functions have a derivative that nobody who calls them uses.
///
/// Example: `bwd_diff(f)(a, x, 1.0f); gGrad[i] = x.d;` where nothing reads a.d.
class UnusedGradients {
  public:
    explicit UnusedGradients(const RuleInput& input);

    /// Whether the generated backward pass differentiates the function.
    bool is_differentiated(Index function) const { return differentiated_[function]; }

    /// The parameters, as far as what calls the function is all in the model.
    std::vector<Index> of(Index function);

    /// Arguments `a` of bwd_diff(function) that are a pair and become `a.p` where the parameter has
    /// no derivative.
    std::vector<Site> pairs(Index function, Index parameter) const;

    /// Whether something may call the function that the model does not show: "" or why.
    std::string why_seen_in_part(Index function);

    const EffectAnalysis& effects() const { return effects_; }

  private:
    bool is_dropped_by(const Call& call, Index parameter);
    bool is_pair_without_reader(const Call& call, Index parameter);
    bool is_candidate(Index function, const Parameter& parameter) const;

    const RuleInput& input_;
    const ModuleModel& model_;
    EffectAnalysis effects_;
    FunctionFlows flows_;
    GradientPaths paths_;
    const OwnDerivatives own_;
    std::vector<bool> differentiated_;
};

} // namespace slimgrad
