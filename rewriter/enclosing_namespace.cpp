#include "rewriter/enclosing_namespace.h"

#include "rewriter/syntax_node.h"

#include <algorithm>

namespace slimgrad {

std::string enclosing_namespace(const ModuleModel& model, Site site) {
    std::string name;
    SyntaxNode node = model.trees[site.file].root();
    while (node) {
        if (node.is("namespace_declaration")) {
            name += name.empty() ? "" : ".";
            name += model.text({site.file, node.field("name").range()});
        }
        const auto children = node.children();
        const auto inner = std::find_if(children.begin(), children.end(), [&](SyntaxNode child) {
            return child.range().contains(site.range);
        });
        node = inner == children.end() ? SyntaxNode() : *inner;
    }
    // `namespace A::B`
    for (auto at = name.find("::"); at != std::string::npos; at = name.find("::", at))
        name.replace(at, 2, ".");
    return name;
}

} // namespace slimgrad
