#pragma once

#include "rewriter/call_derivative.h"
#include "rewriter/flow_graph.h"
#include "rewriter/static_member.h"
#include "rewriter/syntax_node.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace slimgrad {

/// What the readers of a module's functions share.
struct FlowModel {
    FlowModel(const ModuleModel& module, GlobalWriter writer);

    const ModuleModel& model;
    const GlobalWriter may_write;
    OwnDerivatives own;
    std::vector<std::vector<Index>> locals, calls, loops; ///< per function
    StaticMembers static_members;
};

/// Reads the body of one function into a FunctionFlow and its FlowGraph. Code that runs at several
/// ends of a scope (`defer`) is read at each; what stands at one place stays one use.
class FlowReader {
  public:
    FlowReader(const FlowModel& shared, Index function, FunctionFlow& flow);

    void read();
    const FlowGraph& graph() const { return graph_; }
    /// What definitions set their variable to, where that is one expression.
    const std::map<Index, Site>& values() const { return values_; }

  private:
    using BlockId = FlowGraph::BlockId;

    // ---- Variables (flow_reader.cpp)
    void add_parameters();
    Index declare(Variable variable);
    Index declare_local(SyntaxNode name, std::string_view type);
    Index find(std::string_view name);
    Index find_outside(std::string_view name);
    Index from_outside(std::string_view name);
    Index add_outside(std::string name, Variable variable);
    Index find_static(Index global);
    bool is_field(std::string_view name) const;
    void define_in_calls();

    // ---- Blocks, definitions and uses (flow_reader.cpp)
    BlockId new_block() { return graph_.add_block(loop_); }
    /// Goes on in `block`, which the current one may lead to.
    void continue_in(BlockId block);
    void leave_to(BlockId block);
    Index define(Index variable, DefinitionKind kind, Site site, bool partial);
    void use(Index variable, Site site, DerivativeAnswer answer);
    void set_incomplete(std::string reason);

    // ---- Statements (flow_statements.cpp)
    void statement(SyntaxNode node);
    void read_statement(SyntaxNode node);
    void block(SyntaxNode node);
    void declaration(SyntaxNode node);
    void if_statement(SyntaxNode node);
    void loop_statement(SyntaxNode node);
    void switch_statement(SyntaxNode node);
    void do_catch(SyntaxNode node);
    void jump(SyntaxNode node);
    void return_statement(SyntaxNode node);
    void end_scope(std::size_t names, std::size_t deferred);
    void run_deferred(std::size_t down_to);
    void macro_statement(SyntaxNode node);
    void macro_body();
    bool ends_in_open_body(SyntaxNode if_statement) const;
    bool is_macro_loop(SyntaxNode node) const;

    // ---- Expressions (flow_expressions.cpp). `wanted`: whether the derivative of what the value
    // goes into reaches it.
    void expression(SyntaxNode node, const DerivativeAnswer& wanted);
    void read_expression(SyntaxNode node, const DerivativeAnswer& wanted);
    void read_children(SyntaxNode node, const DerivativeAnswer& wanted);
    void condition(SyntaxNode node);
    void no_diff(SyntaxNode value, const DerivativeAnswer& wanted);
    /// With a conversion to `type`; "" if there is none.
    void value(SyntaxNode node, std::string_view type, const DerivativeAnswer& wanted);
    void list(SyntaxNode node, std::string_view type, const DerivativeAnswer& wanted);
    void unary(SyntaxNode node, const DerivativeAnswer& wanted);
    void binary(SyntaxNode node, const DerivativeAnswer& wanted);
    void conditional(SyntaxNode node, const DerivativeAnswer& wanted);
    void assignment(SyntaxNode node, const DerivativeAnswer& wanted);
    void update(SyntaxNode node, const DerivativeAnswer& wanted);
    void call(SyntaxNode node, const DerivativeAnswer& wanted);
    bool names_function(const Call& call) const;
    CallDerivative derivative_of(const Call& call, SyntaxNode receiver,
                                 const DerivativeAnswer& wanted);
    void lambda(SyntaxNode node);
    bool macro_name(SyntaxNode node);
    bool is_arithmetic_macro(const Call& call) const;
    bool only_computes(const Call& call) const;
    bool has_plain_arguments(const Call& call) const;

