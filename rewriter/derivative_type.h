#pragma once

#include "rewriter/variable_flow.h"

#include <string>
#include <string_view>

namespace slimgrad {

/// What is known of a derivative at one place: of a type, of an argument, of what an expression
/// goes into.
struct DerivativeAnswer {
    DerivativeUse use = DerivativeUse::carries;
    /// Why it does not, or why that is not known. If it carries, "" or where it goes: "added to w's
    /// gradient".
    std::string reason;

    bool carries() const { return use == DerivativeUse::carries; }

    static DerivativeAnswer does_not(std::string reason) {
        return {DerivativeUse::does_not, std::move(reason)};
    }
    static DerivativeAnswer unknown(std::string reason) {
        return {DerivativeUse::unknown, std::move(reason)};
    }
};

/// Both have to carry. Where one does not, that is the answer; else one that is unknown; else one
/// that says where it goes.
DerivativeAnswer both(const DerivativeAnswer& a, const DerivativeAnswer& b);
/// One of them is enough. `a` decides the reason where both do not.
DerivativeAnswer either(const DerivativeAnswer& a, const DerivativeAnswer& b);

/// Types as the text of one function writes them.
class DerivativeTypes {
  public:
    DerivativeTypes(const ModuleModel& model, Index function)
        : model_(model), function_(function) {}

    /// Whether values of the type have a derivative. Buffers, textures and the like have none; what
    /// the module and the language do not tell is unknown, and what holds a gradient tensor.
    DerivativeAnswer of(std::string_view type) const;

    /// Type of `value.member`; "" where it is not known. A member that has no derivative though its
    /// type has one, `no_diff float x`, changes `answer`.
    std::string member(std::string_view type, std::string_view member,
                       DerivativeAnswer& answer) const;
    /// Type of `value[i]`; "" where it is not known.
    std::string element(std::string_view type) const;
    /// Buffers and textures: what is read from them has no derivative.
    bool is_memory(std::string_view type) const;
    /// DiffTensorView: derivatives of what is read through it are added to the gradients in its
    /// memory, and those of what is written come from there, whatever holds it, `no_diff` or not.
    bool is_gradient_tensor(std::string_view type) const;
    /// Whether it is one or has a member that is.
    bool holds_gradient_tensor(std::string_view type) const { return holds_tensor(type, 0); }

  private:
    std::string meaning(std::string_view type) const;
    bool is_own(std::string_view type) const;
    DerivativeAnswer of(std::string_view type, int depth) const;
    DerivativeAnswer of_declared(std::string_view name, int depth) const;
    bool holds_tensor(std::string_view type, int depth) const;
    bool is_closed_interface(const TypeDeclaration& type, int depth) const;
    DerivativeAnswer of_parameter(const GenericParameter& parameter, int depth) const;

    const ModuleModel& model_;
    Index function_;
};

} // namespace slimgrad
