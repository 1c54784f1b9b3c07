#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Which items of a vector have a name: their indices, in order. The vector only ever grows at its
/// end, and names stay; what was added since the last question is read at the next one.
class NameIndex {
  public:
    template <class Items>
    const std::vector<std::uint32_t>& find(const Items& items, std::string_view name) {
        for (; known_ < items.size(); ++known_)
            by_name_[items[known_].name].push_back(static_cast<std::uint32_t>(known_));
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nothing() : found->second;
    }

  private:
    static const std::vector<std::uint32_t>& nothing() {
        static const std::vector<std::uint32_t> empty;
        return empty;
    }

    std::map<std::string, std::vector<std::uint32_t>, std::less<>> by_name_;
    std::size_t known_ = 0;
};

} // namespace slimgrad
