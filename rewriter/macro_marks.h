#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// The uses of macros in `text`, the active text of a file, that begin a statement. A macro that
/// the module defines in several ways is none: which definition holds depends on the place.
std::vector<ExpandedUse> find_statement_heads(const ModuleModel& model, std::uint32_t file,
                                              std::string_view text);

/// Replaces each of these uses by the mark that the grammar knows for the begin of a statement:
/// `EACH(i, 4) s = x;` alone may as well declare s.
void mark_statement_heads(std::string& text, const std::vector<ExpandedUse>& heads);

/// Replaces uses of macros that stand for a brace alone, `BEGIN` with `#define BEGIN {`, by it and
/// spaces: an opening brace ends where the use ends, a closing one, too.
/// None where the module has a macro that opens or closes a brace among other text.
void mark_braces(std::string& text, const ModuleModel& model);
/// Whether the text is a use of such a macro.
bool is_brace(const ModuleModel& model, std::string_view use);

/// Replaces uses of macros that make the name of a function, `JOIN(my, f)` before `(` with `#define
/// JOIN(a, b) a##b`, by a name of the same length. What it means: name_behind_macros.
void mark_joined_names(std::string& text, const ModuleModel& model);

/// Joins a macro that stands for attributes alone, `KERNEL(64)` with `#define KERNEL(n)
/// [numthreads(n, 1, 1)]`, with the line that follows, comments between them included: on a line of
/// its own it reads as a declaration.
void join_attributes(std::string& text, const ModuleModel& model);

} // namespace slimgrad
