#include "attributes/attribute_edit.h"

#include "attributes/expression_text.h"

#include <algorithm>
#include <string_view>

namespace slimgrad {

namespace {

bool holds_comment(std::string_view text) {
    return text.find("//") != std::string_view::npos || text.find("/*") != std::string_view::npos;
}

bool holds_directive(const ModuleModel& model, Site site) {
    const auto& ranges = model.inactive[site.file];
    return std::any_of(ranges.begin(), ranges.end(), [&](ByteRange range) {
        return range.begin < site.range.end && site.range.begin < range.end;
    });
}

/// Drops white space and comments at both ends. False where nothing is left, and where a comment
/// does not end in the text.
bool drop_space(std::string_view text, ByteRange& range) {
    std::uint32_t code_end = range.begin;
    bool begun = false;
    for (std::uint32_t at = range.begin; at < range.end;) {
        std::uint32_t end = at + 1;
        const std::string_view here = text.substr(at, range.end - at);
        if (here.starts_with("//") || here.starts_with("/*")) {
            const auto close = here.find(here[1] == '/' ? "\n" : "*/", 2);
            if (close == std::string_view::npos)
                return false;
            end = at + std::uint32_t(close) + (here[1] == '/' ? 1 : 2);
        } else if (std::string_view(" \t\r\n").find(here[0]) == std::string_view::npos) {
            if (!begun)
                range.begin = at;
            begun = true;
            code_end = end;
        }
        at = end;
    }
    range.end = code_end;
    return begun;
}

/// "( a )" is one pair; "(a) + (b)" is two.
bool is_in_parentheses(std::string_view text) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')')
        return false;
    int depth = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("//") || rest.starts_with("/*")) {
            const auto close = rest.find(rest[1] == '/' ? "\n" : "*/", 2);
            if (close == std::string_view::npos)
                return false;
            i += close + (rest[1] == '/' ? 0 : 1);
            continue;
        }
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0)
            return false;
    }
    return true;
}

} // namespace

std::optional<ByteRange> argument_range(const ModuleModel& model, const Attribute& attribute) {
    if (attribute.from_macro || attribute.arguments.size() != 1 ||
        holds_directive(model, attribute.site))
        return std::nullopt;
    const std::string_view text = model.files[attribute.site.file].text();
    // Behind the name.
    ByteRange range{attribute.site.range.begin + std::uint32_t(attribute.name.size()),
                    attribute.site.range.end};
    const auto slice = [&] { return text.substr(range.begin, range.end - range.begin); };
    if (model.text(attribute.site).substr(0, attribute.name.size()) != attribute.name)
        return std::nullopt;
    // The parentheses of the list, then those of the argument.
    bool is_list = true;
    for (; drop_space(text, range) && is_in_parentheses(slice()); is_list = false) {
        ++range.begin;
        --range.end;
    }
    if (is_list || range.empty() || holds_comment(slice()))
        return std::nullopt;
    return range;
}

bool holds_more_than_code(const ModuleModel& model, const Attribute& attribute) {
    return holds_directive(model, attribute.site) || holds_comment(model.text(attribute.site));
}

} // namespace slimgrad
