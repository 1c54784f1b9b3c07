#include "rewriter/file_reader.h"

#include "rewriter/brace_kind.h"
#include "rewriter/declarator_type.h"
#include "rewriter/global_kind.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/macro_place.h"
#include "rewriter/macro_text.h"
#include "rewriter/macro_type.h"
#include "rewriter/parameters.h"
#include "rewriter/prefix.h"
#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <span>

namespace slimgrad {

namespace {

// Types in types, namespaces in namespaces: deeper ones are not read but count as broken.
constexpr int deepest_declaration = 200;

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether a text is a macro's that is no name once it is replaced. What seems to be declared by it
/// is none: macros whose text is no declaration by itself are not expanded before a file is parsed.
bool is_no_name(const FileReader& reader, const std::string& written) {
    if (reader.model.macros.empty() || !reader.model.find_macro(written))
        return false;
    const auto meant = expand_macros(reader.model, written);
    return meant && (meant->empty() || std::any_of(meant->begin(), meant->end(), [](char c) {
                         return c != '_' && !std::isalnum(static_cast<unsigned char>(c));
                     }));
}

/// Words that begin a statement and no declaration, which ends up as a type only where a macro's
/// text is missing before it: `else y = 0;`.
bool is_statement_word(std::string_view type) {
    constexpr std::array<std::string_view, 8> words{"return", "else",  "if",       "for",
                                                    "while",  "break", "continue", "discard"};
    return std::find(words.begin(), words.end(), type) != words.end();
}

/// What the declarations that are being read stand in.
struct Container {
    std::string name; ///< "N.S", or ""
    std::string type; ///< the innermost struct, interface or extension, or ""
    bool is_buffer = false;
    int depth = 0;
    std::vector<GenericParameter> generics = {}; ///< of the types and extensions, outermost first

    std::string qualify(const std::string& member) const {
        return name.empty() ? member : name + "." + member;
    }
};

class DeclarationReader {
  public:
    DeclarationReader(FileReader& reader, std::span<const MacroDeclarations> written_by_macros)
        : reader_(reader), written_by_macros_(written_by_macros), heads_(written_by_macros) {}

    void read_children(SyntaxNode parent, const Container& container) {
        if (container.depth > deepest_declaration) {
            reader_.model.unread.push_back(reader_.site(parent));
            return;
        }
        const bool is_broken = parent.is("ERROR");
        BraceReader braces;
        std::uint32_t at = parent.range().begin;
        for (SyntaxNode node : parent.children()) {
            read_macro_declarations(node.range().begin, container);
            if (is_broken) {
                read_tokens(at, node.range().begin, braces);
                at = node.range().begin;
            }
            // The type that a brace opened which is not closed is not known, nor one of a macro.
            const bool is_member = braces.around() == BraceKind::members ||
                                   (container.type.empty() && around_macros_ == BraceKind::members);
            if (!is_member || !node.is("variable_declaration"))
                read(node, container);
        }
        read_macro_declarations(parent.range().end, container);
    }

  private:
    void read_tokens(std::uint32_t at, std::uint32_t end, BraceReader& braces) const {
        while (at < end) {
            const std::size_t next = token_end(reader_.text, at);
            const std::string_view token = reader_.text.substr(at, next - at);
            if (!is_space(token[0]) && !token.starts_with("//") && !token.starts_with("/*"))
                braces.read(token);
            at = std::uint32_t(next);
        }
    }

