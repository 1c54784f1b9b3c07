#pragma once

#include "rewriter/condition.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace slimgrad {

/// At which words of a module its macros are in force. A name stands for one thing in the model: a
/// macro that is defined after all uses of its name, or undefined before them, is none there, and
/// one that is in force at a part of them has several meanings.
class MacroReach {
  public:
    /// A word of the active text, where `macros` are in force. `is_call`: a `(` follows, without
    /// which a function-like macro is not used.
    void word(std::string_view word, bool is_call, const MacroTable& macros);
    /// `macros` are others from here on.
    void changed() { ++version_; }

    /// Takes those out of the list that are in force at none of their name's uses. For those that
    /// are at some, and for -D options, adds what the name means at the others: itself, so that
    /// find_only_macro has none.
    void apply(std::vector<MacroDefinition>& macros) const;

  private:
    struct Uses {
        bool in_force = false;
        bool plain = false, called = false; ///< where no macro is in force
        std::size_t version = 0;            ///< when the body was looked through last
    };
    bool is_elsewhere(const Uses& uses, bool function_like) const {
        return function_like ? uses.called : uses.plain || uses.called;
    }

    std::unordered_map<std::string, Uses> uses_;
    std::size_t version_ = 1;
};

} // namespace slimgrad
