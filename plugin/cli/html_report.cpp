#include "plugin/cli/html_report.h"

#include "plugin/cli/display.h"
#include "plugin/cli/html_figures.h"
#include "plugin/cli/html_findings.h"
#include "plugin/cli/html_plot.h"
#include "plugin/cli/html_source.h"
#include "plugin/cli/html_style.h"
#include "plugin/cli/html_text.h"

#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;
using Html = std::back_insert_iterator<std::string>;

/// What a page is made of besides its document.
struct Page {
    const FileTexts& texts;
    const std::string& directory;

    std::string shown(const Json& path) const {
        return html_escaped(display_path(path.get<std::string>(), directory));
    }
};

std::string heading(const std::string& text) {
    return "<h3>" + text + "</h3>\n";
}

std::string options_text(const Json& options) {
    std::string text = fmt::format(
        "slangc {}, {}, fast math {}", options.at("slang_version").get<std::string>(),
        options.at("arch").get<std::string>(), options.at("fast_math").get<bool>() ? "on" : "off");
    for (const auto& [key, program] :
         {std::pair("slang_arguments", "slangc"), std::pair("nvcc_arguments", "nvcc")}) {
        std::string all;
        for (const Json& argument : options.at(key))
            all += " " + argument.get<std::string>();
        if (!all.empty())
            fmt::format_to(Html(text), "; {} arguments:{}", program, all);
    }
    return html_escaped(text);
}

const Json* member(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// The plots of what was tried, with where it began and ended.
std::string plots(const Json& of, std::vector<PlotPoint> tried, const std::string& id) {
    const Json& before = of.at("kernels");
    if (tried.empty() || before.empty())
        return "";
    std::vector<PlotPoint> points{{PlotPoint::Kind::original, "as it was", id, &before}};
    if (const Json* after = member(of, "kernels_after"); after != nullptr && !after->empty())
        points.push_back({PlotPoint::Kind::result, "with all that is taken", id, after});
    points.insert(points.end(), tried.begin(), tried.end());
    const std::string html = html_plots(points, id);
    return html.empty() ? "" : heading("Trials") + html;
}

std::string contexts_table(const Json& module) {
    std::string rows;
    for (const Json& context : module.at("contexts"))
        fmt::format_to(Html(rows),
                       "<tr><th scope=\"row\"><code>{}</code></th><td class=\"number\">{}</td>"
                       "<td class=\"number\">{}</td></tr>\n",
                       html_escaped(context.at("function_text").get<std::string>()),
                       context.at("bytes").dump(), context.at("values").size());
    if (rows.empty())
        return "<p>" + html_escaped(module.at("no_contexts").get<std::string>()) + "</p>\n";
    return "<p>What each differentiated function keeps for one call; one that is called by another "
           "is "
           "part of that one's bytes.</p>\n<table class=\"contexts\"><caption>Checkpoint contexts"
           "</caption>\n<thead><tr><th scope=\"col\">function</th><th scope=\"col\">bytes</th>"
           "<th scope=\"col\">values</th></tr></thead>\n<tbody>\n" +
           rows + "</tbody></table>\n";
}

std::string layouts_html(const Json& module) {
    const Json* layouts = member(module, "layouts");
    if (layouts == nullptr || layouts->empty())
        return "";
    std::string html;
    for (const Json& layout : *layouts) {
        std::string rows;
        for (const Json& field : layout.at("fields"))
            fmt::format_to(Html(rows),
                           "<tr><th scope=\"row\"><code>{}</code></th><td><code>{}</code></td>"
                           "<td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
                           html_escaped(field.at("name").get<std::string>()),
                           html_escaped(field.at("type").get<std::string>()),
                           field.at("offset").dump(), field.at("size").dump());
        fmt::format_to(Html(html),
                       "<table><caption><code>{}</code> in CUDA's memory: {} B, {}</caption>\n"
                       "<thead><tr><th scope=\"col\">field</th><th scope=\"col\">type</th>"
                       "<th scope=\"col\">offset</th><th scope=\"col\">bytes</th></tr></thead>\n"
                       "<tbody>\n{}</tbody></table>\n",
                       html_escaped(layout.at("function").get<std::string>()),
                       layout.at("size").dump(), html_escaped(layout.at("kind").get<std::string>()),
                       rows);
    }
    return "<details><summary>How contexts lie in CUDA's memory</summary>\n"
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Layouts\">\n" +
           html + "</div>\n</details>\n";
}

std::string module_html(const Json& module, const Page& page, const std::string& id) {
    std::string html =
        fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-h\" tabindex=\"-1\">\n"
                    "<h2 id=\"{0}-h\">{1}</h2>\n<p class=\"options\">{2}</p>\n",
                    id, page.shown(module.at("file")), options_text(module.at("options")));
    if (module.at("status") != "succeeded")
        fmt::format_to(Html(html), "<p><span class=\"tag bad\">{}</span> {}</p>\n",
                       html_escaped(module.at("status").get<std::string>()),
                       html_escaped(module.at("detail").get<std::string>()));
    if (const Json* verified = member(module, "verified"))
        html += html_verdict(*verified);
    if (!module.at("kernels").empty())
        html += heading("Kernels") +
                html_kernels(module.at("kernels"), member(module, "kernels_after"));
    html += plots(module, tried_points(module.at("findings"), id), id);
    if (const Json* diff = member(module, "diff"); diff != nullptr && !diff->empty())
        html += heading("Changes") + html_diff(diff->get<std::string>());
    if (const std::string findings = html_findings(module.at("findings"), page.directory, id);
        !findings.empty())
        html += heading("Findings and candidates") + findings;
    if (module.at("status") == "succeeded")
        html += heading("What is stored") + contexts_table(module) +
                html_sources(module, page.texts, page.directory, id) + layouts_html(module);
    return html + "</section>\n";
}

