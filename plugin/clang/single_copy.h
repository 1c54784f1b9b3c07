#pragma once

#include "plugin/clang/rewrite.h"

#include <clang/AST/ASTContext.h>

namespace slimgrad {

/// Keeps one copy of every checkpoint context that a loop fills. As slangc emits them, contexts are
/// returned and copied by value, and every copy takes registers and stack:
///
///     Tuple_4 s_apply_march_0(float x)                   // returns {result, context}
///         s_minCtx_... c;  fill c;  Tuple_4 t;  t.value1 = c;  return t;
///     Tuple_4 t = s_apply_march_0(x);  s_bwdCallableCtx_... b;  b.value1 = t.value1;
///     s_bwdProp_march_0(&b, ...);
///
/// Afterwards the caller owns the context, the forward function fills it in place, and the record
/// that goes to the backward function points to it:
///
///     Tuple_4 s_apply_march_0(float x, s_minCtx_... * slimgrad_context)
///         s_minCtx_... & c = *slimgrad_context;  fill c;
///     s_minCtx_... slimgrad_context_0;  Tuple_4 t = s_apply_march_0(x, &slimgrad_context_0);
///     b.value1 = &slimgrad_context_0;
///
/// Every value that is computed stays the same, bit by bit. Looks at contexts of more than 64 bytes
/// that are written by a loop's counter. A context with a use that is not understood stays as it is,
/// with a note in `result`. Returns whether `result.text` was changed.
bool single_copy(clang::ASTContext& context, RewriteResult& result);

} // namespace slimgrad