    /// Variables that macros declare before this place and were not read yet.
    void read_macro_declarations(std::uint32_t end, const Container& container) {
        for (; !written_by_macros_.empty() && written_by_macros_.front().use.begin < end;
             written_by_macros_ = written_by_macros_.subspan(1)) {
            const MacroDeclarations& written = written_by_macros_.front();
            if (written.is_head)
                continue;
            if (written.holds_braces)
                around_macros_ = written.behind;
            const bool is_member = !container.type.empty();
            const std::string text = is_member ? "struct S {" + written.text + "}" : written.text;
            const SyntaxTree tree = SyntaxTree::parse(text);
            const std::size_t first = reader_.model.globals.size();
            FileReader expanded{reader_.model, reader_.file, text, nullptr, true};
            DeclarationReader inner(expanded, {});
            SyntaxNode list = tree.root();
            if (is_member && !list.children().empty())
                list = list.children()[0].field("body");
            for (SyntaxNode node : list.children()) {
                // Of what is not read as a whole static ones would be missed (set_aside.h).
                if (node.is("variable_declaration"))
                    inner.read_globals(node, container, written.only_variables);
            }
            place_globals(first, {reader_.file, written.use});
        }
    }

    void place_globals(std::size_t first, Site site) {
        for (std::size_t i = first; i < reader_.model.globals.size(); ++i) {
            reader_.model.globals[i].site = site;
            for (Attribute& attribute : reader_.model.globals[i].attributes) {
                attribute.site = site;
                attribute.group = site.range;
                attribute.from_macro = true;
            }
        }
    }

    void read(SyntaxNode node, const Container& container) {
        const std::string_view kind = node.kind();
        if (kind == "function_declaration" || kind == "initializer_declaration" ||
            kind == "function_extension_declaration")
            read_function(node, container);
        else if (kind == "subscript_declaration" || kind == "property_declaration")
            read_accessors(node, container);
        else if (kind == "variable_declaration")
            read_globals(node, container);
        else if (kind == "struct_declaration" || kind == "interface_declaration" ||
                 kind == "extension_declaration")
            read_type(node, container);
        else if (kind == "enum_declaration")
            read_enum(node, container);
        else if (kind == "type_alias_declaration" || kind == "associated_type_declaration")
            read_alias(node);
        else if (kind == "namespace_declaration")
            read_children(node.field("body"),
                          nested(container, reader_.source(node.field("name")), container.type));
        else if (kind == "buffer_declaration") {
            Container buffer = nested(container, "", container.type);
            buffer.is_buffer = true;
            read_children(node.field("body"), buffer);
        } else if (kind == "macro_declaration" || kind == "scope_declaration") {
            read_children(node.field("body"), nested(container, "", container.type));
        } else if (kind == "ERROR") {
            read_children(node, nested(container, "", container.type));
        }
    }

    static Container nested(const Container& container, const std::string& name,
                            const std::string& type) {
        return {name.empty() ? container.name : container.qualify(name), type, container.is_buffer,
                container.depth + 1, container.generics};
    }

    void read_type(SyntaxNode node, const Container& container) {
        const SyntaxNode name =
            node.is("extension_declaration") ? node.field("type") : node.field("name");
        const std::string type = reader_.source(name);
        if (node.is("extension_declaration"))
            reader_.model.extensions.push_back({type, read_bases(node), reader_.site(node)});
        else
            add_type(node, type);
        Container inner = nested(container, type, type);
        read_all_generics(reader_, node, inner.generics);
        read_children(node.field("body"), inner);
    }

    void read_enum(SyntaxNode node, const Container& container) {
        const auto bases = read_bases(node);
        // Without a name of its own, its constants are those of what it stands in.
        const std::string own = reader_.source(node.field("name"));
        const std::string name = own.empty() ? container.name : container.qualify(own);
        const auto attributes = read_prefix(reader_, node).attributes;
        const bool is_unscoped =
            std::any_of(attributes.begin(), attributes.end(),
                        [](const Attribute& a) { return a.name == "UnscopedEnum"; });
        std::string before;
        for (SyntaxNode enumerator : node.field("body").children()) {
            if (!enumerator.is("enumerator"))
                continue;
            EnumConstant constant;
            constant.name = reader_.source(enumerator.field("name"));
            if (!name.empty())
                constant.name = name + "." + constant.name;
            constant.type = bases.empty() ? "int" : bases.front();
            constant.value = reader_.source(enumerator.field("value"));
            if (constant.value.empty())
                constant.value = before.empty() ? "0" : "(" + before + ") + 1";
            before = constant.name;
            if (is_unscoped && !own.empty()) {
                EnumConstant outside = constant;
                outside.name = container.qualify(reader_.source(enumerator.field("name")));
                reader_.model.enum_constants.push_back(std::move(outside));
            }
            reader_.model.enum_constants.push_back(std::move(constant));
        }
    }

