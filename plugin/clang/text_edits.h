#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Edits of one text, collected in any order and applied at once. Offsets are bytes of the text as
/// it was parsed.
class TextEdits {
  public:
    TextEdits(const clang::SourceManager& sources, const clang::LangOptions& language)
        : sources_(sources), language_(language) {}

    /// Replaces the tokens of `range`.
    void replace(clang::SourceRange range, std::string text);
    /// Before the token at `place`. Insertions at one place stand in the order they were made.
    void insert_before(clang::SourceLocation place, std::string text);
    /// Behind the token that begins at `place`.
    void insert_after(clang::SourceLocation place, std::string text);
    /// Replaces what stands between two tokens.
    void replace_between(clang::SourceLocation token, clang::SourceLocation next, std::string text);
    /// Removes the tokens of `range` and the semicolon that ends it.
    void remove_statement(clang::SourceRange range);

    /// Before the line of `place`, and before the #line that belongs to it.
    void insert_in_front(clang::SourceLocation place, std::string text);
    /// At the end of the text.
    void append(std::string text);

    bool empty() const { return edits_.empty(); }
    /// The text with every edit. An edit that lies inside a replaced range is dropped: what
    /// replaces the outer one was made knowing the inner one. Partly overlapping ones: false, text
    /// unchanged.
    bool apply(std::string& text) const;

    /// As written, macros not expanded.
    std::string source(clang::SourceRange range) const;

  private:
    struct Edit {
        unsigned begin, end;
        std::string text;
    };
    unsigned offset(clang::SourceLocation place) const;
    unsigned end_of_token(clang::SourceLocation place) const;

    const clang::SourceManager& sources_;
    const clang::LangOptions& language_;
    std::vector<Edit> edits_;
};

} // namespace slimgrad
