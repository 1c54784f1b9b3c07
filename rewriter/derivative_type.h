#pragma once

#include "rewriter/variable_flow.h"

#include <string>
#include <string_view>

namespace slimgrad {

/// What is known of a derivative at one place: of a type, of an argument, of what an expression
/// goes into.
struct DerivativeAnswer {
    DerivativeUse use = DerivativeUse::carries;
    std::string reason; ///< "" if it carries

    bool carries() const { return use == DerivativeUse::carries; }

    static DerivativeAnswer does_not(std::string reason) {
        return {DerivativeUse::does_not, std::move(reason)};
    }
    static DerivativeAnswer unknown(std::string reason) {
        return {DerivativeUse::unknown, std::move(reason)};
    }
};

/// Both have to carry. Where one does not, that is the answer; else one that is unknown.
DerivativeAnswer both(const DerivativeAnswer& a, const DerivativeAnswer& b);
/// One of them is enough. `a` decides the reason where both do not.
DerivativeAnswer either(const DerivativeAnswer& a, const DerivativeAnswer& b);

/// Types as the text of one function writes them.
class DerivativeTypes {
  public:
    DerivativeTypes(const ModuleModel& model, Index function)
        : model_(model), function_(function) {}

    /// Whether values of the type have a derivative. Buffers, textures and the like have none; what
    /// the module and the language do not tell is unknown.
    DerivativeAnswer of(std::string_view type) const { return of(type, 0); }

    /// Type of `value.member`; "" where it is not known. A member that has no derivative though its
    /// type has one, `no_diff float x`, changes `answer`.
    std::string member(std::string_view type, std::string_view member,
                       DerivativeAnswer& answer) const;
    /// Type of `value[i]`; "" where it is not known.
    std::string element(std::string_view type) const;
    /// Buffers and textures: what is read from them has no derivative.
    bool is_memory(std::string_view type) const;

  private:
    DerivativeAnswer of(std::string_view type, int depth) const;
    DerivativeAnswer of_declared(std::string_view name, int depth) const;
    bool is_closed_interface(const TypeDeclaration& type, int depth) const;
    DerivativeAnswer of_parameter(const GenericParameter& parameter, int depth) const;

    const ModuleModel& model_;
    Index function_;
};

} // namespace slimgrad
