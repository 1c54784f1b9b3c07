#pragma once

#include "rewriter/module_model.h"

#include <set>
#include <vector>

namespace slimgrad {

/// Which functions the module declares to be derivatives of which: by attributes on either side,
/// and by
/// `__func_extension bwd_diff(f)`.
class CustomDerivatives {
  public:
    explicit CustomDerivatives(const ModuleModel& model);

    /// Functions that run when the function is differentiated: [BackwardDerivative(g)],
    /// [BackwardDerivativeOf(f)], ...
    const std::set<Index>& derivatives(Index function) const { return derivatives_[function]; }

    /// The other way round: functions whose derivative this one is.
    const std::set<Index>& primals(Index function) const { return primals_[function]; }

    /// Functions that stand in for this one when it is differentiated: [PrimalSubstitute(g)]. They
    /// are derivatives, too.
    const std::set<Index>& substitutes(Index function) const { return substitutes_[function]; }

    /// An attribute or extension of the function names one that the module does not declare: its
    /// derivative is not known.
    bool has_unresolved(Index function) const { return unresolved_[function]; }

  private:
    void link(Index primal, Index derivative);
    void read_name(const ModuleModel& model, Index function);
    void read_attribute(const ModuleModel& model, Index function, const Attribute& attribute);

    std::vector<std::set<Index>> derivatives_;
    std::vector<std::set<Index>> primals_;
    std::vector<std::set<Index>> substitutes_;
    std::vector<bool> unresolved_;
};

} // namespace slimgrad
