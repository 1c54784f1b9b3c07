#include "rewriter/prefix.h"

#include "rewriter/macro_expansion.h"

namespace slimgrad {

namespace {

// Macros in macros: deeper than any real one, so that macros that use each other end.
constexpr int deepest_macro = 16;

Prefix read_prefix(const FileReader& reader, SyntaxNode owner, int depth);

std::vector<std::string> arguments_of(const FileReader& reader, SyntaxNode argument_list) {
    std::vector<std::string> arguments;
    for (SyntaxNode argument : argument_list.children())
        arguments.push_back(reader.source(argument));
    return arguments;
}

/// Adds what `name(arguments)` stands for if it is a macro, with `open` and `close` around it.
/// False if it is not, or if its text is no prefix.
bool add_macro(const FileReader& reader, Prefix& prefix, const std::string& name,
               const std::vector<std::string>& arguments, std::string_view open,
               std::string_view close, Site site, ByteRange group, int depth) {
    const MacroDefinition* macro = reader.model.find_macro(name);
    if (!macro || depth >= deepest_macro)
        return false;
    const auto expansion = expand_macro(reader.model.files, *macro, arguments);
    if (!expansion)
        return false;
    // Read it where a prefix may stand: before a declaration and on its line, where a macro is not
    // a declaration itself.
    const std::string text = std::string(open) + *expansion + std::string(close) + " void f();";
    const SyntaxTree tree = SyntaxTree::parse(text);
    const auto declarations = tree.root().children();
    if (!tree.errors().empty() || declarations.size() != 1)
        return false;
    Prefix expanded =
        read_prefix(FileReader{reader.model, reader.file, text}, declarations[0], depth + 1);
    for (Attribute& attribute : expanded.attributes) {
        attribute.site = site;
        attribute.group = group;
        attribute.from_macro = true;
        prefix.attributes.push_back(std::move(attribute));
    }
    for (std::string& modifier : expanded.modifiers)
        prefix.modifiers.push_back(std::move(modifier));
    return true;
}

void add_attribute(const FileReader& reader, Prefix& prefix, SyntaxNode node, ByteRange group,
                   int depth) {
    Attribute attribute;
    attribute.name = reader.source(node.field("name"));
    attribute.arguments = arguments_of(reader, node.field("arguments"));
    attribute.site = reader.site(node);
    attribute.group = group;
    if (!add_macro(reader, prefix, attribute.name, attribute.arguments, "[", "]", attribute.site,
                   group, depth))
        prefix.attributes.push_back(std::move(attribute));
}

void add_modifier(const FileReader& reader, Prefix& prefix, SyntaxNode node, int depth) {
    const auto parts = node.children();
    const SyntaxNode word = parts.empty() ? SyntaxNode() : parts[0];
    const bool call = word.is("call_expression");
    if (call || word.is("identifier")) {
        const std::string name = reader.source(call ? word.field("function") : word);
        const auto arguments =
            call ? arguments_of(reader, word.field("arguments")) : std::vector<std::string>();
        if (add_macro(reader, prefix, name, arguments, "", "", reader.site(node), node.range(),
                      depth))
            return;
    }
    prefix.modifiers.push_back(reader.source(node));
}

Prefix read_prefix(const FileReader& reader, SyntaxNode owner, int depth) {
    Prefix prefix;
    for (SyntaxNode child : owner.children()) {
        if (child.is("attribute_list")) {
            for (SyntaxNode attribute : child.children()) {
                if (attribute.is("attribute"))
                    add_attribute(reader, prefix, attribute, child.range(), depth);
            }
        } else if (child.is("modifier")) {
            add_modifier(reader, prefix, child, depth);
        }
    }
    return prefix;
}

} // namespace

Prefix read_prefix(const FileReader& reader, SyntaxNode owner) {
    return read_prefix(reader, owner, 0);
}

} // namespace slimgrad
