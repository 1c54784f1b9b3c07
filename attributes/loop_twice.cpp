#include "attributes/loop_twice.h"

#include "attributes/loop_form.h"
#include "attributes/text_layout.h"
#include "rewriter/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// The nest's text after `edits`.
std::string edited(const ModuleModel& model, const Loop& loop, std::vector<SourceEdit> edits) {
    const SourceFile& file = model.files[loop.site.file];
    const ByteRange range = loop.with_attributes;
    std::string above;
    for (SourceEdit& edit : edits) {
        if (edit.range.begin < range.begin) { // a line above the loop
            above = std::string(trimmed(edit.text)) + std::string(file.line_ending()) +
                    indentation(file, range.begin);
            edit.text.clear();
            edit.range = {range.begin, range.begin};
        }
        edit.range.begin -= range.begin;
        edit.range.end -= range.begin;
    }
    const std::string text(file.slice(range));
    const auto changed = apply_edits({{file.path(), text}}, edits);
    return above + (changed && !changed->empty() ? changed->begin()->second : text);
}

std::string indented(const std::string& text, const std::string& unit) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        result += text[i];
        if (text[i] == '\n' && i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != '\r')
            result += unit;
    }
    return result;
}

} // namespace

std::string without_comments(std::string_view text) {
    std::string result(text);
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_line = text.substr(at).starts_with("//");
        if (!is_line && !text.substr(at).starts_with("/*"))
            continue;
        const auto close = text.find(is_line ? "\n" : "*/", at + 2);
        const std::size_t end = close == std::string_view::npos ? text.size()
                                : is_line                       ? close
                                                                : close + 2;
        std::fill(result.begin() + std::ptrdiff_t(at), result.begin() + std::ptrdiff_t(end), ' ');
        at = end - 1;
    }
    return result;
}

SourceEdit write_twice(const ModuleModel& model, const std::vector<Index>& nest,
                       const std::string& condition, const std::vector<std::string>& bounds) {
    const Loop& outermost = model.loops[nest.front()];
    const SourceFile& file = model.files[outermost.site.file];
    std::vector<SourceEdit> to_replay, to_unroll;
    for (std::size_t i = 0; i < nest.size(); ++i) {
        const Loop& loop = model.loops[nest[i]];
        if (is_unrolled(loop))
            to_replay.push_back(replay(model, loop, bounds[i]));
        else
            to_unroll.push_back(unroll(model, loop));
    }
    const std::string line(file.line_ending());
    const std::string indent = indentation(file, outermost.with_attributes.begin);
    const std::string unit = indent_unit(file, outermost.body, indent);
    const bool own_line = !opens_on_line(model, model.functions[outermost.function]);
    const std::string open = own_line ? line + indent + "{" : " {",
                      otherwise = own_line ? line + indent + "else" : " else";
    const auto copy = [&](std::vector<SourceEdit> edits) {
        return line + indent + unit + indented(edited(model, outermost, std::move(edits)), unit) +
               line + indent + "}";
    };
    const bool at_line = begins_line(file, outermost.with_attributes.begin);
    const std::string text =
        fmt::format("{}if ({}){}{}{}{}{}", at_line ? "" : line + indent, condition, open,
                    copy(std::move(to_replay)), otherwise, open, copy(std::move(to_unroll)));
    return {file.path(), outermost.with_attributes, text};
}

} // namespace slimgrad
