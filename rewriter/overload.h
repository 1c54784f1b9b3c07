#pragma once

#include "rewriter/conversion.h"
#include "rewriter/semantics.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace slimgrad {

/// No choice is made among more: every one is compared with every other. No shader has so many.
inline constexpr std::size_t most_candidates = 256;

/// Which function a call means, of all that its name may mean.
struct OverloadChoice {
    const Found* chosen = nullptr;      ///< null: cannot be told, or none fits
    Substitution substitution;          ///< of the chosen one's generic parameters, too
    std::vector<const Found*> possible; ///< all that may fit
    bool is_core = false; ///< one of the core module's is called, nothing of the module
};

/// Chooses as Slang does: by the sum of conversion costs, then requirements of interfaces, members
/// of extensions and of bases, and generic functions come last, then what is further out. A choice
/// is made only where it holds whatever the types are that are not known.
/// `core`: functions of the core module of the same name are candidates, too, at this cost.
OverloadChoice choose_overload(Semantics& semantics, const std::vector<Found>& found,
                               const std::vector<Argument>& arguments,
                               const std::vector<TypeRef>& generic_arguments,
                               std::optional<ConversionCost> core);

/// Result of a call of the chosen function.
TypeRef result_type(Semantics& semantics, const OverloadChoice& choice);

} // namespace slimgrad
