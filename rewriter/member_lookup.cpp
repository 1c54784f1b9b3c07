#include "rewriter/semantics.h"

#include <algorithm>
#include <array>
#include <utility>

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
    if (type->is(Kind::conjunction)) {
        return type->arguments;
    }
    if (type->is(Kind::declared) || type->is(Kind::this_type)) {
        auto& declaration = const_cast<Declaration&>(*type->declaration);
        Substitution substitution = arguments_of(type);
        substitution.this_type = type;
        for (TypeRef base : base_types(declaration))
            result.push_back(substitute(base, substitution));
        return result;
    }
    if (!type->is(Kind::parameter) && !type->is(Kind::associated))
        return result;
    auto& declaration = const_cast<Declaration&>(*type->declaration);
    Substitution substitution;
    if (type->is(Kind::associated))
        substitution.this_type = type->arguments[0];
    for (TypeRef base : base_types(declaration))
        result.push_back(substitute(base, substitution));
    // `__constraint` of an interface that the owner of an associated type conforms to.
    if (type->is(Kind::associated) && conformance_depth_ < deepest_inheritance) {
        ++conformance_depth_;
        for (TypeRef owner : bases(type->arguments[0])) {
            if (!owner || !owner->is(Kind::declared))
                continue;
            auto& interface = const_cast<Declaration&>(*owner->declaration);
            for (const Declaration::Constraint& constraint : constraints(interface)) {
                if (substitute(constraint.type, substitution) != type)
                    continue;
                for (TypeRef bound : constraint.bounds)
                    result.push_back(substitute(bound, substitution));
            }
        }
        --conformance_depth_;
    }
    // What `where` says, here and where the parameter stands.
    const auto add_wheres = [&](Declaration& owner) {
        for (const Declaration::Constraint& constraint : constraints(owner)) {
            if (constraint.type == type)
                result.insert(result.end(), constraint.bounds.begin(), constraint.bounds.end());
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
    if (!type || conformance_depth_ >= deepest_inheritance)
        return true;
    if (type->is(Kind::builtin))
        return type->name != "IDifferentiable" && type->name != "IDifferentiablePtrType" &&
               type->name != "IDefaultInitializable";
    if (!type->is(Kind::declared) && !type->is(Kind::parameter) && !type->is(Kind::this_type) &&
        !type->is(Kind::associated))
        return true;
    if (type->is(Kind::declared) && type->declaration->is(DeclarationKind::enumeration))
        return true;
    ++conformance_depth_;
    const std::vector<TypeRef> all = bases(type);
    const bool may = std::any_of(all.begin(), all.end(),
                                 [&](TypeRef base) { return may_have_core_operators(base); });
    --conformance_depth_;
    // An extension may add an interface.
    const auto& extensions = declarations_.extensions();
    return may || std::any_of(extensions.begin(), extensions.end(), [&](Declaration* extension) {
               Substitution substitution;
               return !extension->bases.empty() &&
                      unify(declared_type(*extension), type, substitution) != Answer::no;
           });
}

const std::vector<Declaration*>& Semantics::implementations(const Declaration& requirement) {
    const auto known = implementations_.find(&requirement);
    if (known != implementations_.end())
        return known->second;
    std::vector<Declaration*> result;
    const TypeRef interface = types_.make({Kind::this_type, "", requirement.parent, {}});
    for (Index function = 0; function < model_.functions.size(); ++function) {
        Declaration* other = declarations_.of_function(function);
        if (!other || other == &requirement || other->name != requirement.name ||
            other->parameters.size() != requirement.parameters.size() || !other->parent ||
            std::find(result.begin(), result.end(), other) != result.end())
            continue;
        Declaration& parent = *other->parent;
        TypeRef type = nullptr;
        if (parent.is(DeclarationKind::extension))
            type = declared_type(parent);
        else if (parent.is(DeclarationKind::structure) || parent.is(DeclarationKind::interface))
            type = self_type(parent);
        else
            continue;
        const bool may_be = !type || is_open(type) || !requirement.parent->generics.empty() ||
                            conforms(type, interface) != Answer::no;
        if (may_be)
            result.push_back(other);
    }
    return implementations_.emplace(&requirement, std::move(result)).first->second;
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
    if (type->is(Kind::declared) && type->declaration == base->declaration)
        return is_complete(type) && is_complete(base) && !is_open(type) && !is_open(base)
                   ? Answer::no
                   : Answer::maybe; // arguments differ
    if (conformance_depth_ >= deepest_inheritance)
        return Answer::maybe;
    // What `where` says depends on the scope; while a declaration is read, bases are missing.
    const std::tuple question(type, base, static_cast<const Declaration*>(scope_));
    if (const auto known = conformances_.find(question); known != conformances_.end())
        return known->second;
    // On the way to one answer every type is looked at once: a second way to it adds nothing but
    // certainty, and there are exponentially many.
    const bool outermost = asked_.empty();
    if (!asked_.emplace(type, base).second)
        return Answer::no;
    const bool is_final = outermost && conformance_depth_ == 0 && declaration_depth_ == 0;
    ++conformance_depth_;
    Answer answer = Answer::no;
    for (TypeRef own : bases(type))
        answer = std::max(answer, conforms(own, base));
    // An extension may add it.
    for (Declaration* extension : declarations_.extensions()) {
        if (answer == Answer::yes || extension->bases.empty())
            continue;
        Substitution substitution;
        const Answer applies = unify(declared_type(*extension), type, substitution);
        if (applies == Answer::no)
            continue;
        const bool free = extension->generics.size() == 1 && declared_type(*extension) &&
                          declared_type(*extension)->is(Kind::parameter);
        for (TypeRef base_type : base_types(*extension)) {
            const TypeRef own = substitute(base_type, substitution);
            const Answer inherits = conforms(own, base);
            if (inherits != Answer::no)
                answer = std::max(answer, std::min(inherits, free ? Answer::maybe : applies));
        }
    }
    --conformance_depth_;
    if (outermost)
        asked_.clear();
    if (is_final)
        conformances_.emplace(question, answer);
    return answer;
}

void Semantics::add_extensions(TypeRef type, std::string_view name, int depth,
                               std::vector<Found>& found) {
    for (Declaration* extension : declarations_.extensions()) {
        const std::vector<Declaration*> named = DeclarationTable::named(*extension, name);
        if (named.empty() && extension->bases.empty() && !extension->has_macros)
            continue;
        const TypeRef target = declared_type(*extension);
        Substitution substitution;
        Answer applies = unify(target, type, substitution);
        if (applies == Answer::no)
            continue;
        const bool free = target && target->is(Kind::parameter);
        if (free && depth > 0)
            continue; // what conforms to a base is the type itself
        if (free) {
            for (TypeRef constraint : bases(target))
                applies = std::min(applies, conforms(type, constraint));
            if (applies == Answer::no)
                continue;
        }
        is_hidden_ |= extension->has_macros;
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
        const std::size_t first = found.size();
        for (TypeRef base : base_types(*extension))
            add_members(substitute(base, substitution), name, type, depth + 1, found);
        for (std::size_t i = first; i < found.size() && applies != Answer::yes; ++i)
            found[i].certain = false;
    }
}

void Semantics::add_members(TypeRef type, std::string_view name, TypeRef this_type, int depth,
                            std::vector<Found>& found) {
    if (!type || depth > deepest_inheritance ||
        std::find(visited_.begin(), visited_.end(), type) != visited_.end())
        return;
    visited_.push_back(type);
    if (type->is(Kind::declared) || type->is(Kind::this_type)) {
        is_hidden_ |= type->declaration->has_macros;
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
    if (type->is(Kind::declared) && type->declaration->is(DeclarationKind::enumeration))
        return; // what stands after the colon is the type of its numbers
    for (TypeRef base : bases(type))
        add_members(base, name, this_type, depth + 1, found);
}

std::vector<Found> Semantics::members(TypeRef type, std::string_view name) {
    std::vector<Found> found;
    // Of lookups on the way to another one's answer nothing is told.
    const bool outer_hidden = std::exchange(is_hidden_, false);
    const bool nested = member_depth_ > 0;
    const bool in_macro = may_come_from_macro(name);
    if (!type || member_depth_ >= deepest_inheritance ||
        (!in_macro && !declarations_.is_member_name(name))) {
        is_hidden_ = nested && outer_hidden;
        return found;
    }
    ++member_depth_;
    // A value of an interface's type has the members of what conforms to it.
    std::vector<TypeRef> outer = std::exchange(visited_, {});
    auto outer_asked = std::exchange(asked_, {});
    add_members(type, name, type, 0, found);
    visited_ = std::move(outer);
    asked_ = std::move(outer_asked);
    --member_depth_;
    is_hidden_ = is_hidden_ && in_macro;
    for (Found& one : found)
        one.certain &= !is_hidden_;
    if (nested)
        is_hidden_ = outer_hidden;
    return found;
}

} // namespace slimgrad
