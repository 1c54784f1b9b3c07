#include "plugin/cli/html_findings.h"

#include "plugin/cli/display.h"
#include "plugin/cli/html_figures.h"
#include "plugin/cli/html_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;
using Html = std::back_insert_iterator<std::string>;

std::string text(const Json& object, const char* key) {
    return html_escaped(object.at(key).get<std::string>());
}

std::string shown_place(const Json& place, const std::string& directory) {
    return html_escaped(to_string(
        display_place({place.at("file").get<std::string>(), place.at("line").get<std::uint32_t>(),
                       place.at("column").get<std::uint32_t>()},
                      directory)));
}

PlotPoint::Kind kind_of(std::string_view outcome) {
    if (outcome == "applied" || outcome == "minor" || outcome == "unsafe")
        return PlotPoint::Kind::taken;
    if (outcome == "gradient differs" || outcome == "unverified" || outcome == "withdrawn" ||
        outcome == "new warning" || outcome == "does not compile" || outcome == "not measured")
        return PlotPoint::Kind::refused;
    return PlotPoint::Kind::measured;
}

std::string_view mood(std::string_view verdict) {
    if (verdict == "equal" || verdict == "right")
        return "good";
    return verdict == "unverified" || verdict == "cannot_run" ? "doubtful" : "bad";
}

std::string trial_id(const std::string& id, std::size_t finding, std::size_t fix) {
    return fmt::format("{}-t{}-{}", id, finding, fix);
}

std::string fix_html(const Json& fix, const std::string& trial) {
    std::string html = fmt::format(
        "<li class=\"trial\" id=\"{}\" tabindex=\"-1\"><p><span class=\"tag {}\">{}</span> "
        "{}{}</p>\n",
        trial,
        kind_of(fix.at("outcome").get<std::string>()) == PlotPoint::Kind::taken ? "good" : "",
        text(fix, "outcome"), text(fix, "description"),
        fix.at("applicability") == "unsafe" ? " <span class=\"tag doubtful\">unsafe</span>" : "");
    if (const std::string why = text(fix, "reason"); !why.empty())
        html += "<p>" + why + "</p>\n";
    if (const std::string condition = text(fix, "condition"); !condition.empty())
        html += "<p>Holds only if " + condition + "</p>\n";
    if (fix.contains("after"))
        html += html_changes(fix.at("before"), fix.at("after"));
    if (fix.contains("verified"))
        html += html_verdict(fix.at("verified"));
    return html + "</li>\n";
}

std::string finding_html(const Json& finding, std::size_t number, const std::string& directory,
                         const std::string& id) {
    std::string html = fmt::format(
        "<details class=\"finding\"{}><summary><span class=\"tag {}\">{}</span> "
        "<span class=\"tag\">{}</span> <code>{}</code> {} <span class=\"rule\">[{}]</span>"
        "</summary>\n",
        finding.at("state") == "no_gain" ? "" : " open", text(finding, "severity"),
        text(finding, "severity"),
        finding.at("state") == "no_gain" ? "no gain" : text(finding, "state"),
        shown_place(finding.at("place"), directory), text(finding, "message"),
        text(finding, "rule"));
    std::string fixes, not_offered;
    for (std::size_t i = 0; i < finding.at("fixes").size(); ++i)
        fixes += fix_html(finding.at("fixes")[i], trial_id(id, number, i));
    if (!fixes.empty())
        html += "<ol class=\"trials\">\n" + fixes + "</ol>\n";
    for (const Json& reason : finding.at("not_offered"))
        not_offered += "<li>" + html_escaped(reason.get<std::string>()) + "</li>";
    if (!not_offered.empty())
        html += "<p>Not offered:</p>\n<ul>" + not_offered + "</ul>\n";
    return html + "</details>\n";
}

std::string joined(const Json& names) {
    std::string all;
    for (const Json& name : names)
        all += (all.empty() ? "" : " + ") + name.get<std::string>();
    return all;
}

std::string call_row(const Json& call) {
    return fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td>"
                       "<td class=\"number\">{}</td><td class=\"number\">{}</td>"
                       "<td class=\"number\">{}</td></tr>\n",
                       text(call, "function"), text(call, "dot_product"), text(call, "differences"),
                       call.at("samples").dump(), call.at("mismatches").dump(),
                       call.at("kinks").dump());
}

} // namespace

