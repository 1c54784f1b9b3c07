#include "rewriter/declaration.h"

#include "rewriter/declarator_type.h"
#include "rewriter/line_splices.h"
#include "rewriter/macro_type.h"

#include <algorithm>

namespace slimgrad {

namespace {

// As deep as the model's own reader goes.
constexpr int deepest_declaration = 200;

} // namespace

/// Adds what one file declares.
class DeclarationBuilder {
  public:
    DeclarationBuilder(DeclarationTable& table, std::uint32_t file) : table_(table), file_(file) {}

    void read_children(SyntaxNode parent, Declaration& scope, int depth) {
        if (depth > deepest_declaration)
            return;
        for (SyntaxNode node : parent.children())
            read(node, scope, depth);
    }

    void read(SyntaxNode node, Declaration& scope, int depth) {
        const std::string_view kind = node.kind();
        scope.has_macros |= kind == "macro_declaration" || kind == "ERROR" || has_macro(node);
        if (kind == "function_declaration" || kind == "initializer_declaration")
            read_function(node, scope);
        else if (kind == "function_extension_declaration")
            read_function(node, scope);
        else if (kind == "subscript_declaration" || kind == "property_declaration")
            read_accessors(node, scope);
        else if (kind == "variable_declaration")
            read_variables(node, scope);
        else if (kind == "struct_declaration" || kind == "interface_declaration" ||
                 kind == "extension_declaration" || kind == "enum_declaration")
            read_type(node, scope, depth);
        else if (kind == "namespace_declaration")
            read_children(node.field("body"), name_space(node.field("name"), scope), depth + 1);
        else if (kind == "buffer_declaration" || kind == "macro_declaration" ||
                 kind == "scope_declaration" || kind == "ERROR")
            read_children(kind == "ERROR" ? node : node.field("body"), scope, depth + 1);
        else if (kind == "type_alias_declaration" || kind == "associated_type_declaration")
            read_alias(node, scope);
        else if (kind == "constraint_declaration")
            scope.wheres.push_back(node);
        else if (kind == "using_declaration")
            scope.imported.push_back({file_, node.field("name")});
    }

    Declaration& add(DeclarationKind kind, SyntaxNode node, SyntaxNode name, Declaration& scope) {
        Declaration& added =
            make(kind, node, name_behind_macros(table_.model_, table_.source(file_, name)), &scope);
        added.is_public = has_modifier(node, "public");
        scope.members.push_back(&added);
        scope.by_name.emplace(added.name, &added);
        note(added);
        return added;
    }

    /// Names of members have to be known before any lookup.
    void note(const Declaration& member) {
        const Declaration* parent = member.parent;
        if (parent && !parent->is(DeclarationKind::module) &&
            !parent->is(DeclarationKind::name_space))
            table_.member_names_.insert(member.name);
    }

    Declaration& make(DeclarationKind kind, SyntaxNode node, std::string name,
                      Declaration* parent) {
        Declaration& made = table_.declarations_.emplace_back();
        made.kind = kind;
        made.name = std::move(name);
        made.file = file_;
        made.node = node;
        made.parent = parent;
        return made;
    }

  private:
    Declaration& name_space(SyntaxNode name, Declaration& scope) {
        // `namespace A.B` is two.
        if (name.is("member_expression") || name.is("scope_expression")) {
            const SyntaxNode outer = name.field(name.is("member_expression") ? "object" : "scope");
            Declaration& parent = outer ? name_space(outer, scope) : scope;
            return name_space(name.field("member"), parent);
        }
        for (Declaration* same : DeclarationTable::named(scope, table_.source(file_, name))) {
            if (same->is(DeclarationKind::name_space))
                return *same;
        }
        return add(DeclarationKind::name_space, name, name, scope);
    }

    bool has_modifier(SyntaxNode node, std::string_view word) const {
        const auto modifiers = node.fields("modifier");
        return std::any_of(modifiers.begin(), modifiers.end(), [&](SyntaxNode modifier) {
            return table_.source(file_, modifier) == word;
        });
    }

    /// A macro in front of a declaration may be declarations itself.
    bool has_macro(SyntaxNode node) const {
        const auto modifiers = node.fields("modifier");
        return std::any_of(modifiers.begin(), modifiers.end(), [&](SyntaxNode modifier) {
            const auto parts = modifier.children();
            if (parts.empty())
                return false;
            const SyntaxNode word =
                parts[0].is("call_expression") ? parts[0].field("function") : parts[0];
            const MacroDefinition* macro = table_.model_.find_macro(table_.source(file_, word));
            return macro && macro->body.find_first_of("{;#") != std::string::npos;
        });
    }

