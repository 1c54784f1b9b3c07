#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::tests {

/// One test of tree-sitter's corpus format:
///
///     ====
///     title
///     ====
///     source
///     ----
///     (tree)
struct CorpusTest {
    std::string title;
    std::string source;
    std::string tree; ///< on one line, one space between nodes: as ts_node_string prints it
};

/// Reads a corpus file's text. A test without a `----` line has an empty tree, which equals no
/// tree.
std::vector<CorpusTest> read_corpus(std::string_view text);

} // namespace slimgrad::tests
