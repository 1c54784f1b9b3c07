#pragma once

#include "attributes/unseen_callers.h"
#include "rewriter/variable_flow.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What a variable may hold where it is used: what all of these set it to.
struct VariableUse {
    const Variable* variable = nullptr;
    std::vector<const Definition*> definitions;
    bool is_complete = true; ///< false: there may be more definitions
};

/// The flows of a module's functions, read when they are asked for. The model has to outlive it.
class FunctionFlows {
  public:
    explicit FunctionFlows(const ModuleModel& model) : model_(model), unseen_callers_(model) {}

    const FunctionFlow& of(Index function);
    /// The variable that the name means in the expression at `site`; nothing where no variable of
    /// this name is used there, and with a null variable where it means several.
    std::optional<VariableUse> find(Index function, std::string_view name, Site site);
    /// What a loop's counter, a local variable or a parameter, may hold when the loop begins.
    /// Nothing where it may still have its value from the last time that the loop ran.
    std::optional<VariableUse> at_entry(Index loop);
    /// Whether the function may be called where the model has no call of it, with anything.
    bool has_unseen_callers(Index function) { return unseen_callers_.has(function); }

  private:
    bool has_address_taken(Index function, const Variable& variable) const;

    const ModuleModel& model_;
    UnseenCallers unseen_callers_;
    std::unique_ptr<FlowAnalysis> analysis_;
    std::map<Index, FunctionFlow> flows_;
};

} // namespace slimgrad
