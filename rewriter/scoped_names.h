#pragma once

#include "rewriter/module_model.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace slimgrad {

/// The names that are known at a place of a function's body, with what they mean. A name hides
/// those of outer scopes. Finding one takes the same time however many there are.
class ScopedNames {
  public:
    void add(const std::string& name, Index meaning) {
        meanings_[name].push_back(meaning);
        order_.push_back(name);
    }

    /// Of the innermost scope that has the name; `none` where none has.
    Index find(const std::string& name) const {
        const auto found = meanings_.find(name);
        return found == meanings_.end() || found->second.empty() ? none : found->second.back();
    }

    bool has(const std::string& name) const {
        const auto found = meanings_.find(name);
        return found != meanings_.end() && !found->second.empty();
    }

    /// What leave() goes back to.
    std::size_t mark() const { return order_.size(); }

    /// Forgets the names that were added since.
    void leave(std::size_t mark) {
        for (; order_.size() > mark; order_.pop_back())
            meanings_[order_.back()].pop_back();
    }

  private:
    std::unordered_map<std::string, std::vector<Index>> meanings_; ///< innermost last
    std::vector<std::string> order_;
};

} // namespace slimgrad