    void read_alias(SyntaxNode node) {
        const SyntaxNode type = node.field("type");
        const bool is_one = node.is("type_alias_declaration") && !node.field("generics");
        reader_.model.aliases.push_back(
            {reader_.source(node.field("name")), is_one ? declared_type(reader_, type, node) : ""});
    }

    void add_type(SyntaxNode node, const std::string& name) {
        TypeDeclaration type;
        type.name = name;
        type.site = reader_.site(node);
        type.is_interface = node.is("interface_declaration");
        type.bases = read_bases(node);
        reader_.model.types.push_back(std::move(type));
    }

    std::vector<std::string> read_bases(SyntaxNode node) const {
        std::vector<std::string> bases;
        for (SyntaxNode child : node.children()) {
            if (child.is("inheritance")) {
                for (SyntaxNode base : child.fields("base"))
                    bases.push_back(reader_.source(base));
            }
        }
        return bases;
    }

    /// The part that every declaration with a body has.
    Function declaration(SyntaxNode node, const Container& container) {
        Function function;
        Prefix prefix = read_prefix(reader_, node);
        function.attributes = std::move(prefix.attributes);
        function.modifiers = std::move(prefix.modifiers);
        function.parent_type = container.type;
        function.site = reader_.site(node);
        function.declaration_start = declaration_start(node);
        read_all_generics(reader_, node, function.generics);
        function.outer_generics = container.generics;
        return function;
    }

    /// Attributes end before it: what follows the last attribute list of the prefix.
    static std::uint32_t declaration_start(SyntaxNode node) {
        std::uint32_t end_of_attributes = node.range().begin;
        for (SyntaxNode list : node.fields("attributes"))
            end_of_attributes = list.range().end;
        for (SyntaxNode child : node.all_children()) {
            const bool extra = child.is("comment") || child.kind().starts_with("preproc_");
            if (!extra && child.range().begin >= end_of_attributes)
                return child.range().begin;
        }
        return end_of_attributes;
    }

    void read_function(SyntaxNode node, const Container& container) {
        const MacroDeclarations* head = head_at(node.field("name"));
        auto function =
            head ? macro_function(node, *head, container) : function_of(node, container);
        if (function)
            add(std::move(*function), node.field("body"));
    }

    /// The head that a macro holds and the name stands in for.
    const MacroDeclarations* head_at(SyntaxNode name) const {
        if (heads_.empty() || !name)
            return nullptr;
        const auto behind = std::upper_bound(
            heads_.begin(), heads_.end(), name.range().begin,
            [](std::uint32_t at, const MacroDeclarations& each) { return at < each.use.begin; });
        const bool is_one = behind != heads_.begin() && std::prev(behind)->is_head &&
                            std::prev(behind)->use.contains(name.range().begin);
        return is_one ? &*std::prev(behind) : nullptr;
    }