    void read_generics(SyntaxNode node, Declaration& owner) {
        for (SyntaxNode modifier : node.fields("modifier"))
            read_generic_list(modifier.field("generics"), owner);
        read_generic_list(node.field("generics"), owner);
        for (SyntaxNode child : node.children()) {
            if (child.is("where_clause"))
                owner.wheres.push_back(child);
        }
    }

    void read_generic_list(SyntaxNode list, Declaration& owner) {
        for (SyntaxNode node : list.children()) {
            const bool is_value = node.is("value_parameter");
            if (!is_value && !node.is("type_parameter"))
                continue;
            Declaration& parameter =
                make(is_value ? DeclarationKind::value_parameter : DeclarationKind::type_parameter,
                     node, table_.source(file_, node.field("name")), &owner);
            if (is_value)
                parameter.type = node.field("type");
            else if (const SyntaxNode constraint = node.field("constraint"))
                parameter.bases.push_back(constraint);
            parameter.value = node.field("default");
            owner.generics.push_back(&parameter);
        }
    }

    void read_parameters(SyntaxNode list, Declaration& owner) {
        for (SyntaxNode node : list.children()) {
            if (!node.is("parameter"))
                continue;
            Declaration& parameter = make(DeclarationKind::parameter, node,
                                          table_.source(file_, node.field("name")), &owner);
            parameter.type = node.field("type");
            parameter.declarator = node;
            parameter.value = node.field("default");
            parameter.is_local = true;
            owner.parameters.push_back(&parameter);
        }
    }

    Index function_at(SyntaxNode name) const {
        const auto found = table_.functions_.find({file_, name.range().begin});
        return found == table_.functions_.end() ? none : found->second;
    }

    void link(Index function, Declaration& declaration) {
        if (function != none)
            table_.of_function_[function] = &declaration;
    }

    void read_function(SyntaxNode node, Declaration& scope) {
        const bool constructor = node.is("initializer_declaration");
        const SyntaxNode name = node.field("name") ? node.field("name") : node.field("function");
        Declaration& function =
            add(constructor ? DeclarationKind::constructor : DeclarationKind::function, node, name,
                scope);
        rename(function);
        function.type = node.field("return_type");
        function.is_static = has_modifier(node, "static");
        function.has_body = bool(node.field("body"));
        function.function = function_at(name);
        link(function.function, function);
        read_generics(node, function);
        read_parameters(node.field("parameters"), function);
    }

