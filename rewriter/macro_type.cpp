#include "rewriter/macro_type.h"

#include "rewriter/macro_expansion.h"
#include "rewriter/macro_text.h"
#include "rewriter/syntax_node.h"
#include "rewriter/words.h"

#include <algorithm>
#include <cctype>

namespace slimgrad {

namespace {

/// Whether the text has a macro that is no number.
bool has_macro(const ModuleModel& model, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = token_end(text, at);
        const MacroDefinition* macro = model.find_macro(text.substr(at, end - at));
        if (macro && (macro->function_like || macro->body.empty() ||
                      std::isalpha(static_cast<unsigned char>(macro->body[0])) ||
                      std::string_view("_[:").find(macro->body[0]) != std::string_view::npos))
            return true;
        at = end;
    }
    return false;
}

SyntaxNode only_variable(const SyntaxTree& tree) {
    const auto declarations = tree.root().children();
    if (!tree.errors().empty() || declarations.size() != 1 ||
        !declarations[0].is("variable_declaration"))
        return {};
    const SyntaxNode type = declarations[0].field("type");
    return type && !type.is("macro_type") ? declarations[0] : SyntaxNode();
}

} // namespace

std::optional<std::string> type_behind_macros(const ModuleModel& model, std::string_view written,
                                              std::optional<Site> place) {
    const bool is_call = written.ends_with(')');
    if (!is_call && (model.macros.empty() || !has_macro(model, written)))
        return std::string(written);
    const auto expansion =
        place ? expand_macros(model, written, *place) : expand_macros(model, written);
    if (!expansion)
        return std::nullopt;
    if (is_identifier(*expansion))
        return expansion;
    const std::string text = *expansion + " x;";
    const SyntaxTree tree = SyntaxTree::parse(text);
    const SyntaxNode variable = only_variable(tree);
    if (!variable)
        return std::nullopt;
    const ByteRange type = variable.field("type").range();
    return text.substr(type.begin, type.end - type.begin);
}

std::string name_behind_macros(const ModuleModel& model, std::string name) {
    const bool is_call = name.ends_with(')');
    if (model.macros.empty() || (!is_call && !model.find_macro(name)))
        return name;
    const auto expansion = expand_macros(model, name);
    return expansion && is_identifier(*expansion) ? *expansion : name;
}

std::optional<std::string> declaration_behind_macros(const ModuleModel& model,
                                                     std::string_view written) {
    if (model.macros.empty() || !has_macro(model, written))
        return std::nullopt;
    const auto expansion = expand_macros(model, written);
    if (!expansion)
        return std::nullopt;
    std::string text = *expansion + " x;";
    return only_variable(SyntaxTree::parse(text)) ? std::optional(std::move(text)) : std::nullopt;
}

} // namespace slimgrad
