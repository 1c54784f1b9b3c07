#include "plugin/cli/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace slimgrad {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
    std::string_view nearest;
    std::size_t fewest = 0;
    for (std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        // Two letters in the wrong order are two edits.
        const std::size_t length = std::max(name.size(), candidate.size());
        const std::size_t close_enough = length < 4 ? 1 : std::max<std::size_t>(2, length / 3);
        if (distance <= close_enough && (nearest.empty() || distance < fewest)) {
            nearest = candidate;
            fewest = distance;
        }
    }
    return std::string(nearest);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
    const std::string nearest = nearest_name(name, candidates);
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

} // namespace slimgrad