std::string html_findings(const Json& findings, const std::string& directory,
                          const std::string& id) {
    std::string html;
    for (std::size_t i = 0; i < findings.size(); ++i)
        html += finding_html(findings[i], i, directory, id);
    return html;
}

std::vector<PlotPoint> tried_points(const Json& findings, const std::string& id) {
    std::vector<PlotPoint> points;
    for (std::size_t i = 0; i < findings.size(); ++i)
        for (std::size_t k = 0; k < findings[i].at("fixes").size(); ++k) {
            const Json& fix = findings[i].at("fixes")[k];
            if (!fix.contains("after") || fix.at("after").empty())
                continue;
            const std::string outcome = fix.at("outcome").get<std::string>();
            points.push_back(
                {kind_of(outcome),
                 fmt::format("{} ({})", fix.at("description").get<std::string>(), outcome),
                 trial_id(id, i, k), &fix.at("after")});
        }
    return points;
}

std::string html_combinations(const Json& tuning, const std::string& id) {
    std::string rows;
    std::size_t number = 0;
    for (const Json& tried : tuning.at("combinations"))
        fmt::format_to(Html(rows),
                       "<tr id=\"{}-c{}\" tabindex=\"-1\"><th scope=\"row\">{}</th>"
                       "<td><span class=\"tag\">{}</span></td><td>{}</td></tr>\n",
                       id, number++, html_escaped(joined(tried.at("fixes"))),
                       text(tried, "outcome"), text(tried, "reason"));
    return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Combinations\">\n"
           "<table class=\"combinations\"><caption>Combinations that were "
           "tried</caption>\n<thead><tr>"
           "<th scope=\"col\">fixes</th><th scope=\"col\">outcome</th><th "
           "scope=\"col\">why</th></tr>"
           "</thead>\n<tbody>\n" +
           rows + "</tbody></table>\n</div>\n";
}

std::vector<PlotPoint> combination_points(const Json& tuning, const std::string& id) {
    std::vector<PlotPoint> points;
    std::size_t number = 0;
    for (const Json& tried : tuning.at("combinations")) {
        const std::string link = fmt::format("{}-c{}", id, number++);
        if (!tried.contains("kernels") || tried.at("kernels").empty())
            continue;
        const std::string outcome = tried.at("outcome").get<std::string>();
        points.push_back({kind_of(outcome),
                          fmt::format("{} ({})", joined(tried.at("fixes")), outcome), link,
                          &tried.at("kernels")});
    }
    return points;
}

std::string html_verdict(const Json& verified) {
    std::string verdict = verified.at("verdict").get<std::string>();
    const std::string_view tag = mood(verdict);
    std::replace(verdict.begin(), verdict.end(), '_', ' ');
    std::string html = fmt::format(
        "<details class=\"verdict\"><summary><span class=\"tag {}\">{}</span> gradients of "
        "<code>{}</code>: {}</summary>\n<p>{} samples, seed {}{}{}</p>\n",
        tag, verdict, text(verified, "entry_point"), text(verified, "reason"),
        verified.at("samples").dump(), verified.at("seed").dump(),
        verified.at("bit_equal").get<bool>() ? ", every bit equal" : "",
        verified.at("reference_is_repaired").get<bool>() ? ", compared with the repaired form"
                                                         : "");
    std::string steps, calls;
    for (const Json& step : verified.at("steps"))
        fmt::format_to(Html(steps), "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
                       text(step, "step"), text(step, "state"), text(step, "detail"));
    if (!steps.empty())
        html += "<table class=\"steps\"><caption>How it was verified</caption>\n<thead><tr>"
                "<th scope=\"col\">step</th><th scope=\"col\">result</th><th scope=\"col\">detail"
                "</th></tr></thead>\n<tbody>\n" +
                steps + "</tbody></table>\n";
    for (const Json& call : verified.at("calls"))
        calls += call_row(call);
    if (!calls.empty())
        html += "<table class=\"calls\"><caption>Derivatives against differences</caption>\n"
                "<thead><tr><th scope=\"col\">function</th><th scope=\"col\">dot product</th>"
                "<th scope=\"col\">differences</th><th scope=\"col\">samples</th>"
                "<th scope=\"col\">mismatches</th><th scope=\"col\">kinks</th></tr></thead>\n"
                "<tbody>\n" +
                calls + "</tbody></table>\n";
    return html + "</details>\n";
}

} // namespace slimgrad
