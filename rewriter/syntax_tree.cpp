#include "rewriter/syntax_tree.h"

#include "rewriter/extras.h"
#include "rewriter/grammar/slang_language.h"
#include "rewriter/syntax_node.h"

#include <algorithm>

namespace slimgrad {

namespace {

// Real files take milliseconds; only a text made for it takes longer.
constexpr std::uint64_t longest_parse_microseconds = 10'000'000;

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

/// libtree-sitter 0.20.7 corrupts memory where a node gets 65,536 children, and the extras (comments,
/// preprocessor lines) between the parts of a node are children of it. No rule of the grammar has
/// more than 15 parts; lists grow by two at a time.
bool has_too_many_extras(std::string_view text) {
    const ExtraCount extras = count_extras(text);
    return extras.all > 60'000 && extras.longest_run > 4'000;
}

} // namespace

void SyntaxTree::Deleter::operator()(TSTree* tree) const {
    ts_tree_delete(tree);
}

SyntaxTree::SyntaxTree(TSTree* tree) : tree_(tree), errors_(find_errors(ts_tree_root_node(tree))) {}

SyntaxTree SyntaxTree::parse(std::string_view text) {
    const Parser parser(ts_parser_new(), ts_parser_delete);
    // Cannot fail: the grammar's version is checked by a test.
    ts_parser_set_language(parser.get(), tree_sitter_slang());
    ts_parser_set_timeout_micros(parser.get(), longest_parse_microseconds);
    TSTree* tree = nullptr;
    if (!has_too_many_extras(text))
        tree = ts_parser_parse_string(parser.get(), nullptr, text.data(),
                                      static_cast<std::uint32_t>(text.size()));
    if (tree)
        return SyntaxTree(tree);
    ts_parser_reset(parser.get());
    SyntaxTree unread(ts_parser_parse_string(parser.get(), nullptr, "", 0));
    unread.errors_ = {{0, static_cast<std::uint32_t>(text.size())}};
    return unread;
}

SyntaxNode SyntaxTree::root() const {
    return SyntaxNode(ts_tree_root_node(tree_.get()));
}

bool SyntaxTree::is_broken(ByteRange range) const {
    return std::any_of(errors_.begin(), errors_.end(), [&](ByteRange error) {
        if (error.empty() || range.empty())
            return error.begin <= range.end && range.begin <= error.end;
        return error.begin < range.end && range.begin < error.end;
    });
}

} // namespace slimgrad
