#pragma once

#include "tests/fuzz/program.h"
#include "tests/fuzz/random.h"

#include <map>
#include <optional>
#include <vector>

namespace slimgrad::hunt {

/// A variable or parameter that is in scope.
struct Variable {
    int symbol = 0;
    Type type;
    bool writable = false;
    int largest = 0;       ///< of an integer
    bool by_parts = false; ///< assigned by component, element or member, never as a whole
};

/// Writes random expressions over what is in scope, bounded by about 2 where the variables are.
class ExpressionWriter {
  public:
    /// Evaluations that a whole program may take: keeps gradients finite and the hunt quick.
    static constexpr int most_cost = 4000;

    ExpressionWriter(Random& random, const Program& program, const std::vector<int>& costs)
        : random_(random), program_(program), costs_(costs) {}

    Expression write(const Type& type, int depth);
    /// In [-1, 1] but for integers and literals within; what assignments add to a variable.
    Expression squashed(const Type& type, int depth);
    Expression condition();
    /// A real for a vector or matrix to be multiplied with.
    Expression factor(int depth);
    /// A non-negative integer below `limit`.
    Expression index(int limit);
    /// array[index], mostly with the index that the array had before: another one nearby would be a
    /// known miscompile. Nothing: that index is out of scope.
    std::optional<Expression> element(const Variable& array);
    /// detach(e) of a parameter; a literal if there is none. At the end of the program's last
    /// function only.
    Expression detached(const std::vector<Parameter>& parameters);
    /// A call with a result of this type, if one can be paid for.
    bool call(const Type& type, int depth, Expression& result);
    /// Arguments of a call; false: there is no variable for an inout parameter, or too dear.
    bool arguments(int function, int depth, Expression& call);

    std::vector<Variable> scope;
    int trips = 1; ///< of the loops around, multiplied
    int cost() const { return cost_; }

  private:
    Expression real(int depth);
    Expression real_leaf();
    Expression vector(const Type& type, int depth);
    Expression matrix(const Type& type, int depth);
    Expression construct(const Type& type, int depth);
    const Variable* any(const Type& type);
    /// For an inout parameter.
    const Variable* any_changeable(const Type& type);

    Random& random_;
    const Program& program_;
    const std::vector<int>& costs_;
    int cost_ = 0;
    std::map<int, Expression> indices_; ///< last one by array
};

/// A literal that `float` holds exactly, from -1 to 1 and not 0.
Expression random_literal(Random& random);

} // namespace slimgrad::hunt
