#pragma once

#include "tests/fuzz/expression_writer.h"

#include <optional>

namespace slimgrad::hunt {

/// Writes the statements of one function.
class FunctionWriter {
  public:
    /// `costs`: what a call of each function costs.
    FunctionWriter(Random& random, const Program& program, const std::vector<int>& costs)
        : random_(random), program_(program), expressions_(random, program, costs) {}

    /// The last function, the one that is differentiated.
    Function root();
    Function helper();
    /// Evaluations of an expression that a call of the function takes, about.
    int cost() const { return expressions_.cost(); }

  private:
    void parameter(Function& function, Type type, bool in_out = false);
    void states(Function& function, int count);
    /// `depth`: loops around; `around`: trips of the innermost of them, 0 for none.
    void statements(std::vector<Statement>& body, int count, int depth, int around);
    void loop(std::vector<Statement>& body, int depth, int around);
    void branch(std::vector<Statement>& body, int depth, int around);
    void call_or_assign(std::vector<Statement>& body);
    bool call(std::vector<Statement>& body);
    /// What an assignment to the variable can change. Nothing: nothing of it.
    std::optional<Expression> place_of(const Variable& variable);
    /// A variable beside those that are in scope.
    Variable state(int symbol, const Type& type);

    Random& random_;
    const Program& program_;
    ExpressionWriter expressions_;
    int next_symbol_ = 0;
    int statements_left_ = 8; ///< keeps functions readable
    int deepest_ = 0;         ///< loops around each other at most
    bool is_helper_ = false;
    bool may_give_ = false;
    Type result_;
};

} // namespace slimgrad::hunt