    /// `operator +` is "operator+".
    void rename(Declaration& function) {
        if (!function.name.starts_with("operator"))
            return;
        std::string name = function.name;
        std::erase_if(name, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
        if (name == function.name)
            return;
        Declaration& scope = *function.parent;
        const auto [first, last] = scope.by_name.equal_range(function.name);
        for (auto entry = first; entry != last; ++entry) {
            if (entry->second == &function) {
                scope.by_name.erase(entry);
                break;
            }
        }
        function.name = std::move(name);
        scope.by_name.emplace(function.name, &function);
        note(function);
    }

    void read_accessors(SyntaxNode node, Declaration& scope) {
        const bool subscript = node.is("subscript_declaration");
        Declaration& owner = add(subscript ? DeclarationKind::subscript : DeclarationKind::property,
                                 node, node.field("name"), scope);
        if (subscript) {
            scope.by_name.erase(std::prev(scope.by_name.upper_bound(owner.name)));
            owner.name = "operator[]";
            scope.by_name.emplace(owner.name, &owner);
            note(owner);
        }
        owner.type = node.field("type") ? node.field("type") : node.field("return_type");
        owner.is_static = has_modifier(node, "static");
        read_generics(node, owner);
        read_parameters(node.field("parameters"), owner);
        for (SyntaxNode accessor : node.field("body").children()) {
            if (!accessor.is("accessor"))
                continue;
            const Index function = function_at(accessor.field("kind"));
            if (function == none)
                continue;
            owner.accessors.push_back(function);
            link(function, owner);
        }
    }

    void read_variables(SyntaxNode node, Declaration& scope) {
        for (SyntaxNode declarator : node.fields("declarator")) {
            Declaration& variable =
                add(DeclarationKind::variable, node, declarator.field("name"), scope);
            variable.type = declarator_type(node, declarator);
            variable.declarator = declarator;
            variable.value = declarator.field("value");
            variable.is_static = has_modifier(node, "static");
        }
    }

    void read_type(SyntaxNode node, Declaration& scope, int depth) {
        const bool extension = node.is("extension_declaration");
        const DeclarationKind kind = extension                           ? DeclarationKind::extension
                                     : node.is("interface_declaration") ? DeclarationKind::interface
                                     : node.is("enum_declaration") ? DeclarationKind::enumeration
                                                                    : DeclarationKind::structure;
        Declaration& type =
            extension ? make(kind, node, "", &scope) : add(kind, node, node.field("name"), scope);
        if (extension) {
            type.type = node.field("type");
            table_.extensions_.push_back(&type);
        }
        if (const SyntaxNode tag = node.field("tag")) // `typedef struct tag { .. } name;`
            add(DeclarationKind::alias, node, tag, scope).type = node.field("name");
        read_generics(node, type);
        for (SyntaxNode child : node.children()) {
            if (child.is("inheritance"))
                type.bases = child.fields("base");
        }
        // `struct A = B;` is an alias; `struct A : I = B;` is known for its I alone.
        if (const SyntaxNode value = node.field("value"); value && type.bases.empty()) {
            type.kind = DeclarationKind::alias;
            type.type = value;
        }
        if (kind == DeclarationKind::enumeration) {
            for (SyntaxNode enumerator : node.field("body").children()) {
                if (enumerator.is("enumerator"))
                    add(DeclarationKind::enumerator, enumerator, enumerator.field("name"), type);
            }
            return;
        }
        read_children(node.field("body"), type, depth + 1);
    }

    void read_alias(SyntaxNode node, Declaration& scope) {
        const bool associated = node.is("associated_type_declaration");
        Declaration& alias =
            add(associated ? DeclarationKind::associated_type : DeclarationKind::alias, node,
                node.field("name"), scope);
        alias.type = node.field("type");
        alias.declarator = node;
        read_generics(node, alias);
        for (SyntaxNode child : node.children()) {
            if (child.is("inheritance"))
                alias.bases = child.fields("base");
        }
    }

    DeclarationTable& table_;
    std::uint32_t file_;
};

DeclarationTable::DeclarationTable(const ModuleModel& model, const std::vector<std::string>& texts)
    : model_(model), texts_(texts), of_function_(model.functions.size(), nullptr) {
    for (Index i = 0; i < model.functions.size(); ++i) {
        const Site& name = model.functions[i].name_site;
        functions_.emplace(std::pair(name.file, name.range.begin), i);
    }
    for (std::uint32_t file = 0; file < model.trees.size(); ++file)
        DeclarationBuilder(*this, file).read_children(model.trees[file].root(), module_, 0);
}

Declaration* DeclarationTable::of_function(Index function) const {
    return function < of_function_.size() ? of_function_[function] : nullptr;
}

std::vector<Declaration*> DeclarationTable::named(const Declaration& scope, std::string_view name) {
    std::vector<Declaration*> found;
    const auto [first, last] = scope.by_name.equal_range(name);
    for (auto entry = first; entry != last; ++entry)
        found.push_back(entry->second);
    return found;
}

Declaration& DeclarationTable::add_local(DeclarationKind kind, std::string name, std::uint32_t file,
                                         Declaration* parent) {
    Declaration& local =
        DeclarationBuilder(*this, file).make(kind, SyntaxNode(), std::move(name), parent);
    local.is_local = true;
    return local;
}

std::vector<Declaration*> DeclarationTable::add_local(SyntaxNode node, std::uint32_t file,
                                                      Declaration* parent) {
    // A scope of its own, so that no other one is changed.
    Declaration& scope = declarations_.emplace_back();
    scope.kind = DeclarationKind::name_space;
    scope.parent = parent;
    scope.is_local = true;
    DeclarationBuilder(*this, file).read(node, scope, 0);
    return scope.members;
}

std::string DeclarationTable::source(std::uint32_t file, SyntaxNode node) const {
    const ByteRange range = node.range();
    return without_splices(texts_[file].substr(range.begin, range.end - range.begin));
}

} // namespace slimgrad
