#pragma once

#include "rewriter/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slimgrad {

/// Lines for a person that begin with the place that each is about, in a form that terminals and
/// editors can jump to. The places of a block are padded to one width, so that the indentation
/// behind them shows what belongs to what:
///
///     a.slang:9:5:    for loop over i
///     a.slang:10:14:    call of f
class PlacedLines {
  public:
    /// Paths below `directory` are shown relative to it.
    explicit PlacedLines(std::string directory) : directory_(std::move(directory)) {}

    /// A line two columns deeper for each step of `depth`. Without a file the place is blank.
    void add(const Place& place, int depth, std::string_view words);
    /// Ends the block: gives its text and begins the next one.
    std::string take();

    /// `file:line:column` as lines show it.
    std::string shown(const Place& place) const;

  private:
    struct Line {
        std::string place, words;
        int depth = 0;
    };

    std::string directory_;
    std::vector<Line> lines_;
};

} // namespace slimgrad
