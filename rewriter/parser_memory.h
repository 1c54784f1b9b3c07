#pragma once

namespace slimgrad {

/// Makes libtree-sitter's memory safe where a node has more children than it can count. Call it
/// before the first parse; again, it does nothing.
///
/// libtree-sitter 0.20.7 counts a node's children in 16 bits. A node with 65,540 of them (comments in
/// a row, tokens in one syntax error) says that it has 4, the last ones; reading these is harmless,
/// but releasing the node frees a pointer into the middle of its memory. Here such a pointer frees
/// the block that it lies in. The children that are not counted stay allocated for good. That nodes
/// are lost shows in the tree's root: it is shorter than the text.
void guard_parser_memory();

} // namespace slimgrad
