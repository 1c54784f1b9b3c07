#pragma once

#include "rewriter/source_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Slang in Markdown: slangc compiles the code blocks of a file whose name ends with ".md" that
/// stand by themselves and are fenced with the word `slang` or none, or indented
/// (extractSlangCodeBlocks in the compiler's slang-markdown.cpp). Each is a text of its own: a
/// macro of one is none in the next.
bool is_literate(std::string_view path);

/// The lines of these blocks, without their fences, in order. Error: none; a text without such a
/// block has none.
std::vector<ByteRange> code_blocks(const SourceFile& file);

/// Whether one of these blocks is indented: the compiler's columns count from where its lines begin
/// then.
bool has_indented_block(const SourceFile& file);

/// The file's text with every byte but line ends replaced by a space outside its code blocks; the
/// text itself if it is not literate.
std::string code_text(const SourceFile& file);

} // namespace slimgrad
