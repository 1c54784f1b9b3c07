#include "rewriter/syntax_tree.h"

#include "rewriter/grammar/slang_language.h"
#include "rewriter/syntax_node.h"

#include <algorithm>

namespace slimgrad {

namespace {

using Parser = std::unique_ptr<TSParser, decltype(&ts_parser_delete)>;

// Walks without recursion: hostile text nests as deep as it likes.
std::vector<ByteRange> find_errors(TSNode root) {
    std::vector<ByteRange> errors;
    if (!ts_node_has_error(root))
        return errors;
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    bool up = false;
    for (;;) {
        const TSNode node = ts_tree_cursor_current_node(&cursor);
        // ERROR has the largest symbol.
        const bool is_error = ts_node_symbol(node) == static_cast<TSSymbol>(-1);
        if (!up && (is_error || ts_node_is_missing(node)))
            errors.push_back({ts_node_start_byte(node), ts_node_end_byte(node)});
        if (!up && !is_error && ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor))
            continue;
        up = !ts_tree_cursor_goto_next_sibling(&cursor);
        if (up && !ts_tree_cursor_goto_parent(&cursor))
            break;
    }
    ts_tree_cursor_delete(&cursor);
    return errors;
}

} // namespace

void SyntaxTree::Deleter::operator()(TSTree* tree) const { ts_tree_delete(tree); }

SyntaxTree::SyntaxTree(TSTree* tree) : tree_(tree), errors_(find_errors(ts_tree_root_node(tree))) {}

SyntaxTree SyntaxTree::parse(std::string_view text) {
    const Parser parser(ts_parser_new(), ts_parser_delete);
    // Cannot fail: the grammar's version is checked by a test.
    ts_parser_set_language(parser.get(), tree_sitter_slang());
    return SyntaxTree(ts_parser_parse_string(parser.get(), nullptr, text.data(),
                                             static_cast<std::uint32_t>(text.size())));
}

SyntaxNode SyntaxTree::root() const { return SyntaxNode(ts_tree_root_node(tree_.get())); }

bool SyntaxTree::is_broken(ByteRange range) const {
    return std::any_of(errors_.begin(), errors_.end(), [&](ByteRange error) {
        if (error.empty() || range.empty())
            return error.begin <= range.end && range.begin <= error.end;
        return error.begin < range.end && range.begin < error.end;
    });
}

} // namespace slimgrad
