#include "rewriter/parameters.h"

#include "rewriter/macro_text.h"
#include "rewriter/macro_type.h"
#include "rewriter/prefix.h"

#include <optional>
#include <utility>

namespace slimgrad {

namespace {

Parameter parameter(const FileReader& reader, SyntaxNode node) {
    Parameter parameter;
    Prefix prefix = read_prefix(reader, node);
    add_prefix_of_type(reader, node.field("type"), prefix);
    parameter.modifiers = std::move(prefix.modifiers);
    parameter.name = reader.source(node.field("name"));
    parameter.type = declared_type(reader, node.field("type"), node);
    if (const SyntaxNode value = node.field("default"))
        parameter.default_value = reader.source(value);
    parameter.semantic = semantic_of(reader, node);
    parameter.site = reader.site(node);
    return parameter;
}

/// A parameter whose type is a macro's, `INOUT(float3) p`, or that is a macro, `THREAD_ID`, is
/// what the macro stands for: any number of parameters, all where the macro is used. False
/// where there is no macro, or its text is no list of parameters.
bool read_macro_parameters(const FileReader& reader, SyntaxNode node, Function& function) {
    const SyntaxNode type = node.field("type");
    const bool is_macro = type.is("macro_type") ||
                          (!node.field("name") && reader.model.find_macro(reader.source(type)));
    const auto expansion =
        is_macro ? expand_macros(reader.model, reader.source(node)) : std::optional<std::string>();
    if (!expansion)
        return false;
    const std::string text = "void f(" + *expansion + ");";
    const SyntaxTree tree = SyntaxTree::parse(text);
    const auto declarations = tree.root().children();
    if (!tree.errors().empty() || declarations.size() != 1)
        return false;
    const FileReader expanded{reader.model, reader.file, text, nullptr, true};
    for (SyntaxNode each : declarations[0].field("parameters").children()) {
        if (!each.is("parameter"))
            continue;
        function.parameters.push_back(parameter(expanded, each));
        function.parameters.back().site = reader.site(node);
    }
    return true;
}

void read_generics(const FileReader& reader, SyntaxNode list,
                   std::vector<GenericParameter>& generics) {
    for (SyntaxNode node : list.children()) {
        if (!node.is("type_parameter") && !node.is("value_parameter"))
            continue;
        GenericParameter parameter;
        parameter.name = reader.source(node.field("name"));
        parameter.is_value = node.is("value_parameter");
        parameter.constraint =
            reader.source(node.field(parameter.is_value ? "type" : "constraint"));
        if (const SyntaxNode value = node.field("default"))
            parameter.default_value = reader.source(value);
        parameter.site = reader.site(node);
        generics.push_back(std::move(parameter));
    }
}

} // namespace

std::string type_text(const FileReader& reader, SyntaxNode type) {
    const std::string written = reader.source(type);
    if (reader.macros_are_replaced)
        return written;
    if (auto meant = type_behind_macros(reader.model, written, reader.site(type)))
        return std::move(*meant);
    return expand_macros(reader.model, written, reader.site(type)).value_or(written);
}

std::string declared_type(const FileReader& reader, SyntaxNode type, SyntaxNode declarator) {
    std::string text = type_text(reader, type);
    for (SyntaxNode child : declarator.children()) {
        if (child.is("array_suffix"))
            text += reader.source(child);
    }
    return text;
}

std::string semantic_of(const FileReader& reader, SyntaxNode declaration) {
    std::string semantic;
    for (SyntaxNode child : declaration.children()) {
        if (child.is("semantic"))
            semantic = reader.source(child.field("name"));
    }
    return semantic;
}

void read_parameters(const FileReader& reader, SyntaxNode list, Function& function) {
    for (SyntaxNode node : list.children()) {
        if (node.is("parameter") && !read_macro_parameters(reader, node, function))
            function.parameters.push_back(parameter(reader, node));
    }
    // `f(void)` takes nothing.
    if (function.parameters.size() == 1 && function.parameters[0].name.empty() &&
        function.parameters[0].type == "void")
        function.parameters.clear();
}

void read_all_generics(const FileReader& reader, SyntaxNode node,
                       std::vector<GenericParameter>& generics) {
    for (SyntaxNode modifier : node.fields("modifier"))
        read_generics(reader, modifier.field("generics"), generics);
    read_generics(reader, node.field("generics"), generics);
}

} // namespace slimgrad
