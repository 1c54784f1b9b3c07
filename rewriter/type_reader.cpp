#include "rewriter/core_module.h"
#include "rewriter/macro_text.h"
#include "rewriter/macro_type.h"
#include "rewriter/semantics.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace slimgrad {

namespace {

using Kind = Type::Kind;

// Types in types, aliases of aliases.
constexpr int deepest_type = 64;
// Declarations that need each other's types.
constexpr int deepest_declaration = 100;

bool is_plain_number(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::vector<Declaration*> Semantics::all_generics(const Declaration& declaration) {
    std::vector<Declaration*> generics;
    if (declaration.parent && (declaration.parent->is(DeclarationKind::structure) ||
                               declaration.parent->is(DeclarationKind::extension)))
        generics = all_generics(*declaration.parent);
    generics.insert(generics.end(), declaration.generics.begin(), declaration.generics.end());
    return generics;
}

TypeRef Semantics::self_type(Declaration& type) {
    if (type.is(DeclarationKind::interface) && type.generics.empty())
        return types_.make({Kind::this_type, "", &type, {}});
    std::vector<TypeRef> arguments;
    for (Declaration* parameter : all_generics(type))
        arguments.push_back(types_.make({Kind::parameter, "", parameter, {}}));
    return types_.make({Kind::declared, "", &type, std::move(arguments)});
}

TypeRef Semantics::apply(const Found& found, const std::vector<TypeRef>& arguments,
                         const Scope& scope) {
    Declaration& declaration = *found.declaration;
    Substitution substitution = found.substitution;
    for (std::size_t i = 0; i < declaration.generics.size(); ++i) {
        Declaration& parameter = *declaration.generics[i];
        TypeRef argument = i < arguments.size() ? arguments[i] : nullptr;
        if (i >= arguments.size() && parameter.value)
            argument = substitute(read_type(parameter.value, Scope::in(parameter)), substitution);
        substitution.parameters.emplace_back(&parameter, argument);
    }
    (void)scope;
    if (declaration.is(DeclarationKind::alias))
        return substitute(declared_type(declaration), substitution);
    std::vector<TypeRef> all;
    for (Declaration* parameter : all_generics(declaration)) {
        const TypeRef* argument = substitution.find(parameter);
        all.push_back(argument ? *argument : types_.make({Kind::parameter, "", parameter, {}}));
    }
    return types_.make({Kind::declared, "", &declaration, std::move(all)});
}

TypeRef Semantics::type_of_declaration(const Found& found) {
    Declaration& declaration = *found.declaration;
    switch (declaration.kind) {
    case DeclarationKind::type_parameter:
    case DeclarationKind::value_parameter:
        return types_.make({Kind::parameter, "", &declaration, {}});
    case DeclarationKind::alias:
        return declaration.generics.empty()
                   ? substitute(declared_type(declaration), found.substitution)
                   : nullptr;
    case DeclarationKind::associated_type: {
        TypeRef owner = found.substitution.this_type;
        if (!owner && declaration.parent)
            owner = types_.make({Kind::this_type, "", declaration.parent, {}});
        return types_.make({Kind::associated, "", &declaration, {owner}});
    }
    case DeclarationKind::structure:
    case DeclarationKind::interface:
    case DeclarationKind::enumeration:
        return apply(found, {}, {});
    default:
        return nullptr;
    }
}

TypeRef Semantics::this_type(const Scope& scope) {
    for (Declaration* outer = scope.declaration; outer; outer = outer->parent) {
        if (outer->is(DeclarationKind::extension))
            return declared_type(*outer);
        if (outer->is(DeclarationKind::interface))
            return types_.make({Kind::this_type, "", outer, {}});
        if (outer->is(DeclarationKind::structure))
            return self_type(*outer);
    }
    return nullptr;
}

TypeRef Semantics::builtin_type(const std::string& name, std::vector<TypeRef> arguments) {
    const auto at = [&](std::size_t i, TypeRef otherwise) {
        return i < arguments.size() ? arguments[i] : otherwise;
    };
    const TypeRef real = types_.scalar("float"), four = types_.value("4");
    if (name == "vector")
        return types_.vector(at(0, real), at(1, four));
    if (name == "matrix")
        return types_.make({Kind::matrix, "", nullptr, {at(0, real), at(1, four), at(2, four)}});
    if (name == "Array")
        return types_.make({Kind::array, "", nullptr, {at(0, nullptr), at(1, nullptr)}});
    if (name == "string")
        return types_.builtin("String");
    if (name == "StructuredBuffer" || name == "RWStructuredBuffer")
        arguments.resize(std::min<std::size_t>(arguments.size(), 1)); // the layout says no type
    if (!is_core_type(name))
        return nullptr;
    if (arguments.empty() && (name == "DiffTensorView" || name == "TensorView"))
        arguments.push_back(real);
    return types_.builtin(name, std::move(arguments));
}

TypeRef Semantics::read_type_name(const std::string& name, const Scope& scope) {
    const std::string text = expand_name(name);
    if (text.empty())
        return nullptr;
    if (text == "This") {
        if (TypeRef self = this_type(scope))
            return self;
    }
    if (TypeRef primitive = types_.primitive(text))
        return primitive;
    const std::vector<Found> found = find(text, scope);
    if (found.empty())
        return builtin_type(text, {});
    // Several types of a name, in files that do not see each other: which one is not known.
    TypeRef type = nullptr;
    for (const Found& one : found) {
        if (!one.certain)
            return nullptr;
        const TypeRef meant = type_of_declaration(one);
        if (!meant || (type && type != meant)) {
            if (type && one.depth > found.front().depth)
                continue; // what an interface requires, and the type itself defines
            return nullptr;
        }
        type = meant;
    }
    return type;
}

TypeRef Semantics::read_generic(SyntaxNode node, const Scope& scope) {
    std::vector<TypeRef> arguments;
    for (SyntaxNode argument : node.field("arguments").children())
        arguments.push_back(read_type(argument, scope));
    const SyntaxNode name = node.field("name");
    if (name.is("identifier")) {
        const std::string text = expand_name(source(scope, name));
        if (text.empty())
            return nullptr;
        const std::vector<Found> found = find(text, scope);
        if (found.empty())
            return builtin_type(text, std::move(arguments));
        if (found.size() != 1 || !found[0].certain || !found[0].declaration->is_type())
            return nullptr;
        return apply(found[0], arguments, scope);
    }
    if (!name.is("member_expression") && !name.is("scope_expression"))
        return nullptr;
    const SyntaxNode outer = name.field(name.is("member_expression") ? "object" : "scope");
    const std::string member = source(scope, name.field("member"));
    std::vector<Found> found;
    if (!outer)
        found = find_in(declarations_.module(), member);
    else if (const Declaration* space = find_namespace(outer, scope))
        found = find_in(*space, member);
    else if (TypeRef type = read_type(outer, scope))
        found = members(type, member);
    if (found.size() != 1 || !found[0].certain || !found[0].declaration->is_type())
        return nullptr;
    return apply(found[0], arguments, scope);
}

TypeRef Semantics::read_path(SyntaxNode node, SyntaxNode outer, const Scope& scope) {
    const std::string member = source(scope, node.field("member"));
    const Declaration* space = outer ? find_namespace(outer, scope) : &declarations_.module();
    if (space) {
        const std::vector<Found> found = find_in(*space, member);
        return found.size() == 1 ? type_of_declaration(found[0]) : nullptr;
    }
    return member_type(read_type(outer, scope), member);
}

TypeRef Semantics::member_type(TypeRef type, std::string_view name) {
    if (!type)
        return nullptr;
    const std::vector<Found> found = members(type, name);
    for (const Found& one : found) {
        if (!one.certain)
            return nullptr;
        if (one.declaration->is_type())
            return type_of_declaration(one);
        return nullptr;
    }
    if (name == "Handle" && type->is(Kind::builtin))
        return types_.builtin("DescriptorHandle", {type});
    if (name != "Differential")
        return nullptr;
    const TypeRef element = element_of(type);
    if (element && element->is(Kind::scalar))
        return element->name == "float" || element->name == "half" || element->name == "double"
                   ? type
                   : nullptr;
    if (type->is(Kind::array)) {
        const TypeRef of_element = member_type(type->arguments[0], name);
        return of_element
                   ? types_.make({Kind::array, "", nullptr, {of_element, type->arguments[1]}})
                   : nullptr;
    }
    if (type->is(Kind::differential))
        return type;
    return types_.make({Kind::differential, "", nullptr, {type}});
}

TypeRef Semantics::read_size(SyntaxNode node, const Scope& scope) {
    return node ? read_type(node, scope) : nullptr;
}

TypeRef Semantics::read_array_suffixes(TypeRef element, SyntaxNode declarator, const Scope& scope) {
    if (!element)
        return nullptr;
    std::vector<SyntaxNode> suffixes;
    for (SyntaxNode child : declarator.children()) {
        if (child.is("array_suffix"))
            suffixes.push_back(child);
    }
    // `float x[2][3]` holds two arrays of three.
    for (auto suffix = suffixes.rbegin(); suffix != suffixes.rend(); ++suffix)
        element = types_.make(
            {Kind::array, "", nullptr, {element, read_size(suffix->field("size"), scope)}});
    return element;
}

/// What macros stand for: `real3` with `#define real3 vector<real, 3>`, `N` with `#define N 3`.
TypeRef Semantics::read_behind_macros(SyntaxNode node, const Scope& scope) {
    const std::string written = source(scope, node);
    if (node.is("identifier") && !expand_name(written).empty())
        return read_type_name(written, scope);
    if (std::optional<std::string> number = expand_macros(model_, written);
        number && is_plain_number(*number))
        return types_.value(std::move(*number));
    const std::optional<std::string> type = type_behind_macros(model_, written);
    if (!type || scope.text)
        return nullptr; // in what is expanded already no macro is left that is known
    const std::string declaration = *type + " x;";
    const SyntaxTree tree = SyntaxTree::parse(declaration);
    const std::vector<SyntaxNode> parsed = tree.root().children();
    if (!tree.errors().empty() || parsed.size() != 1)
        return nullptr;
    Scope inside = scope;
    inside.text = &declaration;
    return read_type(parsed[0].field("type"), inside);
}

TypeRef Semantics::read_type(SyntaxNode node, const Scope& scope) {
    if (!node || type_depth_ >= deepest_type)
        return nullptr;
    ++type_depth_;
    TypeRef type = nullptr;
    const std::string_view kind = node.kind();
    if (kind == "primitive_type")
        type = types_.primitive(source(scope, node));
    else if (kind == "identifier" && model_.find_macro(source(scope, node)))
        type = read_behind_macros(node, scope);
    else if (kind == "identifier")
        type = read_type_name(source(scope, node), scope);
    else if (kind == "macro_type")
        type = read_behind_macros(node, scope);
    else if (kind == "generic_expression")
        type = read_generic(node, scope);
    else if (kind == "member_expression")
        type = read_path(node, node.field("object"), scope);
    else if (kind == "scope_expression")
        type = read_path(node, node.field("scope"), scope);
    else if (kind == "modified_type")
        type = read_type(node.field("type"), scope);
    else if (kind == "parenthesized_expression" && node.children().size() == 1)
        type = read_type(node.children()[0], scope);
    else if (kind == "array_type" || kind == "subscript_expression") {
        const bool is_type = kind == "array_type";
        const SyntaxNode size = node.field(is_type ? "size" : "index");
        if (TypeRef element = read_type(node.field(is_type ? "element" : "base"), scope))
            type = types_.make({Kind::array, "", nullptr, {element, read_size(size, scope)}});
    } else if (kind == "pointer_type") {
        if (TypeRef pointee = read_type(node.field("pointee"), scope))
            type = types_.builtin("Ptr", {pointee});
    } else if (kind == "function_type") {
        std::vector<TypeRef> parts;
        for (SyntaxNode part : node.children())
            parts.push_back(read_type(part, scope));
        type = types_.builtin("functype", std::move(parts));
    } else if (kind == "conjunction_type") {
        type = types_.make(
            {Kind::conjunction,
             "",
             nullptr,
             {read_type(node.field("left"), scope), read_type(node.field("right"), scope)}});
    } else if (kind == "integer_literal") {
        std::string digits = source(scope, node);
        while (!digits.empty() &&
               std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos)
            digits.pop_back();
        if (is_plain_number(digits))
            type = types_.value(std::move(digits));
    }
    // A constant of the module as an argument: only its own value counts.
    if (!type && kind == "identifier") {
        const std::string name = expand_name(source(scope, node));
        const std::vector<Found> found = name.empty() ? std::vector<Found>() : find(name, scope);
        if (found.size() == 1 && found[0].declaration->is(DeclarationKind::variable) &&
            found[0].declaration->is_static && found[0].declaration->value.is("integer_literal"))
            type = read_type(found[0].declaration->value, Scope::in(*found[0].declaration));
    }
    --type_depth_;
    return type;
}

TypeRef Semantics::declared_type(Declaration& declaration) {
    using State = Declaration::State;
    if (declaration.state == State::read)
        return declaration.known_type;
    // It uses itself, or what it uses is endless.
    if (declaration.state == State::reading || declaration_depth_ >= deepest_declaration)
        return nullptr;
    declaration.state = State::reading;
    ++declaration_depth_;
    const int outer_depth = std::exchange(type_depth_, 0);
    // Generic parameters of a function, alias or extension are visible in its own type.
    const bool own_scope = !declaration.generics.empty() || !declaration.parent;
    const Scope scope{own_scope ? &declaration : declaration.parent, declaration.file};
    TypeRef type = nullptr;
    if (declaration.type) {
        type = read_type(declaration.type, scope);
        if (declaration.declarator)
            type = read_array_suffixes(type, declaration.declarator, scope);
    } else if (declaration.is(DeclarationKind::function)) {
        type = types_.void_type();
    } else if (declaration.is(DeclarationKind::enumerator)) {
        type = self_type(*declaration.parent);
    } else if (declaration.is(DeclarationKind::variable) && !declaration.is_local && infer) {
        type = infer(infer_context, declaration);
    }
    type_depth_ = outer_depth;
    --declaration_depth_;
    declaration.known_type = type;
    declaration.state = State::read;
    return type;
}

const std::vector<TypeRef>& Semantics::base_types(Declaration& declaration) {
    using State = Declaration::State;
    static const std::vector<TypeRef> nothing;
    if (declaration.base_state == State::read)
        return declaration.base_types;
    if (declaration.base_state == State::reading || declaration_depth_ >= deepest_declaration)
        return nothing;
    declaration.base_state = State::reading;
    ++declaration_depth_;
    const int outer_depth = std::exchange(type_depth_, 0);
    // Constraints of a parameter, and of an associated type, stand in what declares it.
    const bool inner = declaration.is(DeclarationKind::type_parameter) ||
                       declaration.is(DeclarationKind::associated_type);
    const Scope scope{inner && declaration.parent ? declaration.parent : &declaration,
                      declaration.file};
    std::vector<TypeRef> types;
    for (SyntaxNode base : declaration.bases)
        types.push_back(read_type(base, scope));
    type_depth_ = outer_depth;
    --declaration_depth_;
    declaration.base_types = std::move(types);
    declaration.base_state = State::read;
    return declaration.base_types;
}

const std::vector<Declaration::Constraint>& Semantics::constraints(Declaration& declaration) {
    using State = Declaration::State;
    // `T.Element` in one clause is a member by the clauses before it, which ask again.
    if (declaration.constraint_state != State::unread || declaration_depth_ >= deepest_declaration)
        return declaration.constraints;
    declaration.constraint_state = State::reading;
    ++declaration_depth_;
    const int outer_depth = std::exchange(type_depth_, 0);
    const Scope scope = Scope::in(declaration);
    for (SyntaxNode clause : declaration.wheres) {
        if (!clause.field("bound"))
            continue;
        Declaration::Constraint constraint{read_type(clause.field("type"), scope), {}};
        for (SyntaxNode bound : clause.fields("bound"))
            constraint.bounds.push_back(read_type(bound, scope));
        declaration.constraints.push_back(std::move(constraint));
    }
    type_depth_ = outer_depth;
    --declaration_depth_;
    declaration.constraint_state = State::read;
    return declaration.constraints;
}

TypeRef Semantics::substitute(TypeRef type, const Substitution& substitution) {
    if (!type || (substitution.parameters.empty() && !substitution.this_type))
        return type;
    switch (type->kind) {
    case Kind::parameter:
        if (const TypeRef* argument = substitution.find(type->declaration))
            return *argument;
        return type;
    case Kind::this_type:
        return substitution.this_type ? substitution.this_type : type;
    default:
        break;
    }
    if (type->arguments.empty())
        return type;
    Type changed = *type;
    for (TypeRef& argument : changed.arguments)
        argument = substitute(argument, substitution);
    if (changed.arguments == type->arguments)
        return type;
    if (type->is(Kind::associated) || type->is(Kind::differential)) {
        const std::string name =
            type->is(Kind::associated) ? type->declaration->name : "Differential";
        return changed.arguments[0] ? member_type(changed.arguments[0], name) : nullptr;
    }
    return types_.make(std::move(changed));
}

Answer Semantics::unify(TypeRef pattern, TypeRef type, Substitution& substitution) {
    if (!pattern || !type)
        return Answer::maybe;
    if (pattern->is(Kind::parameter))
        return substitution.bind(pattern->declaration, type) ? Answer::yes : Answer::maybe;
    if (pattern == type)
        return is_complete(type) ? Answer::yes : Answer::maybe;
    if (pattern->is(Kind::associated) || pattern->is(Kind::differential) ||
        pattern->is(Kind::this_type))
        return Answer::maybe;
    if (pattern->kind != type->kind || pattern->name != type->name ||
        pattern->declaration != type->declaration ||
        pattern->arguments.size() != type->arguments.size())
        return Answer::no;
    Answer answer = Answer::yes;
    for (std::size_t i = 0; i < pattern->arguments.size(); ++i)
        answer = std::min(answer, unify(pattern->arguments[i], type->arguments[i], substitution));
    return answer;
}

} // namespace slimgrad
