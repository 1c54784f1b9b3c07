#pragma once

#include "plugin/clang/context_arrays.h"
#include "plugin/clang/generated_code.h"
#include "plugin/clang/text_edits.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// Makes the zero fill of a context's arrays cheap. slangc fills them before the loop that writes
/// them, through a copy of the whole array:
///
///     FixedArray<float, 34> _S53 = { 0.0f, 0.0f, ... };
///     (&_S59)->value0_5 = _S53;
///
/// Instead, a slot is filled when the loop reaches it, on the paths that do not write it; slots
/// that the loop did not reach, behind the loop, unless no backward function reads them. Every
/// element that can be read has the value it had. Where the loop is not understood, the array is
/// filled in place, before the loop.
class ZeroFill {
  public:
    /// A statement that gives an element its value: `(&_S59)->value0_5[i] = 0.0f;`. As many indices
    /// as ContextArrays::dimensions.
    using Store = std::function<std::string(const clang::FieldDecl* field,
                                            const std::vector<std::string>& indices,
                                            const std::string& value)>;

    /// How many slots there are of those that are declared: "34".
    using Extent = std::function<std::string(std::uint64_t declared)>;

    ZeroFill(clang::ASTContext& context, const GeneratedCode& code, const ContextArrays& arrays,
             TextEdits& edits, Store store, Extent extent)
        : context_(context), code_(code), arrays_(arrays), edits_(edits), store_(std::move(store)),
          extent_(std::move(extent)) {}

    /// Edits the fills of the moved arrays of `function`'s own context, also those by its
    /// initializer. No other edit may touch the statements that assign zero arrays to them.
    void shrink(const GeneratedFunction& function);

    /// A use of a zero array that was edited away.
    void forget(const clang::Expr* use) { gone_.insert(use); }

    /// Removes the zero arrays of `function` that nothing uses any more.
    void remove_unused(const GeneratedFunction& function);

  private:
    /// A loop and the variable that is 0 before it and one more after each of its trips.
    struct CountedLoop {
        const clang::ForStmt* loop = nullptr;
        Variable counter = nullptr;
    };
    /// The loops whose counters are the indices of an array, one in another, so that the innermost
    /// one writes one element in each of its trips.
    struct SlotLoops {
        std::vector<CountedLoop> levels; ///< in the order of the indices; empty: not understood
        const clang::ForStmt* innermost = nullptr;
        const clang::ForStmt* outermost = nullptr;
        std::set<const clang::Stmt*> writes; ///< statements
    };
    /// The member that holds the last value of a loop's counter: `counts[i]` where other loops,
    /// with the counter i, lie around it.
    struct StoredCounter {
        const clang::FieldDecl* field = nullptr;
        std::vector<std::size_t> outer; ///< the levels that its indices count
    };

    std::string fill(const clang::FieldDecl* field, std::vector<std::string> indices,
                     const Zeros& zeros, const std::string& from);
    std::string fill_element(const clang::FieldDecl* field, std::vector<std::string> indices,
                             const Zeros& zeros);
    void shrink(const GeneratedFunction& function, const clang::FieldDecl* field,
                const Zeros& zeros, const clang::Expr* assignment);
    std::optional<Zeros> initial(const GeneratedFunction& function,
                                 const clang::FieldDecl* field) const;
    SlotLoops slot_loops(const GeneratedFunction& function, const clang::FieldDecl* field,
                         const clang::Expr* fill) const;
    CountedLoop counted_loop(const GeneratedFunction& function, Variable counter) const;
    void fill_paths(const clang::CompoundStmt* block, const SlotLoops& slots,
                    const std::string& text);
    bool reads_only_reached(const GeneratedFunction& function, const clang::FieldDecl* field,
                            const SlotLoops& slots) const;
    StoredCounter stored_counter(const GeneratedFunction& function, const SlotLoops& slots,
                                 std::size_t level) const;
    bool starts_at_counter(const GeneratedFunction& function, const Use& read, std::size_t step,
                           std::size_t level, const StoredCounter& counter) const;

    clang::ASTContext& context_;
    const GeneratedCode& code_;
    const ContextArrays& arrays_;
    TextEdits& edits_;
    Store store_;
    Extent extent_;
    std::set<const clang::Expr*> gone_; ///< uses of zero arrays that were edited away
    std::set<Variable> needed_;         ///< zeros that fills copy
    std::map<const clang::CompoundStmt*, std::string> missing_arms_; ///< of branches without `else`
};

} // namespace slimgrad
