#include "attributes/text_layout.h"

#include "rewriter/words.h"

#include <algorithm>

namespace slimgrad {

std::string indentation(const SourceFile& file, std::uint32_t offset) {
    const std::string_view line = std::string_view(file.text()).substr(file.line_start(offset));
    return std::string(line.substr(0, std::min(line.find_first_not_of(" \t\v\f"), line.size())));
}

bool begins_line(const SourceFile& file, std::uint32_t offset) {
    return trimmed(file.slice({file.line_start(offset), offset})).empty();
}

std::string indent_unit(const SourceFile& file, ByteRange block, const std::string& indent) {
    for (std::uint32_t at = block.begin; at < block.end; ++at) {
        if (file.text()[at] != '\n')
            continue;
        const std::string inner = indentation(file, at + 1);
        if (at + 1 < block.end && inner.size() > indent.size() && inner.starts_with(indent))
            return inner.substr(indent.size());
    }
    return indent.starts_with('\t') ? "\t" : "    ";
}

bool opens_on_line(const ModuleModel& model, const Function& function) {
    const std::string_view head =
        model.files[function.site.file].slice({function.name_site.range.end, function.body->begin});
    const auto last = head.find_last_not_of(" \t\r\n");
    return head.find('\n', last == std::string_view::npos ? 0 : last) == std::string_view::npos;
}

std::uint32_t above_comments(const SourceFile& file, std::uint32_t offset) {
    std::uint32_t start = offset;
    for (std::uint32_t line = file.line_start(offset); line > 0;) {
        const std::uint32_t previous = file.line_start(line - 1);
        const std::string_view text = trimmed(file.slice({previous, line}));
        if (!text.starts_with("//") || previous == line)
            break;
        start = line = previous;
    }
    return start;
}

std::string reindented(std::string_view text, const std::string& from, const std::string& to) {
    std::string result;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        std::string_view line = text.substr(0, end);
        const bool is_first = result.empty();
        if (!is_first && !trimmed(line).empty() && line.starts_with(from)) {
            result += to;
            line.remove_prefix(from.size());
        }
        result += line;
        text.remove_prefix(end);
    }
    return result;
}

bool cuts_directives(std::string_view text) {
    int depth = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(end);
        if (!line.starts_with('#'))
            continue;
        line = trimmed(line.substr(1));
        depth += line.starts_with("if") ? 1 : line.starts_with("endif") ? -1 : 0;
        if (depth < 0 || (depth == 0 && line.starts_with("el")))
            return true;
    }
    return depth != 0;
}

} // namespace slimgrad
