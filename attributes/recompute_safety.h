#pragma once

#include "attributes/effects.h"
#include "attributes/rule.h"

#include <optional>
#include <string>

namespace slimgrad {

/// Whether running a function a second time, in the backward pass, gives what it gave in the
/// forward pass.
struct RecomputeSafety {
    enum class Answer {
        pure,        ///< reads nothing that outlives it
        only_reads,  ///< reads what no thread of the dispatch writes
        if_no_alias, ///< only_reads, if two parameters do not overlap
        no,
    };
    Answer answer = Answer::no;
    std::string reason; ///< for if_no_alias and no: one line with the place
    /// Without the promise `noalias` the answer would be if_no_alias.
    bool by_promise = false;
};

/// Judges by the module's effects: what the function reads must not be written by any thread of a
/// dispatch that reaches it, neither in the forward nor in the backward pass, custom derivatives
/// included.
RecomputeSafety recompute_safety(const RuleInput& input, const EffectAnalysis& effects,
                                 Index function);

/// The same for one read of `base` (a global, parameter or local) that stands in `function`.
RecomputeSafety read_again_safety(const RuleInput& input, const EffectAnalysis& effects,
                                  Index function, const std::string& base);

/// A fix that has something computed again is unsafe where that rests on a condition.
void add_condition(Fix& fix, const RecomputeSafety& safety);

} // namespace slimgrad
