#pragma once

#include "rewriter/overload.h"
#include "rewriter/semantics.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace slimgrad {

/// What the resolution writes: the model's calls by their place, types of expressions by name.
class ResolutionRecord {
  public:
    explicit ResolutionRecord(ModuleModel& model);

    /// The call whose arguments open here, or null.
    Call* call_at(std::uint32_t file, std::uint32_t open_parenthesis);
    Index loop_at(std::uint32_t file, std::uint32_t keyword) const;
    /// All functions of this name.
    std::vector<Index> functions(const std::string& name) const;
    void add_call(Call call) { added_.push_back(std::move(call)); }
    void add_type(Site site, TypeRef type);
    /// Puts what was added into the model; calls that nothing was found for may mean all functions
    /// of their name.
    void finish(const Semantics& semantics);

  private:
    ModuleModel& model_;
    std::unordered_map<std::uint64_t, Index> calls_, loops_;
    std::unordered_map<std::string, std::vector<Index>> functions_;
    std::unordered_map<TypeRef, Index> types_;
    std::vector<Call> added_;
};

/// What an expression is. All empty: not known.
struct Expression {
    TypeRef type = nullptr; ///< of the value, or the type itself if `is_type`
    bool is_type = false;
    int literal_bits = 0;                    ///< as in Argument
    const Declaration* name_space = nullptr; ///< it is this namespace
    bool is_function = false;                ///< a name of functions, used as a value
    bool is_list = false;

    Argument argument() const { return {is_type ? nullptr : type, literal_bits, is_list}; }
};

/// Whether the value of an expression is read, written or both.
enum class Use { read, write, read_write };

/// Resolves one function's body: walks statements with the local variables that they see, and tells
/// the type of every expression on the way. With no record it only tells types.
class BodyResolver {
  public:
    BodyResolver(Semantics& semantics, ResolutionRecord* record, Declaration& scope,
                 std::uint32_t file);

    /// A function's body; `accessor` is the node of a property's or subscript's accessor.
    void resolve_function(Index function, SyntaxNode body, SyntaxNode accessor);
    void visit(SyntaxNode node);
    Expression read(SyntaxNode node, Use use = Use::read);

  private:
    using Handler = void (BodyResolver::*)(SyntaxNode);
    using Reader = Expression (BodyResolver::*)(SyntaxNode, Use);

    // ---- Statements (body_resolver.cpp)
    void visit_children(SyntaxNode node);
    void block(SyntaxNode node);
    void loop(SyntaxNode node);
    void variables(SyntaxNode node);
    void condition_variable(SyntaxNode node);
    void local_declaration(SyntaxNode node);
    void catch_clause(SyntaxNode node);
    void case_clause(SyntaxNode node);
    void compile_time_range(SyntaxNode range);
    void use_namespace(SyntaxNode node);
    void macro_statement(SyntaxNode node);
    void macro_body();
    void skip(SyntaxNode) {}
    Declaration& add_local(SyntaxNode name, TypeRef type, SyntaxNode value = SyntaxNode());
    void add_parameters(SyntaxNode list);

    // ---- Expressions (expression_type.cpp)
    Expression read_node(SyntaxNode node, Use use);
    /// Notes the type of an expression that has a place of its own.
    void add_type(SyntaxNode node, TypeRef type);
    Expression name(SyntaxNode node, Use use);
    Expression literal(SyntaxNode node, Use use);
    Expression parenthesized(SyntaxNode node, Use use);
    Expression inner_value(SyntaxNode node, Use use);
    Expression type_name(SyntaxNode node, Use use);
    Expression generic_name(SyntaxNode node, Use use);
    Expression member(SyntaxNode node, Use use);
    Expression scoped(SyntaxNode node, Use use);
    Expression subscript(SyntaxNode node, Use use);
    Expression assignment(SyntaxNode node, Use use);
    Expression conditional(SyntaxNode node, Use use);
    Expression binary(SyntaxNode node, Use use);
    Expression unary(SyntaxNode node, Use use);
    Expression update(SyntaxNode node, Use use);
    Expression cast(SyntaxNode node, Use use);
    Expression type_cast(SyntaxNode node, Use use);
    Expression type_test(SyntaxNode node, Use use);
    Expression lambda(SyntaxNode node, Use use);
    Expression value_list(SyntaxNode node, Use use);
    Expression unknown(SyntaxNode node, Use use);
    Expression found_value(const std::vector<Found>& found);
    Expression member_of(const Expression& object, SyntaxNode node, SyntaxNode name, Use use);
    /// The operator of the module that is applied, if one is; false: a built-in one.
    bool user_operator(SyntaxNode node, SyntaxNode token, const std::vector<SyntaxNode>& operands,
                       const std::vector<Argument>& arguments, Expression& result);

    // ---- Calls (call_resolution.cpp)
    Expression call(SyntaxNode node, Use use);
    struct Callee;
    Callee callee(SyntaxNode node);
    Callee named_callee(SyntaxNode node);
    Callee member_callee(SyntaxNode node, SyntaxNode outer);
    static void sort_out(Callee& callee, std::vector<Found> found);
    Expression call_functions(const Callee& callee, Call& call,
                              const std::vector<Argument>& arguments);
    Expression construct(TypeRef type, Call& call, const std::vector<Argument>& arguments);
    Expression call_value(const Callee& callee, Call& call, const std::vector<Argument>& arguments);
    Expression differentiate(const Callee& callee, Call& call,
                             const std::vector<Argument>& arguments);
    void read_macro_arguments(const std::vector<SyntaxNode>& nodes, const std::string& macro);
    /// What does what an interface requires, its default left out: of a receiver whose type is
    /// known, its own members among what was `found`; else all there is in the module.
    std::vector<const Declaration*> implementations(const Found& requirement,
                                                    const std::vector<Found>& found);
    void settle(Call& call, const OverloadChoice& choice, const std::vector<Found>& found);
    void settle_accessors(const OverloadChoice& choice, const std::vector<Found>& found,
                          CallForm form, std::uint32_t place, SyntaxNode node,
                          const std::vector<SyntaxNode>& operands, Use use);
    Call implicit_call(CallForm form, std::uint32_t place, SyntaxNode node,
                       const std::vector<SyntaxNode>& operands, std::string name) const;
    std::vector<Argument> read_arguments(const std::vector<SyntaxNode>& nodes);

    Scope scope() const { return {scope_, file_, &locals_}; }
    /// The use of a macro whose expansion is being read, or null.
    const ExpandedUse* expanded() const;
    Site site(SyntaxNode node) const;
    /// The model's call that this call_expression is, or null.
    Call* known_call(SyntaxNode node) const;
    std::string source(SyntaxNode node) const { return semantics_.source(file_, node); }

    Semantics& semantics_;
    ResolutionRecord* record_;
    Declaration* scope_;
    std::uint32_t file_;           ///< past the model's files: of its expanded uses of macros
    SyntaxNode macro_statement_;   ///< the use of a macro that is being read
    std::uint32_t outer_file_ = 0; ///< where it stands
    Index function_ = none;
    Index loop_ = none;
    LocalDeclarations locals_;
    int depth_ = 0;
    int in_macro_ = 0; ///< inside arguments of a macro that may do anything with them
};

} // namespace slimgrad
