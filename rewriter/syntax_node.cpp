#include "rewriter/syntax_node.h"

namespace slimgrad {

// A cursor, because reaching a child by its number takes time in proportion to it.
template <class Visit> void SyntaxNode::visit_children(Visit visit) const {
    if (!*this)
        return;
    TSTreeCursor cursor = ts_tree_cursor_new(node_);
    if (ts_tree_cursor_goto_first_child(&cursor)) {
        do
            visit(ts_tree_cursor_current_node(&cursor), ts_tree_cursor_current_field_name(&cursor));
        while (ts_tree_cursor_goto_next_sibling(&cursor));
    }
    ts_tree_cursor_delete(&cursor);
}

std::string_view SyntaxNode::kind() const {
    return *this ? std::string_view(ts_node_type(node_)) : std::string_view();
}

ByteRange SyntaxNode::range() const {
    return *this ? ByteRange{ts_node_start_byte(node_), ts_node_end_byte(node_)} : ByteRange{};
}

SyntaxNode SyntaxNode::field(std::string_view name) const {
    if (!*this)
        return {};
    return SyntaxNode(
        ts_node_child_by_field_name(node_, name.data(), static_cast<std::uint32_t>(name.size())));
}

std::vector<SyntaxNode> SyntaxNode::fields(std::string_view name) const {
    std::vector<SyntaxNode> result;
    visit_children([&](TSNode child, const char* field) {
        // A separator between the nodes of a field carries the field's name, too.
        if (field && name == field && ts_node_is_named(child) && !ts_node_is_extra(child))
            result.emplace_back(child);
    });
    return result;
}

std::vector<SyntaxNode> SyntaxNode::children() const {
    std::vector<SyntaxNode> result;
    visit_children([&](TSNode child, const char*) {
        if (ts_node_is_named(child) && !ts_node_is_extra(child))
            result.emplace_back(child);
    });
    return result;
}

std::vector<SyntaxNode> SyntaxNode::all_children() const {
    std::vector<SyntaxNode> result;
    visit_children([&](TSNode child, const char*) { result.emplace_back(child); });
    return result;
}

SyntaxNode SyntaxNode::token(std::string_view text) const {
    SyntaxNode result;
    visit_children([&](TSNode child, const char*) {
        if (!result && !ts_node_is_named(child) && text == ts_node_type(child))
            result = SyntaxNode(child);
    });
    return result;
}

SyntaxNode SyntaxNode::named_at(ByteRange range) const {
    return *this ? SyntaxNode(
                       ts_node_named_descendant_for_byte_range(node_, range.begin, range.end))
                 : SyntaxNode();
}

bool SyntaxNode::has_error() const {
    return *this && ts_node_has_error(node_);
}

} // namespace slimgrad
