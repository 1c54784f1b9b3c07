#pragma once

#include "rewriter/module_model.h"
#include "rewriter/syntax_node.h"
#include "rewriter/type.h"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace slimgrad {

enum class DeclarationKind {
    module, ///< the global scope of all files
    name_space,
    structure,
    interface,
    enumeration,
    extension,
    function,
    constructor, ///< `__init`
    subscript,   ///< named "operator[]"
    property,
    variable, ///< global, member or local
    parameter,
    type_parameter,
    value_parameter,
    alias,
    associated_type,
    enumerator,
};

/// What a name of the module stands for.
struct Declaration {
    DeclarationKind kind = DeclarationKind::module;
    std::string name;
    std::uint32_t file = 0;
    SyntaxNode node;
    Declaration* parent = nullptr;
    std::vector<Declaration*> generics;
    std::vector<Declaration*> parameters;
    std::vector<Declaration*> members;
    std::multimap<std::string, Declaration*, std::less<>> by_name; ///< of `members`
    /// Of a variable, parameter, property or alias; what a function, subscript returns; what an
    /// extension extends. No node: inferred from `value`.
    SyntaxNode type;
    SyntaxNode declarator; ///< whose array suffixes belong to the type
    SyntaxNode value;
    std::vector<SyntaxNode> bases;  ///< of types and associated types, constraint of a parameter
    std::vector<SyntaxNode> wheres; ///< where_clause and __constraint
    /// `using namespace` in this scope.
    struct Import {
        std::uint32_t file = 0;
        SyntaxNode name;
        const Declaration* name_space = nullptr; ///< once it was looked for
        bool is_read = false;
    };
    std::vector<Import> imported;
    bool is_static = false;
    bool is_public = false; ///< says so
    bool has_body = false;
    bool has_macros = false;      ///< members may come from macros, or stand in a syntax error
    bool is_local = false;        ///< a variable, parameter or function in a body
    Index function = none;        ///< of the model
    std::vector<Index> accessors; ///< of a property or subscript, functions of the model
    TypeRef known_type = nullptr; ///< of a variable, once it was read
    enum class State { unread, reading, read } state = State::unread;
    std::vector<TypeRef> base_types; ///< what `bases` mean, once they were read
    State base_state = State::unread;
    /// `where type : bounds`, once it was read.
    struct Constraint {
        TypeRef type = nullptr;
        std::vector<TypeRef> bounds;
    };
    std::vector<Constraint> constraints;
    State constraint_state = State::unread;

    bool is(DeclarationKind other) const { return kind == other; }
    bool is_type() const {
        return kind == DeclarationKind::structure || kind == DeclarationKind::interface ||
               kind == DeclarationKind::enumeration || kind == DeclarationKind::alias ||
               kind == DeclarationKind::associated_type || kind == DeclarationKind::type_parameter;
    }
    /// Whether names that are found further out are called, too.
    bool is_overloadable() const {
        return kind == DeclarationKind::function || kind == DeclarationKind::constructor ||
               kind == DeclarationKind::subscript;
    }
};

/// All declarations of a module in the scopes that hold them, those in bodies of functions left
/// out. Macros that stand for declarations are not known here.
class DeclarationTable {
  public:
    /// `texts` are what the trees of the model were parsed from. Both have to outlive the table.
    DeclarationTable(const ModuleModel& model, const std::vector<std::string>& texts);

    Declaration& module() { return module_; }
    const std::vector<Declaration*>& extensions() const { return extensions_; }
    /// Whether any type, interface or extension has a member of this name.
    bool is_member_name(std::string_view name) const {
        return member_names_.contains(std::string(name));
    }
    /// The function, property or subscript whose entry in the model this is, or null.
    Declaration* of_function(Index function) const;
    /// Declarations directly in this scope.
    static std::vector<Declaration*> named(const Declaration& scope, std::string_view name);

    /// A new declaration that is in no scope: of a local variable.
    Declaration& add_local(DeclarationKind kind, std::string name, std::uint32_t file,
                           Declaration* parent);
    /// Reads a type or a function that stands in a body; it is in no scope.
    std::vector<Declaration*> add_local(SyntaxNode node, std::uint32_t file, Declaration* parent);

    std::string source(std::uint32_t file, SyntaxNode node) const;

  private:
    friend class DeclarationBuilder;

    const ModuleModel& model_;
    const std::vector<std::string>& texts_;
    Declaration module_;
    std::deque<Declaration> declarations_;
    std::vector<Declaration*> extensions_;
    std::unordered_set<std::string> member_names_;
    std::vector<Declaration*> of_function_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Index> functions_; ///< by place of the name
};

} // namespace slimgrad
