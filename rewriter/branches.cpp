#include "rewriter/branches.h"

#include "rewriter/syntax_node.h"

#include <algorithm>
#include <optional>

namespace slimgrad {
namespace {

std::optional<BranchKind> branch_kind(SyntaxNode node) {
    if (node.is("if_statement"))
        return BranchKind::if_statement;
    if (node.is("conditional_expression"))
        return BranchKind::conditional_expression;
    if (node.is("switch_statement"))
        return BranchKind::switch_statement;
    return std::nullopt;
}

} // namespace

std::vector<Branch> branches_of(const ModuleModel& model, Index function) {
    const Function& of = model.functions[function];
    std::vector<Branch> result;
    if (!of.body)
        return result;
    const std::uint32_t file = of.site.file;
    std::vector<SyntaxNode> open{model.trees[file].root()};
    while (!open.empty()) {
        const SyntaxNode node = open.back();
        open.pop_back();
        const ByteRange range = node.range();
        if (range.end <= of.body->begin || range.begin >= of.body->end)
            continue;
        const std::optional<BranchKind> kind = branch_kind(node);
        if (const SyntaxNode condition = node.field("condition");
            kind && condition && range.begin >= of.body->begin && !model.is_broken({file, range}))
            result.push_back({*kind, file, condition.range()});
        const std::vector<SyntaxNode> children = node.children();
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    return result;
}

} // namespace slimgrad
