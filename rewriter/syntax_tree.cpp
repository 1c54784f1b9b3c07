#include "rewriter/syntax_tree.h"

#include "rewriter/grammar/slang_language.h"
#include "rewriter/parser_memory.h"
#include "rewriter/syntax_node.h"

#include <algorithm>
#include <utility>

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

} // namespace

void SyntaxTree::Deleter::operator()(TSTree* tree) const {
    ts_tree_delete(tree);
}

SyntaxTree::SyntaxTree(TSTree* tree) : tree_(tree), errors_(find_errors(ts_tree_root_node(tree))) {}

SyntaxTree SyntaxTree::parse(std::string_view text) {
    guard_parser_memory();
    const Parser parser(ts_parser_new(), ts_parser_delete);
    // Cannot fail: the grammar's version is checked by a test.
    ts_parser_set_language(parser.get(), tree_sitter_slang());
    ts_parser_set_timeout_micros(parser.get(), longest_parse_microseconds);
    const auto size = static_cast<std::uint32_t>(text.size());
    if (TSTree* tree = ts_parser_parse_string(parser.get(), nullptr, text.data(), size)) {
        SyntaxTree read(tree);
        if (read.root().range().end == size) // no nodes were lost
            return read;
    }
    ts_parser_reset(parser.get());
    SyntaxTree unread(ts_parser_parse_string(parser.get(), nullptr, "", 0));
    unread.errors_ = {{0, size}};
    return unread;
}

void SyntaxTree::add_errors(const std::vector<ByteRange>& taken_out) {
    std::vector<ByteRange> all = std::exchange(errors_, {});
    all.insert(all.end(), taken_out.begin(), taken_out.end());
    std::sort(all.begin(), all.end());
    for (const ByteRange error : all) {
        if (!errors_.empty() && error.begin < errors_.back().end)
            errors_.back().end = std::max(errors_.back().end, error.end);
        else
            errors_.push_back(error);
    }
}

SyntaxNode SyntaxTree::root() const {
    return SyntaxNode(ts_tree_root_node(tree_.get()));
}

bool SyntaxTree::is_broken(ByteRange range) const {
    // Errors are in order: those that end before the range are behind us.
    auto error = std::partition_point(errors_.begin(), errors_.end(),
                                      [&](ByteRange before) { return before.end < range.begin; });
    for (; error != errors_.end() && error->begin <= range.end; ++error) {
        const bool touches = error->empty() || range.empty();
        if (touches || (error->begin < range.end && range.begin < error->end))
            return true;
    }
    return false;
}

} // namespace slimgrad
