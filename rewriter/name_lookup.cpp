#include "rewriter/semantics.h"

#include "rewriter/macro_expansion.h"
#include "rewriter/macro_text.h"
#include "rewriter/macro_type.h"
#include "rewriter/words.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace slimgrad {

namespace {

// Macros in macros.
constexpr int deepest_name = 16;
// Bytes of what a module's macros stand for. No real one has so many.
constexpr std::size_t most_expanded = 1 << 20;

Found at_distance(Declaration& declaration, int distance) {
    Found found{&declaration, {}};
    found.distance = distance;
    return found;
}

/// All words of what the uses of macros in these texts stand for; nothing where one is not known,
/// or it is too much.
std::optional<std::set<std::string, std::less<>>>
words_of_macros(const ModuleModel& model, const std::vector<std::string>& texts) {
    std::set<std::string, std::less<>> words;
    std::size_t read = 0;
    for (const std::string& text : texts) {
        for (const ByteRange use : find_macro_uses(text, model.macros, true)) {
            const auto expansion =
                expand_macros(model, std::string_view(text).substr(use.begin, use.end - use.begin));
            if (!expansion || (read += expansion->size()) > most_expanded)
                return std::nullopt;
            // A function's name that a macro makes is read as what it is.
            const std::size_t next = text.find_first_not_of(" \t\r\n", use.end);
            if (next != std::string::npos && text[next] == '(' && is_identifier(*expansion))
                continue;
            for (std::size_t at = 0; at < expansion->size();) {
                const std::size_t end = token_end(*expansion, at);
                words.insert(expansion->substr(at, end - at));
                at = end;
            }
        }
    }
    return words;
}

bool all_overloadable(const std::vector<Found>& found) {
    return std::all_of(found.begin(), found.end(),
                       [](const Found& one) { return one.declaration->is_overloadable(); });
}

} // namespace

const TypeRef* Substitution::find(const Declaration* parameter) const {
    for (const auto& [declaration, type] : parameters) {
        if (declaration == parameter)
            return &type;
    }
    return nullptr;
}

bool Substitution::bind(const Declaration* parameter, TypeRef type) {
    for (auto& [declaration, known] : parameters) {
        if (declaration == parameter) {
            if (!known)
                known = type;
            return known == type || !type;
        }
    }
    parameters.emplace_back(parameter, type);
    return true;
}

Semantics::Semantics(const ModuleModel& model, const std::vector<std::string>& texts)
    : model_(model), declarations_(model, texts), visibility_(model, texts), texts_(texts) {}

std::string Semantics::source(const Scope& scope, SyntaxNode node) const {
    if (!scope.text)
        return source(scope.file, node);
    const ByteRange range = node.range();
    return scope.text->substr(range.begin, range.end - range.begin);
}

std::string Semantics::expand_name(std::string_view name) const {
    if (name.ends_with(')')) {
        std::string joined = name_behind_macros(model_, std::string(name));
        return is_identifier(joined) ? joined : "";
    }
    std::string result(name);
    for (int depth = 0; depth < deepest_name; ++depth) {
        if (!model_.find_macro(result))
            return result;
        const MacroDefinition* macro = model_.find_only_macro(result);
        if (!macro)
            return "";
        if (macro->function_like)
            return result; // a use without `(` is none
        if (!is_identifier(macro->body))
            return "";
        if (macro->body == result)
            return result;
        result = macro->body;
    }
    return "";
}

bool Semantics::is_hidden_name(std::string_view name, const Scope& scope) const {
    if (model_.hidden_names.contains(name))
        return true;
    for (const Declaration* outer = scope.declaration; outer; outer = outer->parent) {
        if (outer->function != none &&
            model_.functions[outer->function].hidden_names.contains(name))
            return true;
    }
    return false;
}

bool Semantics::may_come_from_macro(std::string_view name) const {
    const auto [entry, added] = in_macros_.emplace(std::string(name), false);
    if (added)
        entry->second = std::any_of(
            model_.macros.begin(), model_.macros.end(), [&](const MacroDefinition& macro) {
                return macro.body.find(name) != std::string::npos ||
                       (macro.body.find("##") != std::string::npos && is_joined_by_macro(name));
            });
    return entry->second;
}

/// Whether a use of a macro stands for a text that has this word.
bool Semantics::is_joined_by_macro(std::string_view name) const {
    if (!std::exchange(has_read_joined_, true))
        joined_words_ = words_of_macros(model_, texts_);
    return !joined_words_ || joined_words_->contains(name);
}

std::vector<Found> Semantics::find_in(const Declaration& name_space, std::string_view name) {
    std::vector<Found> found;
    for (Declaration* member : DeclarationTable::named(name_space, name))
        found.push_back({member, {}});
    return found;
}

