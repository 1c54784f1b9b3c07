#include "rewriter/field_initializers.h"

#include "rewriter/syntax_node.h"

#include <algorithm>

namespace slimgrad {

namespace {

constexpr int deepest = 64; ///< conditionals in conditionals

class FieldReader {
  public:
    FieldReader(const ModuleModel& model, Index type, std::vector<FieldInitializer>& found)
        : model_(model), type_(type), found_(found) {}

    void read(SyntaxNode body, int depth = 0) {
        for (SyntaxNode child : body.children()) {
            const auto kind = child.kind();
            if (child.is("variable_declaration"))
                read_fields(child);
            else if (kind.starts_with("preproc") && depth < deepest)
                read(child, depth + 1);
        }
    }

  private:
    void read_fields(SyntaxNode node) {
        const std::uint32_t file = model_.types[type_].site.file;
        const auto modifiers = node.fields("modifier");
        if (std::any_of(modifiers.begin(), modifiers.end(), [&](SyntaxNode modifier) {
                return model_.text({file, modifier.range()}) == "static";
            }))
            return;
        for (SyntaxNode declarator : node.fields("declarator"))
            if (const SyntaxNode value = declarator.field("value"))
                found_.push_back({type_, {file, value.range()}});
    }

    const ModuleModel& model_;
    const Index type_;
    std::vector<FieldInitializer>& found_;
};

} // namespace

std::vector<FieldInitializer> find_field_initializers(const ModuleModel& model) {
    std::vector<FieldInitializer> found;
    for (Index i = 0; i < model.types.size(); ++i) {
        const Site& site = model.types[i].site;
        const SyntaxNode node = model.trees[site.file].root().named_at(site.range);
        FieldReader(model, i, found).read(node.field("body"));
    }
    return found;
}

} // namespace slimgrad
