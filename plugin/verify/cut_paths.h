#pragma once

#include "attributes/effects.h"
#include "rewriter/module_model.h"
#include "rewriter/source_edit.h"

#include <string>
#include <vector>

namespace slimgrad::verify {

/// Something that keeps a gradient from flowing, or says by hand how it flows, and the module
/// without it: if a mismatch goes away with the variant, this is where it comes from.
struct CutPath {
    enum class Kind {
        detach,            ///< `detach(x)` becomes `(x)`
        no_diff,           ///< of an expression, a parameter or a result; or [NoDiffThis]
        custom_derivative, ///< the function is differentiated as it stands
    };
    Kind kind = Kind::detach;
    Place place;
    std::string name; ///< of the function around it; of the custom derivative
    FileTexts texts;  ///< the files that change; their lines keep their numbers
};

/// The cuts in the code that runs when `function` is differentiated, by place. `function` as
/// written in `bwd_diff(..)`: "f", "N.f<4>". Its own no_diff parameters are none: differences do
/// not move them either. Left out is what cannot be edited, in macros and syntax errors, what
/// stands at integers, and [PrimalSubstitute]. A variant may not compile, where what was cut is not
/// differentiable: then it is no variant.
std::vector<CutPath> cut_paths(const ModuleModel& model, const EffectAnalysis& effects,
                               const std::string& function);

/// The files that hold [PreferRecompute..], with any arguments, without it. Every value is stored
/// then that a primal pass would store: where that changes gradients, memory was read again that
/// had been written. Lines keep their numbers. Empty where there is none.
FileTexts without_prefer_recompute(const ModuleModel& model);

} // namespace slimgrad::verify