void Semantics::add_here(std::string_view name, Declaration& scope, int distance,
                         std::vector<Found>& found) {
    const std::size_t first = found.size();
    if (scope.is(DeclarationKind::structure) || scope.is(DeclarationKind::interface) ||
        scope.is(DeclarationKind::extension) || scope.is(DeclarationKind::enumeration)) {
        const TypeRef self =
            scope.is(DeclarationKind::extension) ? declared_type(scope) : self_type(scope);
        if (self) {
            for (Found& member : members(self, name))
                found.push_back(std::move(member));
        } else {
            for (Declaration* member : DeclarationTable::named(scope, name)) {
                Found here{member, {}};
                here.is_member = true;
                found.push_back(std::move(here));
            }
        }
    } else {
        const bool certain = !scope.has_macros || !may_come_from_macro(name);
        for (Declaration* member : DeclarationTable::named(scope, name))
            found.push_back({member, {}, certain});
    }
    for (std::size_t i = first; i < found.size(); ++i)
        found[i].distance = distance;
    add_used(name, scope, distance, found);
}

/// What `using` adds: further away by the namespaces below the scope that it shares with the use.
void Semantics::add_used(std::string_view name, Declaration& scope, int distance,
                         std::vector<Found>& found) {
    for (std::size_t i = 0; i < scope.imported.size(); ++i) {
        Declaration::Import& import = scope.imported[i];
        // Marked first, as looking for it comes by here.
        if (!std::exchange(import.is_read, true))
            import.name_space = find_namespace(import.name, {&scope, import.file});
        if (!import.name_space || import.name_space == &scope)
            continue;
        int steps = 0;
        const Declaration* outer = import.name_space;
        for (; outer && outer != &scope; outer = outer->parent)
            ++steps;
        for (Found& member : find_in(*import.name_space, name)) {
            member.by_using = true;
            member.distance = distance + steps;
            found.push_back(std::move(member));
        }
    }
}

void Semantics::drop_invisible(std::uint32_t file, std::vector<Found>& found) const {
    const auto is_visible = [&](const Found& one) {
        const Declaration& declaration = *one.declaration;
        const Declaration* parent = declaration.parent;
        const bool is_global = parent && (parent->is(DeclarationKind::module) ||
                                          parent->is(DeclarationKind::name_space));
        if (!is_global || declaration.is(DeclarationKind::name_space) || declaration.is_local)
            return true;
        if (!visibility_.sees(file, declaration.file))
            return false;
        return declaration.is_public || visibility_.is_same_module(file, declaration.file) ||
               !visibility_.hides_by_default(declaration.file);
    };
    if (std::any_of(found.begin(), found.end(), is_visible))
        std::erase_if(found, [&](const Found& one) { return !is_visible(one); });
}

std::vector<Found> Semantics::find(std::string_view name, const Scope& scope) {
    std::vector<Found> found;
    if (scope.locals) {
        const std::vector<Declaration*>& named = scope.locals->named(name);
        for (auto local = named.rbegin(); local != named.rend(); ++local) {
            found.push_back({*local, {}});
            if (!(*local)->is_overloadable())
                return found;
        }
    }
    int distance = 1;
    for (Declaration* outer = scope.declaration; outer; outer = outer->parent, ++distance) {
        for (Declaration* parameter : outer->parameters) {
            if (parameter->name == name)
                found.push_back(at_distance(*parameter, distance));
        }
        for (Declaration* parameter : outer->generics) {
            if (parameter->name == name)
                found.push_back(at_distance(*parameter, distance));
        }
        if (found.empty() || all_overloadable(found))
            add_here(name, *outer, distance, found);
        drop_invisible(scope.file, found);
        if (!found.empty() && !all_overloadable(found))
            break;
    }
    // A function of the type that stands in another declaration, a base or the type that is
    // extended, gives way to one further out, as far as the compiler was seen to choose.
    const auto stands_around = [&](const Declaration* parent) {
        const Declaration* outer = scope.declaration;
        while (outer && outer != parent)
            outer = outer->parent;
        return outer != nullptr;
    };
    const bool competes =
        std::any_of(found.begin(), found.end(), [](const Found& one) { return !one.is_member; });
    const bool hidden = is_hidden_name(name, scope);
    for (Found& one : found) {
        const bool elsewhere = one.is_member && !stands_around(one.declaration->parent);
        one.certain &= !hidden && !(elsewhere && competes);
    }
    return found;
}

const Declaration* Semantics::find_namespace(SyntaxNode name, const Scope& scope) {
    if (name.is("member_expression") || name.is("scope_expression")) {
        const SyntaxNode outer = name.field(name.is("member_expression") ? "object" : "scope");
        const Declaration* parent = outer ? find_namespace(outer, scope) : &declarations_.module();
        if (!parent)
            return nullptr;
        for (Declaration* member :
             DeclarationTable::named(*parent, source(scope, name.field("member")))) {
            if (member->is(DeclarationKind::name_space))
                return member;
        }
        return nullptr;
    }
    if (!name.is("identifier"))
        return nullptr;
    const std::string text = expand_name(source(scope, name));
    for (const Found& one : find(text, scope)) {
        if (one.declaration->is(DeclarationKind::name_space))
            return one.declaration;
    }
    return nullptr;
}

} // namespace slimgrad
