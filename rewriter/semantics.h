#pragma once

#include "rewriter/declaration.h"
#include "rewriter/file_visibility.h"
#include "rewriter/local_declarations.h"
#include "rewriter/type.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slimgrad {

enum class Answer { no, maybe, yes };

/// What generic parameters, and `This`, stand for.
struct Substitution {
    std::vector<std::pair<const Declaration*, TypeRef>> parameters;
    TypeRef this_type = nullptr;

    const TypeRef* find(const Declaration* parameter) const;
    /// The new meaning if there is none yet; false if there is another one.
    bool bind(const Declaration* parameter, TypeRef type);
};

/// A declaration as a name finds it, with what is known of the generic parameters around it.
struct Found {
    Declaration* declaration = nullptr;
    Substitution substitution;
    bool certain = true;    ///< false: in an extension that may not apply
    bool is_member = false; ///< of a type
    bool in_extension = false;
    bool in_free_extension = false; ///< `extension<T : I> T`
    int depth = 0;                  ///< of inheritance: 0 for the type itself
    bool by_using = false;          ///< in a namespace that `using` names
    int distance = 0;               ///< scopes between it and the use
};

/// Where a name is used: the declaration around it and the local variables that are visible.
struct Scope {
    Declaration* declaration = nullptr;
    std::uint32_t file = 0; ///< that the use stands in
    const LocalDeclarations* locals = nullptr;
    const std::string* text = nullptr; ///< that the nodes are of, if it is not the file's

    /// Inside of what stands in one file.
    static Scope in(Declaration& declaration) { return {&declaration, declaration.file}; }
};

/// Types and names of one module: what a type's text means, which declarations a name may mean,
/// what members a type has. Nothing here guesses: what cannot be told is null, or not `certain`.
class Semantics {
  public:
    Semantics(const ModuleModel& model, const std::vector<std::string>& texts);

    const ModuleModel& model() const { return model_; }
    DeclarationTable& declarations() { return declarations_; }
    TypeTable& types() { return types_; }
    std::string source(std::uint32_t file, SyntaxNode node) const {
        return declarations_.source(file, node);
    }
    std::string source(const Scope& scope, SyntaxNode node) const;

    // ---- Names (name_lookup.cpp)

    /// The name that a macro without parameters stands for, or the name itself; "" where the macro
    /// is anything else.
    std::string expand_name(std::string_view name) const;
    /// All that the name may mean here, innermost first. Names further out are among them only
    /// where all inner ones are functions.
    std::vector<Found> find(std::string_view name, const Scope& scope);
    /// What a namespace has of this name.
    static std::vector<Found> find_in(const Declaration& name_space, std::string_view name);
    /// Leaves out what the file does not see, as long as anything else is found: what modules hold
    /// that it does not import, or do not show.
    void drop_invisible(std::uint32_t file, std::vector<Found>& found) const;
    /// The namespace that a name or path stands for here, or null.
    const Declaration* find_namespace(SyntaxNode name, const Scope& scope);

    // ---- Types (type_reader.cpp)

    /// What a node means as a type, or as an argument for a generic parameter; null if it is none
    /// or is not known.
    TypeRef read_type(SyntaxNode node, const Scope& scope);
    /// The type of what is declared: the node's, in the array suffixes of the declarator.
    TypeRef read_declared(SyntaxNode type, SyntaxNode declarator, const Scope& scope) {
        return read_array_suffixes(read_type(type, scope), declarator, scope);
    }
    /// The type that a name alone means as a type.
    TypeRef read_type_name(const std::string& name, const Scope& scope);
    /// A declared type without arguments for its generics: they are its own parameters.
    TypeRef self_type(Declaration& type);
    /// `declaration<arguments>`; defaults fill what is missing.
    TypeRef apply(const Found& found, const std::vector<TypeRef>& arguments, const Scope& scope);
    /// A type of the module or of the core module with arguments.
    TypeRef type_of_declaration(const Found& found);
    /// Declared type of a variable, parameter, property or alias, result of a function; its own
    /// generic parameters stay. Inferred types of variables in bodies have to be known already.
    TypeRef declared_type(Declaration& declaration);
    TypeRef substitute(TypeRef type, const Substitution& substitution);
    /// Type parameters of the type and of those around it, outermost first.
    static std::vector<Declaration*> all_generics(const Declaration& declaration);
    /// `type.name` as a type: nested struct, alias, associated type, Differential.
    TypeRef member_type(TypeRef type, std::string_view name);
    /// The type that `This` and `this` have here, or null outside of types.
    TypeRef this_type(const Scope& scope);
    /// Whether binding parameters in the pattern gives the type; adds what was bound.
    Answer unify(TypeRef pattern, TypeRef type, Substitution& substitution);