    /// `OP(twice) { .. }`: all but its attributes and its body is the macro's. Calls of it are not
    /// resolved: its parameters are in no tree of the file.
    std::optional<Function> macro_function(SyntaxNode node, const MacroDeclarations& head,
                                           const Container& container) {
        const bool is_member = !container.type.empty();
        const std::string text = is_member ? "struct S {" + head.text + "}" : head.text;
        const SyntaxTree tree = SyntaxTree::parse(text);
        FileReader expanded{reader_.model, reader_.file, text, nullptr, true};
        SyntaxNode written = tree.root().children()[0];
        if (is_member)
            written = written.field("body").children()[0];
        auto function = DeclarationReader(expanded, {}).function_of(written, container);
        if (!function)
            return std::nullopt;
        const Site use{reader_.file, head.use};
        Function own = declaration(node, container);
        for (Attribute& attribute : function->attributes) {
            attribute.site = use;
            attribute.group = use.range;
            attribute.from_macro = true;
            own.attributes.push_back(std::move(attribute));
        }
        function->attributes = std::move(own.attributes);
        function->modifiers.insert(function->modifiers.begin(), own.modifiers.begin(),
                                   own.modifiers.end());
        // A name of the body that is a parameter's means nothing further out.
        for (Parameter& parameter : function->parameters) {
            parameter.site = use;
            function->hidden_names.insert(parameter.name);
        }
        for (GenericParameter& parameter : function->generics) {
            parameter.site = use;
            function->hidden_names.insert(parameter.name);
        }
        function->site = own.site;
        function->name_site = {use.file, {node.field("name").range().begin, use.range.end}};
        function->declaration_start = own.declaration_start;
        function->from_macro = true;
        reader_.model.hidden_names.insert(function->name);
        return function;
    }

    /// What stands before the body; nothing where it is no function but a macro.
    std::optional<Function> function_of(SyntaxNode node, const Container& container) {
        Function function = declaration(node, container);
        // `__func_extension fwd_diff(f)(..)` has the name "fwd_diff(f)".
        const SyntaxNode name = node.field("name") ? node.field("name") : node.field("function");
        const std::string written = reader_.source(name);
        function.name = name_behind_macros(reader_.model, written);
        const bool name_is_macro = function.name != written;
        if (!node.field("body") && is_macro(written, reader_.site(name)))
            return std::nullopt;
        std::erase_if(function.name, [](char c) { return c == ' ' || c == '\t'; });
        function.name_site = reader_.site(name);
        function.qualified_name = container.qualify(function.name);
        const SyntaxNode type = node.field("return_type");
        function.return_type = type ? type_text(reader_, type) : "void";
        function.semantic = semantic_of(reader_, node);
        Prefix of_type;
        function.from_macro = add_prefix_of_type(reader_, type, of_type) || type.is("macro_type") ||
                              name_is_macro || is_macro(function.name, function.name_site);
        std::move(of_type.attributes.begin(), of_type.attributes.end(),
                  std::back_inserter(function.attributes));
        std::move(of_type.modifiers.begin(), of_type.modifiers.end(),
                  std::back_inserter(function.modifiers));
        read_parameters(reader_, node.field("parameters"), function);
        return function;
    }

    /// Whether the name, with arguments, is or may be a macro's at this place.
    bool is_macro(std::string_view name, Site site) const {
        return reader_.model.is_function_like_macro(name) &&
               macro_at(reader_.model, name, site).value_or(reader_.model.find_macro(name));
    }

    /// What a setter is given: of the property's type, "newValue" where it is not named.
    void add_new_value(SyntaxNode accessor, const std::string& type, Function& function) {
        if (!accessor.field("parameters"))
            function.parameters.push_back(
                {"newValue", type, {}, "", std::nullopt, function.name_site});
        else if (!function.parameters.empty() && function.parameters.back().type.empty())
            function.parameters.back().type = type;
    }

