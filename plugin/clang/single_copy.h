#pragma once

#include "plugin/clang/rewrite.h"

#include <clang/AST/ASTContext.h>

namespace slimgrad {

/// Keeps one copy of the arrays of checkpoint contexts. As slangc emits them, contexts are returned
/// and copied by value, and every copy takes registers and stack:
///
///     struct s_minCtx_F { FixedArray<float, 34> value0; int value1; };
///     Tuple_4 s_apply_F(float x)                         // returns {result, context}
///         s_minCtx_F c;  c.value0[i] = ...;  Tuple_4 t;  t.value1 = c;  return t;
///     Tuple_4 t = s_apply_F(x);  s_bwdCallableCtx_F b;  b.value1 = t.value1;
///     s_bwdProp_F(&b, ...);
///
/// Afterwards the caller owns the arrays, and contexts point to them:
///
///     struct slimgrad_arrays_F { FixedArray<float, 34> value0; };
///     struct s_minCtx_F { FixedArray<float, 34> * value0; int value1; };
///     Tuple_4 s_apply_F(float x, slimgrad_arrays_F * slimgrad_arrays)
///         s_minCtx_F c;  c.value0 = &slimgrad_arrays->value0;  (*c.value0)[i] = ...;
///     slimgrad_arrays_F slimgrad_arrays_0;  Tuple_4 t = s_apply_F(x, &slimgrad_arrays_0);
///
/// Every value that is computed stays the same, bit by bit. Moves arrays that a loop's counter
/// writes, of contexts of more than 64 bytes; where nvcc can unroll the loops, of more than 320, or
/// 512 if the context holds an array of contexts. One with a use that is not understood stays as it
/// is, with a note in `result`. Returns whether `result.text` was changed.
bool single_copy(clang::ASTContext& context, RewriteResult& result);

} // namespace slimgrad