    // ---- Paths (flow_paths.cpp)

    /// A variable with members and subscripts, taken apart.
    struct Path {
        Index variable = none;
        SyntaxNode base; ///< what is no variable, where there is none
        std::vector<SyntaxNode>
            steps;               ///< member_expression, subscript_expression, `*p`: inner first
        bool is_generic = false; ///< a static member of a generic type: one of several variables
    };
    /// What values there have: a derivative or not, and their type, "" if not known.
    struct PathType {
        DerivativeAnswer answer;
        std::string type;
    };
    Path path_of(SyntaxNode node);
    void find_static_member(std::string_view name, Path& path);
    std::optional<StaticMember> static_member(std::string_view name, const Path& path) const;
    bool is_variable(std::string_view name) const;
    PathType type_of(const Path& path, SyntaxNode whole) const;
    PathType type_of_base(const Path& path) const;
    PathType type_of_step(PathType of, SyntaxNode step) const;
    PathType of_tensor(SyntaxNode step, const PathType& tensor) const;
    std::optional<Call> getter_of(SyntaxNode step) const;
    void read_getters(const Path& path, SyntaxNode node, DerivativeAnswer wanted);
    /// `getters`: what is known of those of the path's steps that call one.
    void read_indices(const Path& path, const std::map<Index, CallDerivative>& getters = {});
    void read_path(SyntaxNode node, const DerivativeAnswer& wanted);
    /// The definition, or none.
    Index write_path(const Path& path, SyntaxNode whole, DefinitionKind kind, bool may_stay);
    void called(const Call* call, SyntaxNode node,
                DerivativeUse derivative = DerivativeUse::unknown);

    /// As slangc sees it (line_splices.h). Nodes are the file's, or those of a macro's use while
    /// that is read.
    std::string_view text(SyntaxNode node) const;
    Site site(SyntaxNode node) const {
        return {file_, expanded_ ? expanded_->in_file(node.range()) : node.range()};
    }
    const Call* call_of(SyntaxNode node) const;

    struct CalledThere {
        Site site;
        Index loop = none;
        const Call* call = nullptr; ///< none: what is not known
        bool writes_globals = false, writes_fields = false, writes_object = false;
    };

    struct Target { ///< what break and continue lead to
        std::string label;
        BlockId after = 0;
        BlockId next = 0;
        bool is_loop = false;
        std::size_t deferred = 0; ///< how many stand outside of it
    };

    const ModuleModel& model_;
    const OwnDerivatives& own_;
    const GlobalWriter& may_write_;
    const StaticMembers& static_members_;
    const Index function_;
    FunctionFlow& flow_;
    const std::uint32_t file_;
    const DerivativeTypes types_;
    DerivativeAnswer body_; ///< whether any derivative goes through what is read
    FlowGraph graph_;
    BlockId block_ = 0;
    Index loop_ = none;
    int depth_ = 0;
    int in_try_ = 0;
    mutable std::deque<std::string> spliced_; ///< texts that are not in the file as they are
    std::string label_;                       ///< of the statement that comes next
    std::vector<std::pair<std::string, Index>> names_; ///< innermost last
    std::vector<std::pair<std::string, Index>> outside_;
    std::vector<Target> targets_;
    std::vector<SyntaxNode> deferred_;
    std::vector<CalledThere> calls_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Index> called_at_;
    std::map<std::pair<std::pair<std::uint32_t, std::uint32_t>, Index>, Index> use_at_;
    std::multimap<std::pair<std::uint32_t, std::uint32_t>, Index> local_at_;
    /// By place, variable and kind: what a macro holds of its own shares a place.
    std::map<std::tuple<std::uint32_t, std::uint32_t, Index, DefinitionKind>, Index> definition_at_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Call*> call_at_;
    std::map<Index, Site> values_;
    std::map<std::uint32_t, Index> loop_at_; ///< by keyword
    std::optional<BlockId> lambda_end_;      ///< what `return` leads to
    std::size_t lambda_deferred_ = 0;
    SyntaxNode macro_statement_;            ///< the use of a macro that is being read,
    const ExpandedUse* expanded_ = nullptr; ///< and what it stands for
};

} // namespace slimgrad
