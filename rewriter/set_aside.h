#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad {

/// Code of a module that the model does not hold, read as far as it can be read by itself: names
/// and places, for a person. No rule looks at it, nothing in it is edited.
struct SetAside {
    struct Item {
        std::string name; ///< of a function or callee; "for", "while", "do" for a loop
        Site site;
    };
    std::vector<Item> functions; ///< declared, members included
    std::vector<Item> variables; ///< declared, with types and constants of enumerations
    std::vector<Item> loops;
    std::vector<Item> calls;
    bool is_complete = true; ///< false: it has a syntax error by itself, and may hold more
};

/// What stands in a branch of #if that is not taken.
SetAside read_inactive(const ModuleModel& model, const ConditionalBranch& branch);

/// One use of a macro that is more than a value: it holds statements, calls or declarations.
struct MacroUse {
    std::string name;
    Site site;             ///< of the use: the sites of its contents, too
    Index function = none; ///< whose body it stands in
    SetAside contents;
};

/// The uses of such macros in the module, in the order of the text; those in other macros' bodies
/// belong to the use around them. A macro that the module defines in several ways is not expanded:
/// its contents are not complete.
std::vector<MacroUse> read_macro_uses(const ModuleModel& model);

} // namespace slimgrad
