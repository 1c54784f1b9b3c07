#pragma once

#include "rewriter/source_file.h"

#include <memory>
#include <string_view>
#include <vector>

struct TSTree;

namespace slimgrad {

class SyntaxNode;

/// The tree of one Slang text. Any bytes have a tree: what does not fit the grammar is in `errors`.
/// The text itself is not kept. Nodes (rewriter/syntax_node.h) are valid as long as their tree.
class SyntaxTree {
  public:
    /// Parses bytes as they are (BOM and CRLF included); offsets in the tree are offsets in `text`,
    /// which is shorter than 4 GiB. A text in which more than 65,535 comments, preprocessor lines
    /// or wrong tokens follow each other, or one that takes more than 10 s, is one error, without
    /// nodes.
    static SyntaxTree parse(std::string_view text);

    SyntaxNode root() const;
    /// What could not be parsed, in order. A range is empty where a token is missing.
    const std::vector<ByteRange>& errors() const { return errors_; }
    /// Whether `range` has bytes in common with an error, or touches an empty one.
    bool is_broken(ByteRange range) const;
    /// What was taken out of the text before it was parsed; those that overlap become one.
    void add_errors(const std::vector<ByteRange>& taken_out);

  private:
    struct Deleter {
        void operator()(TSTree* tree) const;
    };
    explicit SyntaxTree(TSTree* tree);

    std::unique_ptr<TSTree, Deleter> tree_;
    std::vector<ByteRange> errors_;
};

} // namespace slimgrad
