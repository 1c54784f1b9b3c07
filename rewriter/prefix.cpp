#include "rewriter/prefix.h"

#include "rewriter/macro_expansion.h"
#include "rewriter/macro_place.h"
#include "rewriter/macro_type.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace slimgrad {

namespace {

/// What has been expanded of one prefix.
struct Expansion {
    std::vector<std::string> open; ///< the macros that are being read: not replaced in themselves
    int left = 64; ///< macros that may still be replaced: those that double each other end, too
    std::optional<Site> place = {}; ///< in the file
};

Prefix read_prefix(const FileReader& reader, SyntaxNode owner, Expansion& expansion);

/// What a macro stands for that is used at `site`.
void append(Prefix& prefix, Prefix expanded, Site site, ByteRange group) {
    for (Attribute& attribute : expanded.attributes) {
        attribute.site = site;
        attribute.group = group;
        attribute.from_macro = true;
        prefix.attributes.push_back(std::move(attribute));
    }
    for (std::string& modifier : expanded.modifiers)
        prefix.modifiers.push_back(std::move(modifier));
}

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
               std::string_view close, Site site, ByteRange group, Expansion& expansion) {
    const MacroDefinition* macro = reader.model.find_only_macro(name);
    if (!macro && expansion.place) // defined again, it depends on the place
        macro = macro_at(reader.model, name, *expansion.place).value_or(nullptr);
    auto& open_macros = expansion.open;
    if (!macro || expansion.left == 0 ||
        std::find(open_macros.begin(), open_macros.end(), name) != open_macros.end())
        return false;
    --expansion.left;
    auto body = expand_macro(reader.model.files, *macro, arguments);
    if (!body)
        return false;
    if (!macro->function_like && !arguments.empty()) // `[M(8)]` with `#define M MaxIters`
        *body += fmt::format("({})", fmt::join(arguments, ", "));
    // Read it where a prefix may stand: before a declaration and on its line, where a macro is not
    // a declaration itself.
    const std::string text = std::string(open) + *body + std::string(close) + " void f();";
    const SyntaxTree tree = SyntaxTree::parse(text);
    const auto declarations = tree.root().children();
    if (!tree.errors().empty() || declarations.size() != 1)
        return false;
    open_macros.push_back(name);
    Prefix expanded =
        read_prefix(FileReader{reader.model, reader.file, text}, declarations[0], expansion);
    open_macros.pop_back();
    append(prefix, std::move(expanded), site, group);
    return true;
}

void add_attribute(const FileReader& reader, Prefix& prefix, SyntaxNode node, ByteRange group,
                   Expansion& expansion) {
    Attribute attribute;
    attribute.name = reader.source(node.field("name"));
    attribute.arguments = arguments_of(reader, node.field("arguments"));
    attribute.site = reader.site(node);
    attribute.group = group;
    if (!add_macro(reader, prefix, attribute.name, attribute.arguments, "[", "]", attribute.site,
                   group, expansion))
        prefix.attributes.push_back(std::move(attribute));
}

void add_modifier(const FileReader& reader, Prefix& prefix, SyntaxNode node, Expansion& expansion) {
    const auto parts = node.children();
    const SyntaxNode word = parts.empty() ? SyntaxNode() : parts[0];
    const bool call = word.is("call_expression");
    if (call || word.is("identifier")) {
        const std::string name = reader.source(call ? word.field("function") : word);
        const auto arguments =
            call ? arguments_of(reader, word.field("arguments")) : std::vector<std::string>();
        if (add_macro(reader, prefix, name, arguments, "", "", reader.site(node), node.range(),
                      expansion))
            return;
    }
    prefix.modifiers.push_back(reader.source(node));
}

Prefix read_prefix(const FileReader& reader, SyntaxNode owner, Expansion& expansion) {
    Prefix prefix;
    for (SyntaxNode child : owner.children()) {
        if (child.is("attribute_list")) {
            for (SyntaxNode attribute : child.children()) {
                if (attribute.is("attribute"))
                    add_attribute(reader, prefix, attribute, child.range(), expansion);
            }
        } else if (child.is("modifier")) {
            add_modifier(reader, prefix, child, expansion);
        }
    }
    return prefix;
}

} // namespace

Prefix read_prefix(const FileReader& reader, SyntaxNode owner) {
    Expansion expansion;
    if (!reader.macros_are_replaced)
        expansion.place = reader.site(owner);
    return read_prefix(reader, owner, expansion);
}

bool add_prefix_of_type(const FileReader& reader, SyntaxNode type, Prefix& prefix) {
    const auto text = declaration_behind_macros(reader.model, reader.source(type));
    if (!text)
        return false;
    const SyntaxTree tree = SyntaxTree::parse(*text);
    Prefix expanded = read_prefix(FileReader{reader.model, reader.file, *text, nullptr, true},
                                  tree.root().children()[0]);
    if (expanded.attributes.empty() && expanded.modifiers.empty())
        return false;
    const Site site = reader.site(type);
    append(prefix, std::move(expanded), site, site.range);
    return true;
}

} // namespace slimgrad
