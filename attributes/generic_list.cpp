#include "attributes/generic_list.h"

#include "attributes/loop_twice.h"
#include "rewriter/words.h"

#include <algorithm>
#include <vector>

namespace slimgrad {

namespace {

/// Where the elements of a list stand, and where it ends: at the `>`.
struct List {
    std::vector<ByteRange> elements;
    std::uint32_t close = 0;
};

/// The list that begins with the `<` at `open`. What is in parentheses holds no brackets of it.
std::optional<List> read_list(std::string_view text, std::uint32_t open, std::uint32_t end) {
    List list;
    int angles = 0, others = 0;
    std::uint32_t start = open + 1;
    for (std::uint32_t at = open; at < end; ++at) {
        const char c = text[at];
        others += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (others != 0)
            continue;
        angles += c == '<' ? 1 : c == '>' ? -1 : 0;
        if ((c == ',' && angles == 1) || angles == 0) {
            list.elements.push_back({start, at});
            start = at + 1;
        }
        if (angles == 0) {
            list.close = at;
            return list;
        }
    }
    return std::nullopt;
}

/// The list of a call, as the model has it: what stands between its callee and `(`.
std::optional<List> arguments_of(const ModuleModel& model, const Call& call) {
    const std::string_view text = model.files[call.site.file].text();
    const Site head{call.site.file, {call.site.range.begin, call.open_parenthesis}};
    if (without_comments(model.text(head)) != model.text(head))
        return std::nullopt;
    for (std::uint32_t at = head.range.begin; at < head.range.end; ++at) {
        const bool follows_callee =
            text[at] == '<' &&
            trimmed(text.substr(head.range.begin, at - head.range.begin)).ends_with(call.callee);
        if (!follows_callee)
            continue;
        const auto list = read_list(text, at, head.range.end);
        if (!list || list->elements.size() != call.generic_arguments.size())
            return std::nullopt;
        const bool same = std::equal(
            list->elements.begin(), list->elements.end(), call.generic_arguments.begin(),
            [&](ByteRange range, const std::string& argument) {
                return trimmed(text.substr(range.begin, range.end - range.begin)) == argument;
            });
        return same ? list : std::nullopt;
    }
    return std::nullopt;
}

} // namespace

std::optional<SourceEdit> set_generic_argument(const ModuleModel& model, const Call& call,
                                               std::size_t position, const std::string& value) {
    const std::string& path = model.files[call.site.file].path();
    const auto list = arguments_of(model, call);
    if (!list || position > list->elements.size())
        return std::nullopt;
    if (position == list->elements.size())
        return SourceEdit{path, {list->close, list->close}, ", " + value};
    ByteRange range = list->elements[position];
    const std::string& text = model.files[call.site.file].text();
    while (range.begin < range.end && is_space(text[range.begin]))
        ++range.begin;
    while (range.begin < range.end && is_space(text[range.end - 1]))
        --range.end;
    return SourceEdit{path, range, value};
}

std::optional<SourceEdit> add_generic_parameter(const ModuleModel& model, const Function& function,
                                                const std::string& parameter) {
    const SourceFile& file = model.files[function.site.file];
    const ByteRange head{function.name_site.range.end,
                         function.body ? function.body->begin : function.site.range.end};
    const std::string_view text = file.slice(head);
    const auto next = text.find_first_not_of(" \t\r\n");
    if (without_comments(text) != text || next == std::string_view::npos)
        return std::nullopt;
    const std::uint32_t at = head.begin + std::uint32_t(next);
    if (file.text()[at] != '<')
        return function.generics.empty() && file.text()[at] == '('
                   ? std::optional(
                         SourceEdit{file.path(), {head.begin, head.begin}, "<" + parameter + ">"})
                   : std::nullopt;
    const auto list = read_list(file.text(), at, head.end);
    if (!list || list->elements.size() != function.generics.size())
        return std::nullopt;
    return SourceEdit{file.path(), {list->close, list->close}, ", " + parameter};
}

} // namespace slimgrad
