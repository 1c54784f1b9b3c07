#include "plugin/cli/html_plot.h"

#include "plugin/cli/html_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;
using Html = std::back_insert_iterator<std::string>;

constexpr double width = 640, height = 360, left = 76, right = 20, top = 16, bottom = 56;

enum class Over { most, least, sum };

struct Figure {
    std::string_view name;
    std::string_view key;
    Over over = Over::most;
};

constexpr Figure registers{"registers, most of any kernel", "registers"};
constexpr Figure local{"stack bytes, most of any kernel", "stack_bytes"};
constexpr Figure warps{"warps per SM, fewest of any kernel", "warps_per_sm", Over::least};
constexpr Figure estimate{"estimated cost, all kernels", "estimated_cost", Over::sum};
constexpr Figure checkpoints{"checkpoint bytes", "checkpoint_bytes"};

struct View {
    std::string_view name;
    Figure x, y;
};
constexpr std::array<View, 3> views{{{"registers and local memory", registers, local},
                                     {"warps and estimated cost", warps, estimate},
                                     {"checkpoints and estimated cost", checkpoints, estimate}}};

double value(const Json& kernels, const Figure& figure) {
    double result = 0;
    bool first = true;
    for (const Json& kernel : kernels) {
        const double own = kernel.value(std::string(figure.key), 0.0);
        result = figure.over == Over::sum    ? result + own
                 : first                     ? own
                 : figure.over == Over::most ? std::max(result, own)
                                             : std::min(result, own);
        first = false;
    }
    return result;
}

/// From figures to one direction of the picture. Logarithmic where linear would put most points
/// onto one.
struct Axis {
    Figure figure;
    double low = 0, high = 1; ///< as shown
    double from = 0, to = 1;  ///< in the picture
    bool logarithmic = false;
    std::vector<double> ticks;

    double shown(double value) const { return logarithmic ? std::log10(1 + value) : value; }
    double at(double value) const {
        return from + (to - from) * (shown(value) - low) / (high - low);
    }
};

