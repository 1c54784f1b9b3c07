#pragma once

#include "rewriter/source_file.h"

#include <string_view>
#include <tree_sitter/api.h>
#include <vector>

namespace slimgrad {

/// A node of a SyntaxTree, or no node: then every question has an empty answer. Kinds and fields
/// are those of rewriter/grammar/src/node-types.json. For use inside rewriter/ alone.
class SyntaxNode {
  public:
    SyntaxNode() = default;
    explicit SyntaxNode(TSNode node) : node_(node) {}

    explicit operator bool() const { return !ts_node_is_null(node_); }
    std::string_view kind() const;
    bool is(std::string_view kind) const { return this->kind() == kind; }
    ByteRange range() const;
    /// The child in this field, the first one if there are several.
    SyntaxNode field(std::string_view name) const;
    /// Children in this field.
    std::vector<SyntaxNode> fields(std::string_view name) const;
    /// Children that have a name and are not extras (comments, preprocessor lines); errors are
    /// among them.
    std::vector<SyntaxNode> children() const;
    /// All children: tokens and extras, too.
    std::vector<SyntaxNode> all_children() const;
    /// The first child that is this token: `token("(")`.
    SyntaxNode token(std::string_view text) const;
    /// The smallest named node in it that holds the range.
    SyntaxNode named_at(ByteRange range) const;
    bool has_error() const;

  private:
    template <class Visit> void visit_children(Visit visit) const;

    TSNode node_ = {};
};

} // namespace slimgrad
