#pragma once

#include "attributes/checkpointed_loops.h"
#include "rewriter/result.h"

#include <string>
#include <vector>

namespace slimgrad {

/// A loop whose trips each read and set one element of an array, that of its counter.
///
/// Example: `for (int i = 0; i < 16; i++) a[i] = f(a[i]);`
class ElementUpdate {
  public:
    /// `array` is a local variable declared before the loop, into ModuleModel::locals.
    ///
    /// Error: what else the loop does with the array.
    static Result<ElementUpdate> read(const RuleInput& input, CheckpointedLoops& loops, Index loop,
                                      Index array);

    /// Why what the loop sets cannot go into another array, or "".
    std::string why_not_set_apart() const;

    /// The edits by which it does: `float aNext[16];`, `aNext[i] = f(a[i]);`, and `aNext` in all of
    /// the function behind the loop. Where the loop may leave an element as it is, the new array
    /// begins as a copy.
    std::vector<SourceEdit> set_apart() const;

  private:
    ElementUpdate(const RuleInput& input, CheckpointedLoops& loops, Index loop, Index array);

    bool is_in_loop(const Access& access) const;
    std::string why_not_elements() const;
    std::string why_set_otherwise() const;
    std::string why_not_renamed() const;
    bool sets_all() const;
    /// The function's own statement that holds it; an empty range where there is none.
    ByteRange statement_of(ByteRange range) const;

    const ModuleModel& model_;
    CheckpointedLoops& loops_;
    const Index index_;
    const Loop& loop_;
    const LocalVariable& array_;
    const SourceFile& file_;
    const Index local_;
    std::vector<const Access*> reads_, writes_; ///< in the loop
    std::vector<const Access*> behind_;
};

} // namespace slimgrad
