#include "rewriter/semantics.h"

#include <algorithm>
#include <array>

namespace slimgrad {

namespace {

using Kind = Type::Kind;

// Inheritance is never this deep; types that inherit from themselves end here.
constexpr int deepest_inheritance = 16;

bool is_present(const std::vector<Found>& found, const Declaration* declaration) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Found& one) { return one.declaration == declaration; });
}

/// Parameters of the type's generics, with what they stand for in it.
Substitution arguments_of(TypeRef type) {
    Substitution substitution;
    if (!type->is(Kind::declared))
        return substitution;
    const std::vector<Declaration*> generics = Semantics::all_generics(*type->declaration);
    for (std::size_t i = 0; i < generics.size() && i < type->arguments.size(); ++i)
        substitution.parameters.emplace_back(generics[i], type->arguments[i]);
    return substitution;
}

} // namespace

TypeRef Semantics::dereference(TypeRef type) {
    constexpr std::array<std::string_view, 8> names{
        "ConstantBuffer", "ParameterBlock",   "TextureBuffer", "Ptr",
        "ImmutablePtr",   "DescriptorHandle", "Ref",           "GLSLShaderStorageBuffer"};
    if (!type || !type->is(Kind::builtin) || type->arguments.empty() ||
        std::find(names.begin(), names.end(), type->name) == names.end())
        return nullptr;
    return type->arguments[0];
}

std::vector<TypeRef> Semantics::bases(TypeRef type) {
    std::vector<TypeRef> result;
    if (!type)
        return result;
    const auto add = [&](SyntaxNode node, const Scope& scope, const Substitution& substitution) {
        result.push_back(substitute(read_type(node, scope), substitution));
    };
    if (type->is(Kind::conjunction)) {
        return type->arguments;
    }
    if (type->is(Kind::declared) || type->is(Kind::this_type)) {
        auto& declaration = const_cast<Declaration&>(*type->declaration);
        Substitution substitution = arguments_of(type);
        substitution.this_type = type;
        for (SyntaxNode base : declaration.bases)
            add(base, Scope::in(declaration), substitution);
        return result;
    }
    if (!type->is(Kind::parameter) && !type->is(Kind::associated))
        return result;
    auto& declaration = const_cast<Declaration&>(*type->declaration);
    Substitution substitution;
    if (type->is(Kind::associated))
        substitution.this_type = type->arguments[0];
    if (declaration.parent) {
        for (SyntaxNode base : declaration.bases)
            add(base, {declaration.parent, declaration.file}, substitution);
    }
    // What `where` says, here and where the parameter stands.
    const auto add_wheres = [&](Declaration& owner) {
        for (SyntaxNode clause : owner.wheres) {
            if (!clause.field("bound") || read_type(clause.field("type"), Scope::in(owner)) != type)
                continue;
            for (SyntaxNode bound : clause.fields("bound"))
                add(bound, Scope::in(owner), {});
        }
    };
    for (Declaration* owner = scope_; owner; owner = owner->parent)
        add_wheres(*owner);
    if (type->is(Kind::parameter) && declaration.parent &&
        (!scope_ || declaration.parent != scope_))
        add_wheres(*declaration.parent);
    return result;
}

bool Semantics::may_have_core_operators(TypeRef type) {
    if (!type || depth_ >= deepest_inheritance)
        return true;
    if (type->is(Kind::builtin))
        return type->name != "IDifferentiable" && type->name != "IDifferentiablePtrType" &&
               type->name != "IDefaultInitializable";
    if (!type->is(Kind::declared) && !type->is(Kind::parameter) && !type->is(Kind::this_type) &&
        !type->is(Kind::associated))
        return true;
    if (type->is(Kind::declared) && type->declaration->is(DeclarationKind::enumeration))
        return true;
    ++depth_;
    const std::vector<TypeRef> all = bases(type);
    const bool may = std::any_of(all.begin(), all.end(),
                                 [&](TypeRef base) { return may_have_core_operators(base); });
    --depth_;
    // An extension may add an interface.
    const auto& extensions = declarations_.extensions();
    return may || std::any_of(extensions.begin(), extensions.end(), [&](Declaration* extension) {
               Substitution substitution;
               return !extension->bases.empty() &&
                      unify(declared_type(*extension), type, substitution) != Answer::no;
           });
}

