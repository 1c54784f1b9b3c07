#pragma once

#include "rewriter/syntax_node.h"

namespace slimgrad {

/// The type that a variable_declaration gives to this one of its declarators, without the array
/// suffixes that stand after the name: the declarator's own (`let x : T`), else the declaration's.
/// A `*` belongs to one declarator alone: in `float *p, x, *q` x is a float. No node where nothing
/// says it, and where the type has none: q in `float x, *q`.
SyntaxNode declarator_type(SyntaxNode declaration, SyntaxNode declarator);

} // namespace slimgrad
