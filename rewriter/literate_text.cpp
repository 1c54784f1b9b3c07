#include "rewriter/literate_text.h"

#include <algorithm>
#include <cmark.h>
#include <cstring>
#include <memory>

namespace slimgrad {

bool is_literate(std::string_view path) {
    return path.ends_with(".md");
}

std::vector<ByteRange> code_blocks(const SourceFile& file) {
    const std::string& text = file.text();
    const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
        cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT), cmark_node_free);
    std::vector<ByteRange> blocks;
    for (cmark_node* node = cmark_node_first_child(document.get()); node;
         node = cmark_node_next(node)) {
        if (cmark_node_get_type(node) != CMARK_NODE_CODE_BLOCK)
            continue;
        const std::string_view info = cmark_node_get_fence_info(node);
        if (!info.empty() && info != "slang")
            continue;
        const auto first = static_cast<std::uint32_t>(cmark_node_get_start_line(node));
        // A fence is indented by three blanks at most, other code by four.
        const std::uint32_t begin = file.offset(first, 1);
        const auto word = std::min(text.find_first_not_of(' ', begin), text.size() - 1);
        const bool is_fenced = word - begin < 4 && (text[word] == '`' || text[word] == '~');
        const char* literal = cmark_node_get_literal(node);
        const auto lines =
            static_cast<std::uint32_t>(std::count(literal, literal + std::strlen(literal), '\n'));
        const std::uint32_t line = is_fenced ? first + 1 : first;
        if (lines > 0)
            blocks.push_back({file.offset(line, 1), file.offset(line + lines, 1)});
    }
    return blocks;
}

bool has_indented_block(const SourceFile& file) {
    if (!is_literate(file.path()))
        return false;
    const std::vector<ByteRange> blocks = code_blocks(file);
    return std::any_of(blocks.begin(), blocks.end(), [&](const ByteRange& block) {
        const auto is_blank = [&](std::uint32_t at) {
            return file.text()[at] == ' ' || file.text()[at] == '\t';
        };
        // The fence stands in the line before.
        return is_blank(block.begin) ||
               (block.begin > 0 && is_blank(file.line_start(block.begin - 1)));
    });
}

std::string code_text(const SourceFile& file) {
    std::string text = file.text();
    if (!is_literate(file.path()))
        return text;
    const auto blank = [&](std::uint32_t begin, std::uint32_t end) {
        std::replace_if(
            text.begin() + begin, text.begin() + end, [](char c) { return c != '\n' && c != '\r'; },
            ' ');
    };
    std::uint32_t at = 0;
    for (const ByteRange& block : code_blocks(file)) {
        blank(at, block.begin);
        at = block.end;
    }
    blank(at, static_cast<std::uint32_t>(text.size()));
    return text;
}

} // namespace slimgrad