    // ---- Members (member_lookup.cpp)

    /// Members of a type, those of extensions, bases and constraints among them, most derived
    /// first.
    std::vector<Found> members(TypeRef type, std::string_view name);
    /// Whether the last lookup of members passed a type that may have more members of the name:
    /// from macros. Then none of what it found is certain.
    bool is_hidden() const { return is_hidden_; }
    /// Whether a macro in or around the scope, or broken text, declares the name without being
    /// read: then it means neither what is found nor what is built in for certain.
    bool is_hidden_name(std::string_view name, const Scope& scope) const;
    /// Whether a macro may declare what has this name.
    bool may_come_from_macro(std::string_view name) const;
    /// What a buffer, pointer or parameter block gives access to; null for other types.
    TypeRef dereference(TypeRef type);
    /// Whether a type is, or inherits from, an interface or struct.
    Answer conforms(TypeRef type, TypeRef base);
    /// What may implement what an interface requires: functions, properties or subscripts of its
    /// name in types and extensions of the module.
    const std::vector<Declaration*>& implementations(const Declaration& requirement);
    /// False for types of the module, and parameters, that inherit from no interface of the core
    /// module with operators.
    bool may_have_core_operators(TypeRef type);
    /// Bases of a declared type, constraints of a parameter.
    std::vector<TypeRef> bases(TypeRef type);
    /// `where` clauses and constraints are read in this scope, too.
    Declaration* set_scope(Declaration* scope) { return std::exchange(scope_, scope); }

    /// Type of an expression outside of a body: what a global or member is initialized with.
    TypeRef (*infer)(void* context, Declaration& variable) = nullptr;
    void* infer_context = nullptr;

  private:
    const std::vector<TypeRef>& base_types(Declaration& declaration);
    /// What the `where` clauses of a declaration say. While they are read, those so far.
    const std::vector<Declaration::Constraint>& constraints(Declaration& declaration);
    void add_members(TypeRef type, std::string_view name, TypeRef this_type, int depth,
                     std::vector<Found>& found);
    void add_extensions(TypeRef type, std::string_view name, int depth, std::vector<Found>& found);
    void add_here(std::string_view name, Declaration& scope, int distance,
                  std::vector<Found>& found);
    void add_used(std::string_view name, Declaration& scope, int distance,
                  std::vector<Found>& found);
    TypeRef read_generic(SyntaxNode node, const Scope& scope);
    TypeRef read_path(SyntaxNode node, SyntaxNode outer, const Scope& scope);
    TypeRef read_behind_macros(SyntaxNode node, const Scope& scope);
    TypeRef read_array_suffixes(TypeRef element, SyntaxNode declarator, const Scope& scope);
    TypeRef read_size(SyntaxNode node, const Scope& scope);
    TypeRef builtin_type(const std::string& name, std::vector<TypeRef> arguments);

    const ModuleModel& model_;
    DeclarationTable declarations_;
    TypeTable types_;
    FileVisibility visibility_;
    Declaration* scope_ = nullptr;
    int type_depth_ = 0, member_depth_ = 0, conformance_depth_ = 0;
    int declaration_depth_ = 0;
    bool is_joined_by_macro(std::string_view name) const;

    const std::vector<std::string>& texts_;
    mutable std::unordered_map<std::string, bool> in_macros_; ///< may_come_from_macro
    /// What is_joined_by_macro knows, once it was asked: no words at all where it cannot tell.
    mutable std::optional<std::set<std::string, std::less<>>> joined_words_;
    mutable bool has_read_joined_ = false;
    bool is_hidden_ = false;
    std::vector<TypeRef> visited_; ///< whose members were looked at already
    std::map<const Declaration*, std::vector<Declaration*>> implementations_;
    std::set<std::pair<TypeRef, TypeRef>> asked_; ///< by `conforms`, on the way to its answer
    std::map<std::tuple<TypeRef, TypeRef, const Declaration*>, Answer> conformances_;
};

} // namespace slimgrad
