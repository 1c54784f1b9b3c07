#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A use of a macro that declares variables of the file: `OUT_BUFFER;` with `#define OUT_BUFFER
/// RWStructuredBuffer<float> gOut`, or `BUFFER(float, gOut);`.
struct MacroGlobals {
    ByteRange use;    ///< without the `;`
    std::string text; ///< what it stands for, `;` included: nothing but declarations of variables
};

/// All such uses in `text`, the active text of a file, that stand outside of all braces between
/// other declarations.
std::vector<MacroGlobals> find_macro_globals(const ModuleModel& model, std::string_view text);

/// Blanks those that are a name alone: the grammar takes `OUT_BUFFER;` for no declaration.
void mark_macro_globals(std::string& text, const std::vector<MacroGlobals>& uses);

/// Adds the variables that they declare to the model; their place is that of the use.
void read_macro_globals(ModuleModel& model, std::uint32_t file,
                        const std::vector<MacroGlobals>& uses);

} // namespace slimgrad
