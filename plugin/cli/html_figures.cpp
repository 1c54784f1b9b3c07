#include "plugin/cli/html_figures.h"

#include "plugin/cli/html_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;
using Html = std::back_insert_iterator<std::string>;

struct Row {
    std::string_view name;
    std::vector<std::string_view> keys; ///< whose values are added
    bool more_is_better = false;
    bool is_estimate = false; ///< 0: there is none
};

const std::array<Row, 9>& rows() {
    static const std::array<Row, 9> all{{
        {"registers", {"registers"}},
        {"stack, B", {"stack_bytes"}},
        {"spills, B", {"spill_store_bytes", "spill_load_bytes"}},
        {"local accesses", {"local_loads", "local_stores"}},
        {"warps per SM", {"warps_per_sm"}, true},
        {"code, B", {"code_bytes"}},
        {"checkpoints, B", {"checkpoint_bytes"}},
        {"est. executed", {"estimated_executed"}, false, true},
        {"est. cost, slots", {"estimated_cost"}, false, true},
    }};
    return all;
}

std::optional<std::uint64_t> value(const Json& kernel, const Row& row) {
    std::uint64_t sum = 0;
    for (const std::string_view key : row.keys)
        sum += kernel.value(std::string(key), std::uint64_t{0});
    return row.is_estimate && sum == 0 ? std::nullopt : std::optional(sum);
}

const Json* same_kernel(const Json& kernels, const Json& kernel) {
    for (const Json& other : kernels)
        if (other.at("name") == kernel.at("name") &&
            other.at("direction") == kernel.at("direction"))
            return &other;
    return nullptr;
}

std::string number(std::optional<std::uint64_t> value) {
    return value ? fmt::format("{}", *value) : "none";
}

/// Whether there is anything to show of a figure.
bool is_known(const Json& kernel, const Json* changed, const Row& row) {
    return value(kernel, row) || (changed != nullptr && value(*changed, row));
}

/// "▼ 62 % better"; the word says what the arrow and the colour say.
std::string change(std::uint64_t before, std::uint64_t after, const Row& row) {
    if (before == after)
        return "<td class=\"change\">same</td>";
    const bool better = row.more_is_better ? after > before : after < before;
    const double part = before == 0 ? 0 : std::abs(double(after) - double(before)) / double(before);
    const std::string percent =
        before == 0 ? "" : fmt::format(" {:.0f} %", std::max(part * 100, 1.0));
    return fmt::format("<td class=\"change {}\"><span aria-hidden=\"true\">{}</span>{} {}</td>",
                       better ? "better" : "worse", after > before ? "▲" : "▼", percent,
                       better ? "better" : "worse");
}

std::string bar(std::string_view kind, std::uint64_t value, std::uint64_t most) {
    return fmt::format("<span class=\"bar {}\" style=\"width:{:.2f}%\"></span>", kind,
                       most == 0 ? 0.0 : 100 * double(value) / double(most));
}

/// The largest value of a figure among all kernels, before and after.
std::uint64_t largest(const Json& before, const Json* after, const Row& row) {
    std::uint64_t most = 0;
    for (const Json* kernels : {&before, after})
        if (kernels != nullptr)
            for (const Json& kernel : *kernels)
                most = std::max(most, value(kernel, row).value_or(0));
    return most;
}

std::string figure_row(const Json& kernel, const Json* changed, const Row& row,
                       std::uint64_t most) {
    const std::optional<std::uint64_t> before = value(kernel, row);
    std::string html = fmt::format("<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td>",
                                   row.name, number(before));
    std::string bars = bar("before", before.value_or(0), most);
    if (changed != nullptr) {
        const std::optional<std::uint64_t> after = value(*changed, row);
        fmt::format_to(Html(html), "<td class=\"number\">{}</td>{}", number(after),
                       before && after ? change(*before, *after, row)
                                       : "<td class=\"change\"></td>");
        bars += bar("after", after.value_or(0), most);
    }
    return html + "<td class=\"bars\" aria-hidden=\"true\">" + bars + "</td></tr>\n";
}

std::string caption(const Json& kernel) {
    std::string text =
        fmt::format("<strong>{}</strong> {}", html_escaped(kernel.at("name").get<std::string>()),
                    kernel.at("direction").get<std::string>());
    if (kernel.at("device_function").get<bool>())
        text += ", device function";
    else
        fmt::format_to(Html(text), ", {} threads per block", kernel.at("block_size").get<int>());
    const int loops = kernel.value("loops", 0), unknown = kernel.value("unknown_loops", 0);
    if (unknown != 0)
        fmt::format_to(Html(text), "; the estimates count {} of {} loops once: trips not known",
                       unknown, loops);
    return text;
}

std::string kernel_table(const Json& kernel, const Json* changed, const Json& all_before,
                         const Json* all_after) {
    std::string html = fmt::format(
        "<table class=\"figures\"><caption>{}</caption>\n<thead><tr><th scope=\"col\">figure</th>"
        "<th scope=\"col\">{}</th>{}<td aria-hidden=\"true\"></td></tr></thead>\n<tbody>\n",
        caption(kernel), changed != nullptr ? "before" : "value",
        changed != nullptr ? "<th scope=\"col\">after</th><th scope=\"col\">change</th>" : "");
    for (const Row& row : rows())
        if (is_known(kernel, changed, row))
            html += figure_row(kernel, changed, row, largest(all_before, all_after, row));
    return html + "</tbody></table>\n";
}

} // namespace

std::string html_kernels(const Json& before, const Json* after) {
    std::vector<const Json*> kernels;
    for (const Json& kernel : before)
        kernels.push_back(&kernel);
    // Backward first: it is what is worked on.
    std::stable_sort(kernels.begin(), kernels.end(), [](const Json* a, const Json* b) {
        return a->at("direction") == "backward" && b->at("direction") != "backward";
    });
    std::string html;
    for (const Json* kernel : kernels)
        html += kernel_table(*kernel, after != nullptr ? same_kernel(*after, *kernel) : nullptr,
                             before, after);
    return html.empty() ? "<p>No kernel was measured.</p>\n"
                        : "<div class=\"kernels\">\n" + html + "</div>\n";
}

std::string html_changes(const Json& before, const Json& after) {
    std::string html;
    for (const Json& kernel : before) {
        const Json* changed = same_kernel(after, kernel);
        if (changed == nullptr)
            continue;
        for (const Row& row : rows()) {
            const auto a = value(kernel, row), b = value(*changed, row);
            if (a && b && *a != *b)
                fmt::format_to(
                    Html(html),
                    "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td>"
                    "<td class=\"number\">{}</td>{}</tr>\n",
                    html_escaped(kernel.at("name").get<std::string>()), row.name, *a, *b,
                    change(*a, *b, row));
        }
    }
    if (html.empty())
        return "";
    return "<table class=\"changes\"><caption>What it changes</caption>\n<thead><tr>"
           "<th scope=\"col\">kernel</th><th scope=\"col\">figure</th><th scope=\"col\">before</th>"
           "<th scope=\"col\">after</th><th scope=\"col\">change</th></tr></thead>\n<tbody>\n" +
           html + "</tbody></table>\n";
}

} // namespace slimgrad
