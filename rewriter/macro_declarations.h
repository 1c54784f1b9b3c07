#pragma once

#include "rewriter/brace_kind.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A use of a macro that is whole declarations: `OUT_BUFFER;` with `#define OUT_BUFFER
/// RWStructuredBuffer<float> gOut`, `BUFFER(float, gOut);`, `FIELD(float, x)` in a struct.
struct MacroDeclarations {
    ByteRange use;           ///< without the `;`
    std::uint32_t begin = 0; ///< of the declaration: attributes and modifiers stand before the use
    std::string text;        ///< with what the macro stands for, `;` included
    bool only_variables = false; ///< else functions, types, .. are among them
    /// It opens or closes a type, or another declaration with braces, `BEGIN_TYPE(S)`, and `text`
    /// is empty.
    bool holds_braces = false;
    BraceKind behind = BraceKind::declarations; ///< what the braces around what follows are of
    /// The head of a function whose body follows, `OP(twice) { .. }`; `text` has an empty body.
    bool is_head = false;
};

/// All such uses in `text`, the active text of a file, between other declarations of the file, of a
/// namespace, type or buffer.
std::vector<MacroDeclarations> find_macro_declarations(const ModuleModel& model,
                                                       std::string_view text);

/// Replaces them by what the grammar takes for a macro: as they are written, it does where they
/// stand on lines of their own.
void mark_macro_declarations(std::string& text, const std::vector<MacroDeclarations>& uses);

} // namespace slimgrad
