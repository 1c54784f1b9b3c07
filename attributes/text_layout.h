#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <string>
#include <string_view>

/// How the code of a file is laid out, so that what is added to it looks like its neighbours.
namespace slimgrad {

/// The blanks that the line begins with.
std::string indentation(const SourceFile& file, std::uint32_t offset);

/// Whether only blanks stand before it on its line.
bool begins_line(const SourceFile& file, std::uint32_t offset);

/// By how much the lines in `block` are indented more than `indent`: "    " or "\t".
std::string indent_unit(const SourceFile& file, ByteRange block, const std::string& indent);

/// Whether the function's brace stands at the end of its head's line.
bool opens_on_line(const ModuleModel& model, const Function& function);

/// Start of the comment lines right above `offset`, so that a comment stays with what it belongs
/// to.
std::uint32_t above_comments(const SourceFile& file, std::uint32_t offset);

/// The text with each line but the first indented by `to` where it was by `from`; lines that are
/// indented otherwise, and empty ones, stay.
std::string reindented(std::string_view text, const std::string& from, const std::string& to);

/// Whether an #if around a part of the text ends or begins in it.
bool cuts_directives(std::string_view text);

} // namespace slimgrad
