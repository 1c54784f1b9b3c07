#pragma once

#include "plugin/clang/rewrite.h"

#include <clang/AST/ASTContext.h>

namespace slimgrad {

/// Repairs nested arrays of checkpoint contexts whose extents are transposed (shader-slang/slang
/// issue 13000). For two nested loops of 16 and 8 trips slangc declares
///
///     FixedArray<FixedArray<float, 10>, 18> value;         // [outer][inner]
///     value[inner_counter][outer_counter]                  // in all uses
///
/// which reads and writes other elements than meant, or none of the array, where the bounds differ.
/// The extents are exchanged where the number of slots of one of the loops is known, from an array
/// that its counter alone indexes or from the constant that the backward loop starts at. Every such
/// array is an error in `result`, for the gradients change. One whose uses are not all alike, or
/// whose zeros are not understood, is only told. Returns whether `result.text` was changed.
bool repair_extents(clang::ASTContext& context, RewriteResult& result);

/// Only tells of them.
void find_transposed_extents(clang::ASTContext& context, RewriteResult& result);

} // namespace slimgrad
