#include "attributes/attribute_removal.h"

#include "attributes/attribute_edit.h"

#include <algorithm>
#include <string_view>

namespace slimgrad {
namespace {

constexpr std::string_view blank = " \t";

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
    text.remove_suffix(text.size() - (text.find_last_not_of(space) + 1));
    return text;
}

} // namespace

std::optional<SourceEdit> attribute_removal(const ModuleModel& model, const Attribute& attribute) {
    if (attribute.from_macro || holds_more_than_code(model, attribute))
        return std::nullopt;
    const SourceFile& file = model.files[attribute.site.file];
    const std::string_view text = file.text();
    ByteRange range = attribute.group;
    std::string_view inside = text.substr(range.begin, range.end - range.begin);
    if (inside.size() < 2 || inside.front() != '[' || inside.back() != ']' ||
        trimmed(inside.substr(1, inside.size() - 2)) !=
            text.substr(attribute.site.range.begin,
                        attribute.site.range.end - attribute.site.range.begin))
        return std::nullopt;
    const std::uint32_t line = file.line_start(range.begin);
    const bool begins_line =
        text.substr(line, range.begin - line).find_first_not_of(blank) == text.npos;
    const auto next =
        std::uint32_t(std::min(text.find_first_not_of(blank, range.end), text.size()));
    const std::string_view rest = text.substr(next);
    if (begins_line && (rest.starts_with("\n") || rest.starts_with("\r\n")))
        range = {line, next + (rest.front() == '\r' ? 2u : 1u)};
    else
        range.end = next;
    return SourceEdit{file.path(), range, ""};
}

} // namespace slimgrad
