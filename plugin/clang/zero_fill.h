#pragma once

#include "plugin/clang/generated_code.h"
#include "plugin/clang/text_edits.h"

#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// Makes the zero fill of a context's arrays cheap. slangc fills them before the loop that writes
/// them, through a copy of the whole array:
///
///     FixedArray<float, 34> _S53 = { 0.0f, 0.0f, ... };
///     (&_S59)->value0_5 = _S53;
///
/// Instead, a slot is filled when the loop reaches it, on the paths that do not write it; slots that
/// the loop did not reach, behind the loop, unless no backward function reads them. Every element
/// that can be read has the value it had. Where the loop is not understood, the array is filled in
/// place, before the loop.
class ZeroFill {
public:
    ZeroFill(clang::ASTContext& context, const GeneratedCode& code, TextEdits& edits)
        : context_(context), code_(code), edits_(edits) {}

    /// Edits the fills of a context that is a variable of `function`. No other edit may touch the
    /// statements that assign zero arrays to its members.
    void shrink(const GeneratedFunction& function, const clang::VarDecl* variable);

    /// Removes the zero arrays of `function` that nothing uses any more; after all of its contexts.
    void remove_unused(const GeneratedFunction& function);

private:
    /// The loop that writes one slot of an array in each of its trips.
    struct SlotLoop {
        const clang::ForStmt* loop = nullptr;
        const clang::VarDecl* counter = nullptr;
        std::set<const clang::Stmt*> writes; ///< statements
    };

    const clang::InitListExpr* elements(const clang::Expr* list) const;
    const clang::VarDecl* zero_array(const clang::Expr* side) const;
    std::string fill(const std::string& place, const clang::Expr* zeros, unsigned depth,
                     const std::string& from) const;
    std::string element(const clang::Expr* zeros, std::string& type) const;
    SlotLoop slot_loop(const GeneratedFunction& function, const Use& filled) const;
    bool counts_trips(const GeneratedFunction& function, const SlotLoop& slots) const;
    void fill_paths(const clang::CompoundStmt* block, const SlotLoop& slots,
                    const std::string& text);
    bool reads_only_reached(const GeneratedFunction& function, const Use& filled,
                            const SlotLoop& slots) const;
    bool starts_at_counter(const GeneratedFunction& function, const Use& read, std::size_t step,
                           const clang::FieldDecl* counter) const;

    clang::ASTContext& context_;
    const GeneratedCode& code_;
    TextEdits& edits_;
    std::set<const clang::Expr*> gone_; ///< uses of zero arrays that were edited away
};

} // namespace slimgrad
