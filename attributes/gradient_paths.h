#pragma once

#include "attributes/function_flows.h"
#include "rewriter/call_derivative.h"
#include "rewriter/module_model.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace slimgrad {

/// Through which uses a derivative comes back to what a function is given: not through those whose
/// value goes into a local variable alone that no derivative comes back to.
///
/// Example: in `float y = x * x; return detach(y);` none, though the derivative of y reaches x.
///
/// What is not known counts as a path. The model and the flows have to outlive it.
class GradientPaths {
  public:
    GradientPaths(const ModuleModel& model, FunctionFlows& flows)
        : model_(model), flows_(flows), own_(model) {
        for (const Call& call : model.calls)
            calls_.emplace(std::tuple(call.site.file, call.site.range), &call);
    }

    /// Per use of FunctionFlow::uses: whether a derivative may come to it.
    const std::vector<bool>& open_uses(Index function);

    /// Whether differentiating the function may give anybody a derivative: its parameters, the
    /// object that it is called on, or memory.
    bool may_give_gradient(Index function);

    /// Whether a derivative may come to something in the code, a part of the function's body.
    bool may_take_gradient(Index function, Site code);

    /// Where the first way from a parameter ends, for a function that gives none: "'x' is detached
    /// (a.slang:5:12)"; "" where it has no parameter that could get one.
    std::string where_it_ends(Index function);

  private:
    bool reaches_memory(Index function);
    bool calls_memory(Index function, Site code);
    /// A definition that sets a variable to the value of an expression.
    struct Holder {
        Index definition = none;
        Site value;
        bool is_plain = false; ///< a local variable, and the value goes nowhere else
    };
    const std::vector<Holder>& holders_in(Index function);
    /// The definitions whose values the use goes into; none where it may go elsewhere, too.
    std::vector<Index> holders(Index function, Site use);
    const Call* call_at(Site site) const;

    const ModuleModel& model_;
    FunctionFlows& flows_;
    const OwnDerivatives own_;
    std::map<Index, std::vector<bool>> open_;
    std::map<Index, bool> memory_;
    std::map<Index, std::vector<Holder>> holders_;
    std::map<std::tuple<std::uint32_t, ByteRange>, const Call*> calls_;
};

} // namespace slimgrad
