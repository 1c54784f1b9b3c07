#include "rewriter/brace_kind.h"

#include <algorithm>
#include <array>

namespace slimgrad {

namespace {

BraceKind kind_behind(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, BraceKind>, 11> kinds{{
        {"struct", BraceKind::members},
        {"class", BraceKind::members},
        {"interface", BraceKind::members},
        {"extension", BraceKind::members},
        {"__extension", BraceKind::members},
        {"namespace", BraceKind::declarations},
        {"cbuffer", BraceKind::declarations},
        {"tbuffer", BraceKind::declarations},
        {"enum", BraceKind::other},
        {"property", BraceKind::other},
        {"__subscript", BraceKind::other},
    }};
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const auto& kind) { return kind.first == word; });
    return found == kinds.end() ? BraceKind::code : found->second;
}

} // namespace

void BraceReader::read(std::string_view token) {
    if (token == "{") {
        open_.emplace_back(next_, std::exchange(depth_, 0));
        next_ = BraceKind::code;
    } else if (token == "}") {
        depth_ = open_.empty() ? 0 : open_.back().second;
        if (!open_.empty())
            open_.pop_back();
        next_ = BraceKind::code;
    } else if (token == "(" || token == "[") {
        ++depth_;
    } else if (token == ")" || token == "]") {
        --depth_;
    } else if (depth_ == 0 && token == ";") {
        next_ = BraceKind::code;
    } else if (depth_ == 0 && next_ == BraceKind::code) {
        next_ = kind_behind(token); // of `enum class E` the first word
    }
}

} // namespace slimgrad
