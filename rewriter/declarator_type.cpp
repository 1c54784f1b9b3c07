#include "rewriter/declarator_type.h"

namespace slimgrad {

SyntaxNode declarator_type(SyntaxNode declaration, SyntaxNode declarator) {
    const SyntaxNode declared = declaration.field("type");
    if (!declared)
        return declarator.field("type");
    if (declaration.field("declarator").range() == declarator.range())
        return declared;

    std::size_t stars = 0; // right before the declarator
    for (SyntaxNode child : declaration.all_children()) {
        if (child.range() == declarator.range())
            break;
        if (child.is("*"))
            ++stars;
        else if (child.is(","))
            stars = 0;
    }
    std::vector<SyntaxNode> levels = {declared};
    while (levels.back().is("pointer_type"))
        levels.push_back(levels.back().field("pointee"));
    return stars < levels.size() ? levels[levels.size() - 1 - stars] : SyntaxNode();
}

} // namespace slimgrad