/// 1, 2 or 5 times a power of ten, for about five ticks.
double step_for(double range) {
    const double power = std::pow(10, std::floor(std::log10(range / 5)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (range / (factor * power) <= 6)
            return factor * power;
    return 10 * power;
}

Axis make_axis(const Figure& figure, const std::vector<double>& values, double from, double to) {
    Axis axis{figure, 0, 1, from, to, false, {}};
    const double most = *std::max_element(values.begin(), values.end());
    double least = most;
    for (const double v : values)
        if (v > 0)
            least = std::min(least, v);
    axis.logarithmic = most > 40 * std::max(least, 1.0);
    if (axis.logarithmic) {
        axis.high = axis.shown(most) * 1.04;
        const bool from_zero = *std::min_element(values.begin(), values.end()) == 0;
        axis.low = from_zero ? 0 : std::floor(axis.shown(least));
        if (from_zero)
            axis.ticks.push_back(0);
        for (double tick = from_zero ? 1 : std::pow(10, axis.low); tick <= most * 1.04; tick *= 10)
            axis.ticks.push_back(tick);
        return axis;
    }
    const double step = std::max(1.0, step_for(std::max(most, 1.0)));
    axis.high = std::max(step, std::ceil(most * 1.02 / step) * step);
    for (double tick = 0; tick <= axis.high + step / 2; tick += step)
        axis.ticks.push_back(tick);
    return axis;
}

std::string grid(const Axis& x, const Axis& y) {
    std::string svg = "<g class=\"grid\" aria-hidden=\"true\">\n";
    for (const double tick : x.ticks)
        if (x.at(tick) >= left - 0.5)
            fmt::format_to(Html(svg),
                           "<path d=\"M{:.1f} {}V{}\"/><text x=\"{:.1f}\" y=\"{}\" "
                           "text-anchor=\"middle\">{:.0f}</text>\n",
                           x.at(tick), top, height - bottom, x.at(tick), height - bottom + 24,
                           tick);
    for (const double tick : y.ticks)
        if (y.at(tick) <= height - bottom + 0.5)
            fmt::format_to(Html(svg),
                           "<path d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" "
                           "text-anchor=\"end\">{:.0f}</text>\n",
                           left, y.at(tick), width - right, left - 6, y.at(tick) + 4, tick);
    const auto scale = [](const Axis& axis) { return axis.logarithmic ? " (logarithmic)" : ""; };
    fmt::format_to(Html(svg),
                   "<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}{}</text>\n"
                   "<text class=\"axis\" transform=\"translate(14 {}) rotate(-90)\" "
                   "text-anchor=\"middle\">{}{}</text>\n</g>\n",
                   (left + width - right) / 2, height - 8, x.figure.name, scale(x),
                   (top + height - bottom) / 2, y.figure.name, scale(y));
    return svg;
}

std::string_view name(PlotPoint::Kind kind) {
    switch (kind) {
    case PlotPoint::Kind::original:
        return "original";
    case PlotPoint::Kind::result:
        return "result";
    case PlotPoint::Kind::taken:
        return "taken";
    case PlotPoint::Kind::measured:
        return "measured";
    case PlotPoint::Kind::refused:
        return "refused";
    }
    return "";
}

/// Each kind has a shape of its own, not only a colour.
std::string mark(PlotPoint::Kind kind, double x, double y) {
    const auto path = [&](std::string_view form) {
        return fmt::format(
            "<path class=\"mark {}\" transform=\"translate({:.1f} {:.1f})\" d=\"{}\"/>", name(kind),
            x, y, form);
    };
    switch (kind) {
    case PlotPoint::Kind::original:
        return path("M-7 -7H7V7H-7Z");
    case PlotPoint::Kind::result:
        return path("M0 -10L10 0L0 10L-10 0Z");
    case PlotPoint::Kind::taken:
    case PlotPoint::Kind::measured:
        return fmt::format("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>",
                           name(kind), x, y);
    case PlotPoint::Kind::refused:
        return path("M-6 -6L6 6M-6 6L6 -6");
    }
    return "";
}

bool less_is_better(const Figure& figure) {
    return figure.over != Over::least;
}

/// The points that no other beats, as steps from one to the next.
std::string front(const std::vector<PlotPoint>& points, const Axis& x, const Axis& y) {
    std::vector<std::pair<double, double>> usable; // less is better in both
    const double sign = less_is_better(x.figure) ? 1 : -1;
    for (const PlotPoint& point : points)
        if (point.kind != PlotPoint::Kind::refused)
            usable.emplace_back(sign * value(*point.kernels, x.figure),
                                value(*point.kernels, y.figure));
    std::sort(usable.begin(), usable.end());
    std::string path;
    double best = HUGE_VAL;
    for (const auto& [a, b] : usable) {
        if (b >= best)
            continue;
        best = b;
        if (path.empty())
            fmt::format_to(Html(path), "M{:.1f} {:.1f}", x.at(sign * a), y.at(b));
        else
            fmt::format_to(Html(path), "H{:.1f}V{:.1f}", x.at(sign * a), y.at(b));
    }
    return fmt::format("<path class=\"front\" aria-hidden=\"true\" d=\"{}\"/>\n", path);
}

/// Points at one place are one that says all; the most important of them gives it its form.
std::string marks(const std::vector<PlotPoint>& points, const Axis& x, const Axis& y) {
    std::map<std::pair<double, double>, std::vector<const PlotPoint*>> places;
    for (const PlotPoint& point : points)
        places[{value(*point.kernels, x.figure), value(*point.kernels, y.figure)}].push_back(
            &point);
    std::string svg;
    for (const auto& [place, here] : places) {
        const PlotPoint* first =
            *std::min_element(here.begin(), here.end(), [](const PlotPoint* a, const PlotPoint* b) {
                return a->kind < b->kind;
            });
        std::string label = fmt::format("{:.0f} and {:.0f}: ", place.first, place.second);
        for (const PlotPoint* point : here)
            label += (point == here.front() ? "" : "; ") + point->label;
        label = html_escaped(label);
        fmt::format_to(Html(svg),
                       "<a href=\"#{}\" aria-label=\"{}\"><title>{}</title>"
                       "<circle class=\"hit\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"14\"/>{}</a>\n",
                       html_escaped(first->link), label, label, x.at(place.first),
                       y.at(place.second),
                       mark(first->kind, x.at(place.first), y.at(place.second)));
    }
    return svg;
}

std::string plot(const View& view, const std::vector<PlotPoint>& points) {
    std::vector<double> xs, ys;
    for (const PlotPoint& point : points) {
        xs.push_back(value(*point.kernels, view.x));
        ys.push_back(value(*point.kernels, view.y));
    }
    const Axis x = make_axis(view.x, xs, left, width - right);
    const Axis y = make_axis(view.y, ys, height - bottom, top);
    return fmt::format(
               "<svg viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"All trials by {}\">\n",
               width, height, view.name) +
           grid(x, y) + front(points, x, y) + marks(points, x, y) + "</svg>\n";
}

std::string legend() {
    std::string html = "<ul class=\"legend\">";
    constexpr std::array<std::pair<PlotPoint::Kind, std::string_view>, 5> kinds{{
        {PlotPoint::Kind::original, "as it was"},
        {PlotPoint::Kind::result, "result"},
        {PlotPoint::Kind::taken, "part of the result, or offered"},
        {PlotPoint::Kind::measured, "measured, not used"},
        {PlotPoint::Kind::refused, "refused: not verified, or gradients differ"},
    }};
    for (const auto& [kind, text] : kinds)
        fmt::format_to(Html(html),
                       "<li><svg viewBox=\"-12 -12 24 24\" aria-hidden=\"true\">{}</svg> {}</li>",
                       mark(kind, 0, 0), text);
    return html + "<li><svg viewBox=\"-12 -12 24 24\" aria-hidden=\"true\"><path class=\"front\" "
                  "d=\"M-12 0H12\"/></svg> beaten by none in both figures</li></ul>\n";
}

bool is_known(const View& view, const std::vector<PlotPoint>& points) {
    const auto known = [&](const Figure& figure) {
        return figure.key != estimate.key ||
               std::all_of(points.begin(), points.end(), [](const PlotPoint& point) {
                   return std::all_of(
                       point.kernels->begin(), point.kernels->end(),
                       [](const Json& k) { return k.value("estimated_cost", 0.0) != 0; });
               });
    };
    return known(view.x) && known(view.y);
}

} // namespace

std::string html_plots(const std::vector<PlotPoint>& points, const std::string& id) {
    if (points.size() < 2)
        return "";
    std::string inputs, plots;
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (!is_known(views[i], points))
            continue;
        fmt::format_to(Html(inputs),
                       "<input type=\"radio\" name=\"{0}-plot\" id=\"{0}-plot{1}\"{2}>"
                       "<label for=\"{0}-plot{1}\">{3}</label>\n",
                       id, i, i == 0 ? " checked" : "", views[i].name);
        plots += "<div class=\"plot\">" + plot(views[i], points) + "</div>\n";
    }
    return "<figure class=\"plots\">\n<figcaption>All trials. A point leads to what it stands for; "
           "towards the lower left is better, for warps towards the lower right.</figcaption>\n" +
           inputs + plots + legend() + "</figure>\n";
}

} // namespace slimgrad
