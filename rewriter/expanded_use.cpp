#include "rewriter/expanded_use.h"

#include "rewriter/syntax_node.h"
#include "rewriter/words.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace slimgrad {

namespace {

constexpr std::string_view before = "void f() { ", open_body = "{}", after = " }";

/// Whether the text at [begin, end) of `whole` is made of whole words, and no member of something.
bool stands_alone(std::string_view whole, std::size_t begin, std::size_t end) {
    if (begin > 0 && is_name(whole[begin]) && is_name(whole[begin - 1]))
        return false;
    if (end < whole.size() && is_name(whole[end - 1]) && is_name(whole[end]))
        return false;
    const auto previous = whole.substr(0, begin).find_last_not_of(" \t\r\n");
    return previous == std::string_view::npos || !is_name(whole[begin]) ||
           std::string_view(".>:").find(whole[previous]) == std::string_view::npos;
}

SyntaxNode loop_keyword(SyntaxNode node) {
    if (node.is("for_statement"))
        return node.token("for");
    if (node.is("while_statement"))
        return node.token("while");
    if (node.is("do_statement"))
        return node.token("do");
    return node.is("compile_time_for_statement") ? node.token("$for") : SyntaxNode();
}

} // namespace

ExpandedUse::ExpandedUse(std::uint32_t file, ByteRange use, std::string_view source,
                         std::string_view expansion, std::string_view end)
    : file_(file), use_(use), source_(source), text_(std::string(before) + std::string(expansion) +
                                                     " " + std::string(end) + std::string(after)),
      tree_(SyntaxTree::parse(text_)) {}

std::optional<ExpandedUse> ExpandedUse::as_statement(std::uint32_t file, ByteRange use,
                                                     std::string_view source,
                                                     std::string_view expansion) {
    ExpandedUse read(file, use, source, expansion, open_body);
    read.open_body_.end = static_cast<std::uint32_t>(read.text_.size() - after.size());
    read.open_body_.begin = static_cast<std::uint32_t>(read.open_body_.end - open_body.size());
    if (!read.is_one_statement() || !read.find_open_body())
        return std::nullopt;
    read.read_contents();
    return read;
}

std::optional<ExpandedUse> ExpandedUse::as_expression(std::uint32_t file, ByteRange use,
                                                      std::string_view source,
                                                      std::string_view expansion) {
    ExpandedUse read(file, use, source, expansion, ";");
    if (!read.is_one_statement() || !read.statement().is("expression_statement"))
        return std::nullopt;
    read.read_contents();
    return read;
}

std::string_view ExpandedUse::name() const {
    const auto end = std::find_if_not(source_.begin(), source_.end(), is_name);
    return std::string_view(source_).substr(0, std::size_t(end - source_.begin()));
}

SyntaxNode ExpandedUse::statement() const {
    const auto functions = tree_.root().children();
    const auto statements =
        functions.empty() ? std::vector<SyntaxNode>() : functions[0].field("body").children();
    return statements.empty() ? SyntaxNode() : statements[0];
}

bool ExpandedUse::is_one_statement() const {
    const auto functions = tree_.root().children();
    return tree_.errors().empty() && functions.size() == 1 &&
           functions[0].field("body").children().size() == 1;
}

bool ExpandedUse::find_open_body() const {
    SyntaxNode node = statement();
    if (node.range() == open_body_)
        return false;
    while (node && node.range() != open_body_) {
        if (loop_keyword(node) && !node.is("do_statement"))
            node = node.field("body");
        else if (node.is("if_statement"))
            node =
                node.field("alternative") ? node.field("alternative") : node.field("consequence");
        else
            return false;
    }
    return bool(node);
}

void ExpandedUse::read_contents() {
    find_arguments();
    std::vector<SyntaxNode> open{statement()};
    while (!open.empty()) {
        const SyntaxNode node = open.back();
        open.pop_back();
        if (const SyntaxNode keyword = loop_keyword(node))
            keywords_.push_back(keyword.range().begin);
        own_calls_ += node.is("call_expression") && !is_in_arguments(node.range());
        for (SyntaxNode child : node.children())
            open.push_back(child);
    }
    std::sort(keywords_.begin(), keywords_.end());
}

/// The largest nodes whose text stands among the arguments, in the order of the text.
void ExpandedUse::find_arguments() {
    std::vector<SyntaxNode> open{statement()};
    while (!open.empty()) {
        const SyntaxNode node = open.back();
        open.pop_back();
        if (const auto place = find_in_arguments(text(node.range()))) {
            arguments_.push_back({node.range(), *place});
            continue;
        }
        const auto children = node.children();
        open.insert(open.end(), children.rbegin(), children.rend());
    }
}

std::optional<std::uint32_t> ExpandedUse::find_in_arguments(std::string_view wanted) const {
    const std::string_view whole = source_;
    for (std::size_t at = whole.find('('); at != std::string_view::npos && !wanted.empty();) {
        at = whole.find(wanted, at + 1);
        if (at != std::string_view::npos && stands_alone(whole, at, at + wanted.size()))
            return static_cast<std::uint32_t>(use_.begin + at);
    }
    return std::nullopt;
}

ByteRange ExpandedUse::in_file(ByteRange range) const {
    const auto after =
        std::partition_point(arguments_.begin(), arguments_.end(), [&](const Argument& argument) {
            return argument.range.begin <= range.begin;
        });
    if (after == arguments_.begin() || !std::prev(after)->range.contains(range))
        return use_;
    const Argument& argument = *std::prev(after);
    const std::uint32_t begin = argument.place + (range.begin - argument.range.begin);
    return {begin, begin + (range.end - range.begin)};
}

std::uint32_t ExpandedUse::in_file(ByteRange range, std::uint32_t offset) const {
    return is_in_arguments(range) ? in_file(range).begin + (offset - range.begin) : use_.begin;
}

std::uint32_t ExpandedUse::keyword_in_file(std::uint32_t keyword) const {
    const auto found = std::find(keywords_.begin(), keywords_.end(), keyword);
    const auto number = static_cast<std::uint32_t>(found - keywords_.begin());
    return std::min(use_.begin + number, use_.end - 1);
}

} // namespace slimgrad
