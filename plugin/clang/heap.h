#pragma once

#include "plugin/clang/rewrite.h"

#include <clang/AST/ASTContext.h>

namespace slimgrad {

/// Puts arrays of checkpoint contexts that a loop fills, of `options.heap_threshold` bytes and
/// more, into a heap in global memory: a slice for each thread, which the host provides before a
/// launch (runtime/checkpoint_heap.cuh, plugin/heap/slimgrad_checkpoint_heap.h).
///
///     struct s_minCtx_F { SlimgradCheckpointArray<float, 34> value0; int value1; };
///     Tuple_4 s_apply_F(float x, SlimgradCheckpointSlice slimgrad_slice)
///         s_minCtx_F c;  c.value0 = SlimgradCheckpointArray<float, 34>{slimgrad_slice + 0ull};
///         c.value0.store(i, ...);
///
/// Each call whose context is in use at the same time as another's has a part of the slice of its
/// own; each kernel's needs are a constant of the text, for the host to read. Every value that is
/// computed stays the same, bit by bit. An array with a use that is not understood stays where it
/// is, with a note in `result`; all of them do in a text with OptiX programs or exported device
/// functions that would need a slice. Returns whether `result.text` was changed.
bool heap(clang::ASTContext& context, const RewriteOptions& options, RewriteResult& result);

} // namespace slimgrad
