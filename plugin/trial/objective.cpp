#include "plugin/trial/objective.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <utility>

namespace slimgrad {
namespace {

/// What figures are called on the command line.
constexpr std::array<std::pair<std::string_view, Figure>, 8> names{{
    {"spills", Figure::spill_bytes},
    {"stack", Figure::local_memory},
    {"local", Figure::local_accesses},
    {"warps", Figure::warps},
    {"regs", Figure::registers},
    {"code", Figure::code_bytes},
    {"ckpt", Figure::checkpoint_bytes},
    {"estimate", Figure::estimate},
}};

Result<Figure> figure_named(std::string_view text) {
    for (const auto& [name, figure] : names)
        if (name == text)
            return figure;
    std::vector<std::string_view> known;
    for (const auto& [name, figure] : names)
        known.push_back(name);
    return fail(fmt::format("'{}' is none of {}", text, fmt::join(known, ", ")));
}

std::vector<std::string_view> split(std::string_view list) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

bool is_better(Figure figure, std::uint64_t before, std::uint64_t after) {
    return figure == Figure::warps ? after > before : after < before;
}

double share(Figure figure, std::uint64_t value, std::uint64_t limit) {
    if (figure == Figure::warps)
        return value >= limit ? 0 : double(limit - value) / double(limit);
    return value <= limit ? 0 : double(value - limit) / double(std::max<std::uint64_t>(limit, 1));
}

/// A forward kernel that both have and that loses warps.
bool loses_forward_warps(const Figures& before, const Figures& after) {
    for (const KernelFigures& b : before.kernels)
        for (const KernelFigures& a : after.kernels)
            if (a.name == b.name && a.direction == Direction::forward &&
                b.direction == Direction::forward && a.warps_per_sm < b.warps_per_sm)
                return true;
    return false;
}

/// Local memory is weighed by the warps that come later in the order, unless it was asked for
/// first.
bool is_weighed(Figure figure, const Objective& objective) {
    const auto place = std::find(objective.order.begin(), objective.order.end(), figure);
    return figure == Figure::local_memory && place != objective.order.begin() &&
           std::find(place, objective.order.end(), Figure::warps) != objective.order.end();
}

/// What a thread takes, in bytes, added up over the kernels: its share of the register file, and
/// twice its stack frame, as what lies there is stored and loaded. Values that go from the frame to
/// registers are worth it if this becomes less; if it becomes more, they cost more warps than they
/// saved of memory.
double thread_bytes(const Figures& figures) {
    constexpr double register_file = 65536 * 4; // of a multiprocessor
    double sum = 0;
    for (const KernelFigures& kernel : figures.kernels)
        sum += 2 * kernel.stack_bytes +
               register_file / (32.0 * std::max<std::uint32_t>(kernel.warps_per_sm, 1));
    return sum;
}

/// Less than 0: better, more: worse.
double change_of(Figure figure, const Figures& before, const Figures& after,
                 const Objective& objective) {
    if (is_weighed(figure, objective))
        return thread_bytes(after) - thread_bytes(before);
    const double change = double(value(after, figure)) - double(value(before, figure));
    return figure == Figure::warps ? -change : change;
}

bool is_minor(Figure figure) {
    return figure == Figure::registers || figure == Figure::code_bytes ||
           figure == Figure::checkpoint_bytes;
}

} // namespace

double excess(const Figures& figures, const Objective& objective) {
    double sum = 0;
    for (const auto& [figure, limit] : objective.budget) {
        if (figure == Figure::checkpoint_bytes)
            sum += share(figure, figures.checkpoint_bytes, limit);
        else
            for (const KernelFigures& kernel : figures.kernels)
                sum += share(figure, value(kernel, figure), limit);
    }
    return sum;
}

Comparison compare(const Figures& before, const Figures& after, const Objective& objective) {
    if (!objective.allow_forward_regression && loses_forward_warps(before, after))
        return {Change::worse, Figure::warps, false, true};
    if (!objective.budget.empty()) {
        const double had = excess(before, objective), has = excess(after, objective);
        if (had == has)
            return {};
        const auto changed =
            std::find_if(objective.budget.begin(), objective.budget.end(), [&](const auto& limit) {
                return value(before, limit.first) != value(after, limit.first);
            });
        return {has < had ? Change::better : Change::worse,
                (changed == objective.budget.end() ? objective.budget.begin() : changed)->first};
    }
    for (const Figure figure : objective.order) {
        const double change = change_of(figure, before, after, objective);
        if (change == 0)
            continue;
        const std::uint64_t a = value(before, figure), b = value(after, figure);
        const bool better = change < 0;
        if (a == b || better != is_better(figure, a, b)) // the warps outweigh it
            return {better ? Change::better : Change::worse, Figure::warps};
        if (!better)
            return {Change::worse, figure};
        return {Change::better, figure, is_minor(figure) && figure != objective.order.front()};
    }
    return {};
}

bool worse_in_every_way(const Figures& before, const Figures& after, const Objective& objective) {
    bool changed = false;
    for (const Figure figure : objective.order) {
        const std::uint64_t a = value(before, figure), b = value(after, figure);
        if (a != b && is_better(figure, a, b))
            return false;
        changed = changed || a != b;
    }
    return changed;
}

Result<std::map<Figure, std::uint64_t>> parse_budget(std::string_view text) {
    std::map<Figure, std::uint64_t> budget;
    for (const std::string_view part : split(text)) {
        const std::size_t equals = part.find('=');
        if (equals == part.npos)
            return fail(fmt::format("'{}' is no limit such as regs=128", part));
        const Result<Figure> figure = figure_named(part.substr(0, equals));
        if (!figure)
            return tl::unexpected(figure.error());
        const std::string_view digits = part.substr(equals + 1);
        std::uint64_t limit = 0;
        const auto [end, code] =
            std::from_chars(digits.data(), digits.data() + digits.size(), limit);
        if (code != std::errc{} || end != digits.data() + digits.size())
            return fail(fmt::format("'{}' is no whole number", digits));
        if (!budget.emplace(*figure, limit).second)
            return fail(fmt::format("'{}' has two limits", part.substr(0, equals)));
    }
    return budget;
}

Result<std::vector<Figure>> parse_order(std::string_view text) {
    std::vector<Figure> order;
    for (const std::string_view part : split(text)) {
        const Result<Figure> figure = figure_named(part);
        if (!figure)
            return tl::unexpected(figure.error());
        if (std::find(order.begin(), order.end(), *figure) != order.end())
            return fail(fmt::format("'{}' stands there twice", part));
        order.push_back(*figure);
    }
    for (const Figure figure : Objective{}.order)
        if (std::find(order.begin(), order.end(), figure) == order.end())
            order.push_back(figure);
    return order;
}

} // namespace slimgrad
