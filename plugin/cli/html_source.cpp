#include "plugin/cli/html_source.h"

#include "plugin/cli/display.h"
#include "plugin/cli/html_text.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;
using Html = std::back_insert_iterator<std::string>;

/// Of a longer text only what is near to a stored value is shown.
constexpr std::uint32_t whole_text = 400, lines_around = 12;

struct StoredAt {
    std::uint64_t bytes = 0;
    std::vector<std::string> values; ///< HTML
};
using StoredLines = std::map<std::uint32_t, StoredAt>;

std::vector<std::string_view> lines_of(std::string_view text) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (text.starts_with(mark))
        text.remove_prefix(mark.size());
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
        text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
    }
    return lines;
}

/// By file and line; values without a place under "".
std::map<std::string, StoredLines> stored_lines(const Json& module) {
    std::map<std::string, StoredLines> files;
    for (const Json& context : module.at("contexts"))
        for (const Json& value : context.at("values")) {
            const Json& place = value.at("place");
            StoredAt& at =
                files[place.at("file").get<std::string>()][place.at("line").get<std::uint32_t>()];
            const auto bytes = value.at("bytes").get<std::uint64_t>();
            at.bytes += bytes;
            at.values.push_back(
                fmt::format("{} B <code>{}</code> of {}", bytes,
                            html_escaped(value.at("type_text").get<std::string>()),
                            html_escaped(context.at("function_text").get<std::string>())));
        }
    return files;
}

std::string value_list(const StoredAt& at) {
    std::string html = "<ul class=\"values\">";
    for (const std::string& value : at.values)
        html += "<li>" + value + "</li>";
    return html + "</ul>";
}

bool is_near(const StoredLines& stored, std::uint32_t line) {
    const auto next = stored.lower_bound(line > lines_around ? line - lines_around : 0);
    return next != stored.end() && next->first <= line + lines_around;
}

std::string line_row(std::uint32_t number, std::string_view text, const StoredAt* at,
                     std::uint64_t most, const std::string& id) {
    std::string html = fmt::format("<tr id=\"{}-{}\"{}><th scope=\"row\">{}</th>", id, number,
                                   at != nullptr ? " class=\"stores\"" : "", number);
    if (at != nullptr)
        fmt::format_to(Html(html),
                       "<td class=\"stored\"><span class=\"share\" style=\"width:{:.1f}%\"></span>"
                       "<span>{} B</span></td>",
                       most == 0 ? 0.0 : 100 * double(at->bytes) / double(most), at->bytes);
    else
        html += "<td class=\"stored\"></td>";
    return html + "<td class=\"text\"><code>" + html_escaped(text) + "</code>" +
           (at != nullptr ? value_list(*at) : "") + "</td></tr>\n";
}

std::string source_table(const std::string& name, std::string_view text, const StoredLines& stored,
                         const std::string& id) {
    std::uint64_t most = 0;
    for (const auto& [line, at] : stored)
        most = std::max(most, at.bytes);
    const std::vector<std::string_view> lines = lines_of(text);
    std::string html = fmt::format(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Source of {0}\">\n"
        "<table class=\"source\"><caption>{0}</caption>\n<thead><tr><th scope=\"col\">line</th>"
        "<th scope=\"col\">stored</th><th scope=\"col\">text</th></tr></thead>\n<tbody>\n",
        html_escaped(name));
    std::uint32_t left_out = 0;
    const auto close_gap = [&] {
        if (left_out != 0)
            fmt::format_to(Html(html),
                           "<tr class=\"gap\"><td></td><td></td><td>{} lines that store "
                           "nothing</td></tr>\n",
                           left_out);
        left_out = 0;
    };
    for (std::uint32_t number = 1; number <= lines.size(); ++number) {
        if (lines.size() > whole_text && !is_near(stored, number)) {
            ++left_out;
            continue;
        }
        close_gap();
        const auto at = stored.find(number);
        html += line_row(number, lines[number - 1], at == stored.end() ? nullptr : &at->second,
                         most, id);
    }
    close_gap();
    return html + "</tbody></table>\n</div>\n";
}

std::string_view kind_of_diff_line(std::string_view line) {
    if (line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff "))
        return "file";
    return line.starts_with('+')    ? "added"
           : line.starts_with('-')  ? "removed"
           : line.starts_with("@@") ? "hunk"
                                    : "";
}

} // namespace

std::string html_sources(const Json& module, const FileTexts& texts, const std::string& directory,
                         const std::string& id) {
    std::string html, elsewhere;
    std::size_t file = 0;
    for (const auto& [path, stored] : stored_lines(module)) {
        const auto text = texts.find(path);
        if (text != texts.end()) {
            html += source_table(display_path(path, directory), text->second, stored,
                                 fmt::format("{}-f{}", id, file++));
            continue;
        }
        for (const auto& [line, at] : stored)
            for (const std::string& value : at.values)
                fmt::format_to(Html(elsewhere), "<li>{}{}</li>", value,
                               path.empty() ? "" : ", " + html_escaped(path));
    }
    if (!elsewhere.empty())
        html +=
            "<p>Without a place in these files:</p>\n<ul class=\"values\">" + elsewhere + "</ul>\n";
    return html;
}

std::string html_diff(const std::string& diff) {
    std::string html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Diff\">\n"
                       "<pre class=\"diff\">";
    for (std::string_view rest = diff; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        fmt::format_to(Html(html), "<span class=\"{}\">{}\n</span>", kind_of_diff_line(line),
                       html_escaped(line));
    }
    return html + "</pre>\n</div>\n";
}

} // namespace slimgrad
