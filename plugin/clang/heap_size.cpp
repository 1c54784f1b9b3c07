#include "plugin/clang/heap_size.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace slimgrad {

HeapSize::HeapSize(std::uint64_t bytes, Slots slots) {
    std::sort(slots.begin(), slots.end());
    if (bytes != 0)
        terms_[std::move(slots)] = bytes;
}

HeapSize& HeapSize::operator+=(const HeapSize& other) {
    for (const auto& [slots, bytes] : other.terms_)
        terms_[slots] += bytes;
    return *this;
}

HeapSize HeapSize::times(std::uint64_t slots) const {
    HeapSize result;
    for (const auto& [own, bytes] : terms_) {
        Slots more = own;
        more.push_back(slots);
        result += HeapSize(bytes, std::move(more));
    }
    return result;
}

HeapSize HeapSize::either(const HeapSize& a, const HeapSize& b) {
    HeapSize result = a;
    for (const auto& [slots, bytes] : b.terms_)
        result.terms_[slots] = std::max(result.terms_[slots], bytes);
    return result;
}

std::uint64_t HeapSize::most() const {
    std::uint64_t sum = 0;
    for (const auto& [slots, bytes] : terms_) {
        std::uint64_t product = bytes;
        for (const std::uint64_t factor : slots)
            product *= factor;
        sum += product;
    }
    return sum;
}

bool HeapSize::too_deep() const {
    return std::any_of(terms_.begin(), terms_.end(),
                       [](const auto& term) { return term.first.size() > 4; });
}

std::string HeapSize::expression() const {
    std::string text;
    for (const auto& [slots, bytes] : terms_) {
        text += fmt::format("{}{}ull", text.empty() ? "" : " + ", bytes);
        for (const std::uint64_t factor : slots)
            text += fmt::format(" * slimgrad_checkpoint_slots({})", factor);
    }
    return text.empty() ? "0ull" : text;
}

} // namespace slimgrad
