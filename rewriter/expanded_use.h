#pragma once

#include "rewriter/source_file.h"
#include "rewriter/syntax_tree.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

class SyntaxNode;

/// A use of a macro that begins a statement, `EACH(i, 4)` with `#define EACH(v, n) for (int v = 0;
/// v < (n); v++)`: the model reads what it stands for, with what follows the use as its body.
///
/// What stands in `text` has a place in the file where the same text stands among the arguments of
/// the use; everything else has the whole use for its place.
class ExpandedUse {
  public:
    /// The use with the statement that `expansion` begins, or nothing where it begins none: where
    /// it is complete in itself, or no statement at all.
    static std::optional<ExpandedUse> as_statement(std::uint32_t file, ByteRange use,
                                                   std::string_view source,
                                                   std::string_view expansion);
    /// The use with the expression that it stands for, as a statement of its own.
    static std::optional<ExpandedUse> as_expression(std::uint32_t file, ByteRange use,
                                                    std::string_view source,
                                                    std::string_view expansion);

    std::uint32_t file() const { return file_; }
    ByteRange use() const { return use_; }
    /// The macro's.
    std::string_view name() const;
    /// What the tree was parsed from: the expansion, in a function of its own.
    const std::string& text() const { return text_; }
    std::string_view text(ByteRange range) const {
        return std::string_view(text_).substr(range.begin, range.end - range.begin);
    }

    /// The statement that the macro begins, somewhere in it the open body; or the expression.
    SyntaxNode statement() const;
    /// Whether this is the empty block in place of the statement that follows the use.
    bool is_open_body(ByteRange range) const { return range == open_body_; }

    /// Whether the same text stands among the arguments.
    bool is_in_arguments(ByteRange range) const { return !(in_file(range) == use_); }
    /// Place in the file of a part of the text.
    ByteRange in_file(ByteRange range) const;
    /// Place of an offset inside `range`: the begin of the use where the range has none of its own.
    std::uint32_t in_file(ByteRange range, std::uint32_t offset) const;
    /// Place of a loop's keyword, another one for each loop: it stands in for the macro's name.
    std::uint32_t keyword_in_file(std::uint32_t keyword) const;
    /// Calls that do not stand in the arguments: they share a place.
    std::uint32_t own_calls() const { return own_calls_; }

  private:
    ExpandedUse(std::uint32_t file, ByteRange use, std::string_view source,
                std::string_view expansion, std::string_view end);
    bool is_one_statement() const;
    bool find_open_body() const;
    void read_contents();
    void find_arguments();
    std::optional<std::uint32_t> find_in_arguments(std::string_view wanted) const;

    /// A part of the text that stands among the arguments, too.
    struct Argument {
        ByteRange range;
        std::uint32_t place; ///< in the file
    };

    std::uint32_t file_;
    ByteRange use_;
    std::string source_; ///< of the use
    std::string text_;
    SyntaxTree tree_;
    ByteRange open_body_;
    std::vector<Argument> arguments_;
    std::vector<std::uint32_t> keywords_; ///< of all loops, in the order of the text
    std::uint32_t own_calls_ = 0;
};

} // namespace slimgrad
