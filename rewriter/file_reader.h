#pragma once

#include "rewriter/line_splices.h"
#include "rewriter/macro_declarations.h"
#include "rewriter/module_model.h"
#include "rewriter/syntax_node.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// One file while its part of the model is read: the model that grows, and the text that its tree
/// was parsed from. Nodes are the file's, or those of a macro's use while that is read.
struct FileReader {
    ModuleModel& model;
    std::uint32_t file;
    std::string_view text; ///< what the preprocessor leaves, same offsets as the file
    const ExpandedUse* expanded = nullptr; ///< the use that is being read
    bool macros_are_replaced = false;      ///< the text is not the file's but what macros stand for

    Site site(SyntaxNode node) const { return site(node.range()); }
    Site site(ByteRange range) const { return {file, expanded ? expanded->in_file(range) : range}; }
    /// Place of an offset in a node.
    std::uint32_t offset(SyntaxNode node, std::uint32_t offset) const {
        return expanded ? expanded->in_file(node.range(), offset) : offset;
    }

    /// The node's text as slangc sees it (line_splices.h), white space trimmed.
    std::string source(SyntaxNode node) const { return source(node.range()); }
    std::string source(ByteRange range) const {
        std::string_view slice =
            expanded ? expanded->text(range) : text.substr(range.begin, range.end - range.begin);
        constexpr std::string_view space = " \t\r\n\f\v";
        const auto begin = slice.find_first_not_of(space);
        if (begin == std::string_view::npos)
            return {};
        return without_splices(slice.substr(begin, slice.find_last_not_of(space) - begin + 1));
    }
};

/// Type of a declared name: the type's text and the array suffixes that stand after the name,
/// "float[8]" for `float x[8]`.
std::string declared_type(const FileReader& reader, SyntaxNode type, SyntaxNode declarator);

/// Reads functions, globals and, through read_body, what functions hold. `written_by_macros`: of
/// these the variables are read, with the use of the macro for their place.
void read_declarations(FileReader& reader, SyntaxNode root,
                       const std::vector<MacroDeclarations>& written_by_macros = {});

/// Reads loops, calls, accesses and local variables of a function whose entry is in the model
/// already.
void read_body(FileReader& reader, Index function, SyntaxNode body);

/// Fills the parts of a counted loop as far as the loop has them. The condition of a loop without
/// one in its head is that of `if (..) break;` where its body begins; that `break` is the answer.
ByteRange read_counted_loop(const FileReader& reader, SyntaxNode node, Loop& loop);

/// Once all files are read: which local variables and counters are written after their declaration,
/// and where counters start that are declared before their loop.
void mark_writes(ModuleModel& model);

} // namespace slimgrad
