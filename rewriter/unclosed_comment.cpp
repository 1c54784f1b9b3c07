#include "rewriter/unclosed_comment.h"

#include "rewriter/syntax_node.h"

namespace slimgrad {

std::optional<std::uint32_t> unclosed_comment(const SyntaxTree& tree, std::string_view text) {
    if (text.empty())
        return std::nullopt;
    const auto size = std::uint32_t(text.size());
    const SyntaxNode last = tree.root().named_at({size - 1, size});
    if (!last.is("comment"))
        return std::nullopt;
    const std::string_view comment = text.substr(last.range().begin);
    const bool is_closed = comment.size() >= 4 && comment.ends_with("*/");
    if (!comment.starts_with("/*") || is_closed)
        return std::nullopt;
    return last.range().begin;
}

} // namespace slimgrad
