#pragma once

#include "rewriter/module_model.h"

#include <string>

namespace slimgrad {

/// What the text of a macro, with the macros in it, may do to the code that it is used in. Told by
/// its words alone: never too little.
struct MacroRisk {
    bool writes = false;    ///< it holds an assignment, ++ or --
    bool leaves = false;    ///< break, return, discard or throw
    bool continues = false; ///< continue
};

/// Of all macros of this name that the module defines.
MacroRisk macro_risk(const ModuleModel& model, const std::string& name);

/// The first macro that is used at `site` and has the risk, or "".
std::string risky_macro(const ModuleModel& model, Site site, bool MacroRisk::* risk);

} // namespace slimgrad
