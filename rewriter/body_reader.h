#pragma once

#include "rewriter/file_reader.h"
#include "rewriter/scoped_names.h"

#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// Reads one function's body into the model: loops, local variables, calls and accesses. What a
/// macro that begins a statement stands for is read in place of its use.
class BodyReader {
  public:
    BodyReader(FileReader& reader, Index function);
    void visit(SyntaxNode node);

  private:
    using Handler = void (BodyReader::*)(SyntaxNode);

    /// A statement that `break` can leave. What a macro opens is not known; it takes a `break` for
    /// itself.
    struct Breakable {
        Index loop = none; ///< none for a switch or a macro
        std::string label;
    };

    // ---- Statements (body_reader.cpp)
    void visit_node(SyntaxNode node);
    void visit_all(SyntaxNode node);
    void scope(SyntaxNode node);
    void switch_statement(SyntaxNode node);
    void case_clause(SyntaxNode node);
    void labeled_statement(SyntaxNode node);
    void for_statement(SyntaxNode node);
    void while_statement(SyntaxNode node);
    Index open_loop(SyntaxNode node);
    void place_macro_loop(Loop& loop, SyntaxNode node, SyntaxNode keyword);
    std::string type_of_counter(const Loop& loop) const;
    void close_loop(Index loop);
    void break_statement(SyntaxNode node);
    void leaving_statement(SyntaxNode node);
    void macro_statement(SyntaxNode node);
    void macro_body();
    void variables(SyntaxNode node);
    void condition_declaration(SyntaxNode node);
    void add_local(SyntaxNode name, const std::string& type, SyntaxNode value, bool is_const);
    Index find_local(const std::string& name) const;
    void catch_clause(SyntaxNode node);
    void add_parameters(SyntaxNode list);
    void type_alias(SyntaxNode node);

    // ---- Expressions (body_expressions.cpp)
    void lambda(SyntaxNode node);
    void assignment(SyntaxNode node);
    void update(SyntaxNode node);
    void unary(SyntaxNode node);
    void read(SyntaxNode node);
    void value_only(SyntaxNode node);
    void no_diff(SyntaxNode node);
    void derivative(SyntaxNode);
    void callee(SyntaxNode node, Call& call, SyntaxNode& receiver);
    Index add_call(SyntaxNode node, SyntaxNode& receiver);
    void call(SyntaxNode node);
    bool compares(SyntaxNode call) const;
    void derivatives_in_macro(SyntaxNode node);
    bool is_place(SyntaxNode node) const;
    void access(SyntaxNode node, AccessKind kind);
    void mark_counters(const Access& access);

    FileReader& reader_;
    ModuleModel& model_;
    const Index function_;
    Index loop_ = none;
    int depth_ = 0;
    bool in_target_switch_ = false;
    bool in_update_ = false;            ///< of a for loop
    std::string label_;                 ///< of the statement that comes next
    std::vector<Breakable> breakables_; ///< outermost first
    std::vector<ByteRange> exits_;      ///< of the loops around, as read_counted_loop tells them
    ScopedNames names_;                 ///< parameters are none
    std::pair<Index, std::uint32_t> argument_of_{
        none, 0}; ///< what the node that is visited next stands alone in
    Index receiver_of_ = none;
    ByteRange no_diff_call_{};
    SyntaxNode macro_statement_; ///< the use of a macro that is being read
};

} // namespace slimgrad
