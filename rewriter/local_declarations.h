#pragma once

#include "rewriter/declaration.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What is declared in a function's body and visible at one place of it. Finding a name takes the
/// same time however many there are.
class LocalDeclarations {
  public:
    void add(Declaration& declaration) {
        by_name_[declaration.name].push_back(&declaration);
        all_.push_back(&declaration);
    }

    /// What leave() goes back to.
    std::size_t mark() const { return all_.size(); }

    /// Forgets what was added since.
    void leave(std::size_t mark) {
        for (; all_.size() > mark; all_.pop_back())
            by_name_[all_.back()->name].pop_back();
    }

    /// Innermost last.
    const std::vector<Declaration*>& named(std::string_view name) const {
        static const std::vector<Declaration*> nothing;
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nothing : found->second;
    }

  private:
    std::map<std::string, std::vector<Declaration*>, std::less<>> by_name_;
    std::vector<Declaration*> all_;
};

} // namespace slimgrad
