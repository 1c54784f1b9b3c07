#pragma once

#include "rewriter/derivative_type.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// `inout` or by reference.
bool is_in_and_out(const Parameter& parameter);

/// Which functions of a module have derivatives that the module itself gives: by attributes on
/// either side or by `__func_extension bwd_diff(f)`. Such a derivative may do anything: read a
/// gradient from memory, say, as the derivatives of tensors' elements do.
class OwnDerivatives {
  public:
    explicit OwnDerivatives(const ModuleModel& model);

    bool has(Index function) const { return has_[function]; }
    /// Whether differentiated code of the function may run such a derivative, or one of a tensor's
    /// elements: its arguments may get a derivative from elsewhere.
    bool may_run(Index function) const { return may_run_[function]; }

  private:
    std::vector<bool> has_, may_run_;
};

/// Whether calls of the function have a derivative.
DerivativeAnswer is_differentiable(const ModuleModel& model, const OwnDerivatives& own,
                                   Index function);

/// Whether the function's body is what the derivatives of the function are made of.
DerivativeAnswer body_is_differentiated(const ModuleModel& model, const OwnDerivatives& own,
                                        Index function);

/// What a call does with the derivative of its result.
struct CallDerivative {
    struct Argument {
        DerivativeAnswer derivative;
        bool is_read = true; ///< false: an `out` parameter
        bool may_be_written = false;
        bool is_replaced = false; ///< certainly written, as a whole
        bool is_memory = false;   ///< `derivative` is of the memory behind it, whatever type it has
    };
    std::vector<Argument> arguments; ///< in the order of Call::arguments
    Argument receiver;               ///< of `x.m(a)`
};

/// `result`: whether the derivative of what the call's value goes into reaches that value.
CallDerivative derivative_of_call(const ModuleModel& model, const OwnDerivatives& own,
                                  const Call& call, const DerivativeAnswer& result);

/// The same of a method of a DiffTensorView, which `tensor` names.
CallDerivative derivative_of_tensor_call(const Call& call, std::string_view tensor,
                                         const DerivativeAnswer& result);

} // namespace slimgrad
