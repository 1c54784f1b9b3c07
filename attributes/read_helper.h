#pragma once

#include "attributes/rule.h"

#include <string>
#include <vector>

namespace slimgrad {

/// A read of a buffer or tensor that stands directly in differentiated code: `gW[i]` or
/// `src.loadOnce(c)`.
struct DirectRead {
    Site site;          ///< what a call of the helper replaces
    Site index;         ///< the expression between the brackets or parentheses
    std::string base;   ///< "gW"
    std::string method; ///< "loadOnce", or "" for a subscript
    Index function = none;
};

/// The edits that let a helper function do the reads.
///
/// Example: `s += gW[i] * x;` becomes `s += slimgrad_read_gW(i) * x;` and above the first function
/// of the file that names gW stands
///     [PreferRecompute(SideEffectBehavior.Allow)]
///     [Differentiable]
///     float slimgrad_read_gW(uint i) { return gW[i]; }
struct ReadHelper {
    std::string name;
    std::vector<SourceEdit> edits;
};

/// `reads` are of one base and method in one function. A helper that does this already is used
/// again. Error: what is read has a type that cannot be written down from the text alone, or stands
/// where nothing may be edited.
Result<ReadHelper> read_helper(const RuleInput& input, const std::vector<DirectRead>& reads);

} // namespace slimgrad