std::string tuning_html(const Json& tuning, const Page& page, const std::string& id) {
    std::string files;
    for (const Json& file : tuning.at("files"))
        files += (files.empty() ? "" : ", ") + page.shown(file);
    std::string html =
        fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-h\" tabindex=\"-1\">\n"
                    "<h2 id=\"{0}-h\">Tuned: {1}</h2>\n",
                    id, files);
    if (const Json* verified = member(tuning, "verified"))
        html += html_verdict(*verified);
    html += heading("Kernels") +
            html_kernels(tuning.at("kernels"), member(tuning, "kernels_after")) +
            plots(tuning, combination_points(tuning, id), id);
    if (!tuning.at("combinations").empty())
        html += heading("Combinations") + html_combinations(tuning, id);
    return html + "</section>\n";
}

std::string left_out_html(const Json& left_out, const Page& page) {
    std::string rows;
    for (const Json& input : left_out)
        fmt::format_to(Html(rows), "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                       page.shown(input.at("file")),
                       html_escaped(input.at("reason").get<std::string>()));
    if (rows.empty())
        return "";
    return "<section id=\"left-out\" tabindex=\"-1\"><h2>Left out</h2>\n<table><caption>Files that "
           "were "
           "not examined</caption>\n<thead><tr><th scope=\"col\">file</th><th "
           "scope=\"col\">why</th>"
           "</tr></thead>\n<tbody>\n" +
           rows + "</tbody></table>\n</section>\n";
}

std::string contents(const Json& document, const Page& page) {
    std::string items;
    std::size_t number = 0;
    if (const Json* tunings = member(document, "tunings"))
        for (std::size_t i = 0; i < tunings->size(); ++i) {
            const std::size_t files = (*tunings)[i].at("files").size();
            fmt::format_to(Html(items), "<li><a href=\"#g{}\">{}</a></li>\n", i,
                           files == 1 ? "Combinations" : fmt::format("{} files together", files));
        }
    for (const Json& module : document.at("modules"))
        fmt::format_to(Html(items), "<li><a href=\"#m{}\">{}</a></li>\n", number++,
                       page.shown(module.at("file")));
    if (!document.at("left_out").empty())
        items += "<li><a href=\"#left-out\">Left out</a></li>\n";
    return "<nav aria-label=\"Modules\"><ul>\n" + items + "</ul></nav>\n";
}

std::string head(const std::string& title) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           // Whatever a shader holds, nothing runs and nothing is fetched.
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
           title + "</title>\n<style>\n" + std::string(html_style) + "</style>\n</head>\n";
}

} // namespace

std::string html_report(const Json& document, const FileTexts& texts,
                        const std::string& directory) {
    const Page page{texts, directory};
    const std::string title = "slimgrad " + html_escaped(document.at("command").get<std::string>());
    const std::size_t modules = document.at("modules").size();
    std::string html =
        head(title) +
        "<body>\n<a class=\"skip\" href=\"#content\">To the content</a>\n"
        "<header><h1>" +
        title + "</h1>\n<p>version " + html_escaped(document.at("slimgrad").get<std::string>()) +
        ", " + (modules == 1 ? "1 module" : fmt::format("{} modules", modules)) + ", exit code " +
        document.at("exit_code").dump() + "</p>\n" + contents(document, page) +
        "</header>\n<main id=\"content\" tabindex=\"-1\">\n";
    std::size_t number = 0;
    if (const Json* tunings = member(document, "tunings"))
        for (const Json& tuning : *tunings)
            html += tuning_html(tuning, page, fmt::format("g{}", number++));
    number = 0;
    for (const Json& module : document.at("modules"))
        html += module_html(module, page, fmt::format("m{}", number++));
    return html + left_out_html(document.at("left_out"), page) + "</main>\n</body>\n</html>\n";
}

} // namespace slimgrad