Answer Semantics::conforms(TypeRef type, TypeRef base) {
    if (!type || !base)
        return Answer::maybe;
    if (type == base || (type->is(Kind::this_type) && type->declaration == base->declaration))
        return Answer::yes;
    if (base->is(Kind::conjunction))
        return std::min(conforms(type, base->arguments[0]), conforms(type, base->arguments[1]));
    if (base->is(Kind::builtin))
        return Answer::maybe; // the core module's own interfaces
    if (depth_ >= deepest_inheritance)
        return Answer::maybe;
    ++depth_;
    Answer answer = Answer::no;
    for (TypeRef own : bases(type)) {
        answer = std::max(answer, conforms(own, base));
    }
    // An extension may add it.
    for (Declaration* extension : declarations_.extensions()) {
        if (answer == Answer::yes || extension->bases.empty())
            continue;
        Substitution substitution;
        const Answer applies = unify(declared_type(*extension), type, substitution);
        if (applies == Answer::no)
            continue;
        const bool free = extension->generics.size() == 1 &&
                          declared_type(*extension) &&
                          declared_type(*extension)->is(Kind::parameter);
        for (SyntaxNode node : extension->bases) {
            const TypeRef own = substitute(read_type(node, Scope::in(*extension)), substitution);
            if (own == base)
                answer = std::max(answer, free ? Answer::maybe : applies);
            else if (!own)
                answer = std::max(answer, Answer::maybe);
        }
    }
    --depth_;
    return answer;
}

void Semantics::add_extensions(TypeRef type, std::string_view name, int depth,
                               std::vector<Found>& found) {
    for (Declaration* extension : declarations_.extensions()) {
        const std::vector<Declaration*> named = DeclarationTable::named(*extension, name);
        if (named.empty() && extension->bases.empty())
            continue;
        const TypeRef target = declared_type(*extension);
        Substitution substitution;
        Answer applies = unify(target, type, substitution);
        if (applies == Answer::no)
            continue;
        const bool free = target && target->is(Kind::parameter);
        if (free && !named.empty()) {
            for (TypeRef constraint : bases(target))
                applies = std::min(applies, conforms(type, constraint));
            if (applies == Answer::no)
                continue;
        }
        substitution.this_type = type;
        for (Declaration* member : named) {
            if (is_present(found, member))
                continue;
            Found one{member, substitution};
            one.certain = applies == Answer::yes;
            one.is_member = one.in_extension = true;
            one.in_free_extension = free;
            one.depth = depth;
            found.push_back(std::move(one));
        }
        if (free)
            continue;
        for (SyntaxNode base : extension->bases)
            add_members(substitute(read_type(base, Scope::in(*extension)), substitution), name,
                        type, depth + 1, found);
    }
}

void Semantics::add_members(TypeRef type, std::string_view name, TypeRef this_type, int depth,
                            std::vector<Found>& found) {
    if (!type || depth > deepest_inheritance)
        return;
    if (type->is(Kind::declared) || type->is(Kind::this_type)) {
        Substitution substitution = arguments_of(type);
        substitution.this_type = this_type;
        for (Declaration* member : DeclarationTable::named(*type->declaration, name)) {
            if (is_present(found, member))
                continue;
            Found one{member, substitution};
            one.is_member = true;
            one.depth = depth;
            found.push_back(std::move(one));
        }
    }
    add_extensions(type, name, depth, found);
    if (type->is(Kind::declared) &&
        type->declaration->is(DeclarationKind::enumeration))
        return; // what stands after the colon is the type of its numbers
    for (TypeRef base : bases(type))
        add_members(base, name, this_type, depth + 1, found);
}

std::vector<Found> Semantics::members(TypeRef type, std::string_view name) {
    std::vector<Found> found;
    if (!type || depth_ >= deepest_inheritance)
        return found;
    ++depth_;
    // A value of an interface's type has the members of what conforms to it.
    add_members(type, name, type, 0, found);
    --depth_;
    return found;
}

} // namespace slimgrad
