#pragma once

#include "attributes/effects.h"
#include "rewriter/module_model.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace slimgrad {

/// Which globals the calls of one module may write: what FlowAnalysis asks. Not for several threads
/// at once: what it has found it keeps.
class GlobalWrites {
  public:
    /// Both have to outlive it.
    GlobalWrites(const ModuleModel& model, const EffectAnalysis& effects)
        : model_(model), effects_(effects) {}

    /// Whether what runs there may write the global (into ModuleModel::globals): by its effects,
    /// through memory that may overlap with it, or because what it writes is not known.
    bool may_write(const Call& call, Index global);

  private:
    struct Written {
        bool anything = false;
        std::set<std::string> names; ///< of roots: "gW", "scene.weights"
    };
    static Written written_by(const Effects& effects);
    const Written& written_by(Index function, bool with_derivatives);
    bool may_write(const Written& written, Index global) const;

    const ModuleModel& model_;
    const EffectAnalysis& effects_;
    std::map<std::pair<Index, bool>, Written> written_;
};

} // namespace slimgrad