    /// A property or subscript: each accessor is a function `get`, `set`, ... of `S.property` or
    /// `S.operator[]`.
    void read_accessors(SyntaxNode node, const Container& container) {
        const std::string member =
            node.is("subscript_declaration") ? "operator[]" : reader_.source(node.field("name"));
        const SyntaxNode type = node.field("type") ? node.field("type") : node.field("return_type");
        for (SyntaxNode accessor : node.field("body").children()) {
            if (!accessor.is("accessor"))
                continue;
            Function function = declaration(accessor, container);
            const SyntaxNode kind = accessor.field("kind");
            function.name = reader_.source(kind);
            function.name_site = reader_.site(kind);
            function.qualified_name = container.qualify(member) + "." + function.name;
            function.return_type = function.name == "set" ? "void" : reader_.source(type);
            read_parameters(reader_, node.field("parameters"), function);
            read_parameters(reader_, accessor.field("parameters"), function);
            if (function.name == "set")
                add_new_value(accessor, reader_.source(type), function);
            add(std::move(function), accessor.field("body"));
        }
    }

    void add(Function function, SyntaxNode body) {
        if (body)
            function.body = body.range();
        const Index index = Index(reader_.model.functions.size());
        reader_.model.functions.push_back(std::move(function));
        if (body)
            read_body(reader_, index, body);
    }

    /// `with_globals`: else fields alone.
    void read_globals(SyntaxNode node, const Container& container, bool with_globals = true) {
        Prefix prefix = read_prefix(reader_, node);
        add_prefix_of_type(reader_, node.field("type"), prefix);
        const bool is_static = contains(prefix.modifiers, "static");
        const bool is_const =
            contains(prefix.modifiers, "const") || contains(prefix.modifiers, "constexpr");
        // Of a type's members the static ones are globals.
        if (!container.type.empty() && !is_static)
            return read_fields(node, container, prefix.modifiers);
        if (!with_globals)
            return;
        for (SyntaxNode declarator : node.fields("declarator")) {
            const SyntaxNode type = declarator_type(node, declarator);
            GlobalVariable global;
            global.name = reader_.source(declarator.field("name"));
            if (is_no_name(reader_, global.name) || is_statement_word(reader_.source(type)))
                continue;
            if (!container.type.empty())
                global.name = container.qualify(global.name);
            global.type = declared_type(reader_, type, declarator);
            // A link-time constant's value is only a default.
            const SyntaxNode value = declarator.field("value");
            if (value && !contains(prefix.modifiers, "extern"))
                global.initializer = reader_.source(value);
            global.attributes = prefix.attributes;
            global.site = reader_.site(declarator);
            if (container.is_buffer)
                global.kind = GlobalKind::constant_buffer;
            else if (contains(prefix.modifiers, "groupshared"))
                global.kind = GlobalKind::groupshared;
            else if (is_static)
                global.kind = is_const ? GlobalKind::constant : GlobalKind::mutable_static;
            else
                global.kind = type.is("pointer_type") || (!type && node.field("type"))
                                  ? GlobalKind::writable_buffer // `*q` in `float x, *q`, too
                                  : kind_of_global(reader_, type);
            reader_.model.globals.push_back(std::move(global));
        }
    }

    void read_fields(SyntaxNode node, const Container& container,
                     const std::vector<std::string>& modifiers) {
        auto& types = reader_.model.types;
        // From the end: the type that is being read.
        const auto type = std::find_if(types.rbegin(), types.rend(), [&](const TypeDeclaration& t) {
            return t.name == container.type;
        });
        if (type == types.rend())
            return;
        for (SyntaxNode declarator : node.fields("declarator")) {
            const SyntaxNode declared = declarator_type(node, declarator);
            type->fields.push_back({reader_.source(declarator.field("name")),
                                    declared_type(reader_, declared, declarator), modifiers});
        }
    }

    FileReader& reader_;
    std::span<const MacroDeclarations> written_by_macros_; ///< those that are not read yet
    std::span<const MacroDeclarations> heads_;             ///< and others; all of the file
    BraceKind around_macros_ = BraceKind::declarations;    ///< the braces that macros opened
};

} // namespace

void read_declarations(FileReader& reader, SyntaxNode root,
                       const std::vector<MacroDeclarations>& written_by_macros) {
    DeclarationReader(reader, written_by_macros).read_children(root, {});
}

} // namespace slimgrad
