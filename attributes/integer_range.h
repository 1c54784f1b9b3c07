#pragma once

#include "attributes/constants.h"
#include "attributes/function_flows.h"
#include "attributes/rule.h"
#include "rewriter/integer_expression.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace slimgrad {

/// The values that an integer expression may have, both ends included. An end that nothing but the
/// type sets is not `bounded`.
struct IntegerRange {
    std::int64_t lowest = INT64_MIN;
    std::int64_t highest = INT64_MAX;
    bool bounded_below = false, bounded_above = false;
    std::optional<IntegerType> type; ///< of the expression; nothing where the text does not say it
    std::string from;                ///< why: "min(int(outb[1]),8) at f.slang:18:28"
    bool promised = false;           ///< by a configured range
    bool from_callers = false;       ///< rests on a call's argument, or on a static never set
    bool follows_loop = false;       ///< rests on the counter of a loop around it

    bool is_exact() const { return bounded_below && bounded_above && lowest == highest; }
};

/// Ranges of integer expressions, followed through casts, arithmetic, min, max, clamp, what
/// variables were last set to, counters of loops around the expression, and the arguments of all
/// calls in the module. What is not proved or promised has the range of its type: values that may
/// wrap around do, too. One object serves one loop: it stops after a number of steps.
class IntegerRanges {
  public:
    /// The values of a loop's counter in its body; nothing where they are not known.
    using CounterRange = std::function<std::optional<IntegerRange>(Index loop)>;

    /// All have to outlive this.
    IntegerRanges(const ModuleModel& model, const Promises& promises, FunctionFlows& flows,
                  CounterRange counter)
        : model_(model), promises_(promises), flows_(flows), counter_(std::move(counter)) {}

    /// Of an expression in the body of `function`; `site` is where it stands.
    IntegerRange of(const std::string& expression, Index function, Site site);
    /// What it says, with constants and generic values in place of the calls that give these.
    std::string without_calls(const std::string& expression, Index function, Site site);
    /// Of what a use of a variable may get.
    IntegerRange of(const VariableUse& use, Index function);

    ConstantTraits traits; ///< of all that was evaluated

  private:
    IntegerRange read(const std::string& expression, Index function, Site site);
    std::optional<IntegerValue> constant(const std::string& expression, Index function, Site site);
    std::optional<ConstantName> constant_name(std::string_view name, Index function, Site site);
    std::optional<IntegerRange> of_cast(const std::string& expression, Index function, Site site);
    std::optional<IntegerRange> of_call(const std::string& expression, Index function, Site site);
    std::optional<IntegerRange> of_operation(const std::string& expression, Index function,
                                             Site site);
    IntegerRange of_path(const std::string& expression, Index function, Site site) const;
    bool may_be_written(const Variable& variable, Index function) const;
    IntegerRange of_name(const std::string& name, Index function, Site site);
    IntegerRange of_static(const Variable& variable, IntegerType type);
    IntegerRange of_parameter(const Variable& variable, Index function);
    IntegerRange of_definition(const Definition& definition, const Variable& variable,
                               Index function);
    std::optional<IntegerRange> of_counter(const Variable& variable, Index function, Site site);
    std::optional<IntegerRange> promised(const std::string& expression, Index function, Site site,
                                         bool is_integer);
    std::string place(const std::string& expression, Site site) const;

    const ModuleModel& model_;
    const Promises& promises_;
    FunctionFlows& flows_;
    CounterRange counter_;
    int steps_ = 0;
    int depth_ = 0;
};

} // namespace slimgrad
