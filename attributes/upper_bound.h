#pragma once

#include "attributes/constants.h"
#include "attributes/rule.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slimgrad {

/// Upper bounds of integer expressions, followed through casts, min, max, clamp, sums, locals and
/// the arguments of all calls in the module. What cannot be proved or was not promised has no
/// bound. One object serves one expression: it stops after a number of steps.
class UpperBound {
  public:
    /// Both must outlive this.
    UpperBound(const ModuleModel& model, const Promises& promises)
        : model_(model), promises_(promises) {}

    struct Bound {
        std::int64_t value = 0;
        bool promised = false;                    ///< by a configured range
        bool exact = false;                       ///< always this value
        std::optional<std::int64_t> minimum = {}; ///< never less than this
        std::string from;                         ///< why: "min(int(outb[1]),8) at f.slang:18:28"
        bool from_callers = false;                ///< rests on a call's argument
    };

    /// Bound of an expression in the body of `function`; `site` is where it stands, for
    /// Bound::from.
    std::optional<Bound> of(std::string expression, Index function, Site site);

    ConstantTraits traits; ///< of all that was evaluated

  private:
    std::optional<Bound> of_name(const std::string& name, Index function);
    std::optional<Bound> of_parameter(const Parameter& parameter, std::uint32_t index,
                                      Index function);
    /// The bound, given by `expression` unless it is a promise.
    std::optional<Bound> named(std::optional<Bound> bound, const std::string& expression,
                               Site site) const;
    /// Whether the expression is an unsigned literal or name.
    bool is_unsigned(const std::string& expression, Index function) const;
    /// Whether the expression begins with a parameter or local variable of the function, which
    /// hides an input of that name.
    bool is_own_name(const std::string& expression, Index function) const;

    const ModuleModel& model_;
    const Promises& promises_;
    int steps_ = 0;
    int depth_ = 0;
};

} // namespace slimgrad
