#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace slimgrad {

/// What a pair of braces is around.
enum class BraceKind {
    code,         ///< statements, or an initializer
    declarations, ///< of a namespace or a cbuffer
    members,      ///< of a struct, interface or extension
    other,        ///< the constants of an enum, accessors
};

/// Reads a text token by token and tells what the braces around the place are of. Macros are not
/// looked into.
class BraceReader {
  public:
    /// White space and comments may be left out.
    void read(std::string_view token);
    /// Outside of all braces: declarations.
    BraceKind around() const {
        return open_.empty() ? BraceKind::declarations : open_.back().first;
    }

  private:
    std::vector<std::pair<BraceKind, int>> open_; ///< with the brackets around it
    BraceKind next_ = BraceKind::code; ///< of a brace that opens before the declaration ends
    int depth_ = 0;                    ///< of parentheses and brackets in the innermost brace
};

} // namespace slimgrad
