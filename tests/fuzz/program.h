#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad::hunt {

/// Elements of gData and gWeights; the program's own integer is at most `most_count`.
constexpr int data_elements = 16;
constexpr int weight_elements = 6;
constexpr int most_count = 4;
/// Scalars that all parameters of the differentiated function have together at most.
constexpr int most_inputs = 12;

/// A type of a generated program. Reals are `float` or `double` when printed.
struct Type {
    enum class Kind { real, vector, matrix, array, structure, integer, boolean };
    Kind kind = Kind::real;
    int extent = 1; ///< components of a vector, rows and columns of a matrix, elements of an array;
                    ///< of a structure: which one

    friend bool operator==(const Type&, const Type&) = default;
};

/// What a structure is made of: reals and vectors, named m0, m1, ...
struct Structure {
    std::vector<Type> members;

    friend bool operator==(const Structure&, const Structure&) = default;
};

/// An expression with its operands: a value, so that a part of one can be moved into another.
struct Expression {
    enum class Kind {
        literal,   ///< `number`
        variable,  ///< `symbol`
        function,  ///< `name`(operands), a builtin function
        infix,     ///< (operand `name` operand)
        select,    ///< (condition ? operand : operand)
        call,      ///< operands go to the program's function `symbol`
        component, ///< `symbol` counts from x
        swizzle,   ///< `name`: "zxy"
        member,    ///< `symbol` counts the members
        element,   ///< operand[operand]
        construct, ///< of a vector, matrix, array or structure from its parts
        data,      ///< gData[operand]: carries no gradient
        weight,    ///< weight(operand): its custom derivative adds into a buffer
        custom,    ///< bend(operand): a custom derivative that gives its gradient back
        to_real,   ///< of an integer
        detached,  ///< detach(operand); the operand holds parameters and literals only
    };
    Kind kind = Kind::literal;
    Type type;
    int symbol = 0;
    double number = 0;
    std::string name;
    std::vector<Expression> operands;

    friend bool operator==(const Expression&, const Expression&) = default;
};

/// What stands above a loop.
struct LoopAttribute {
    enum class Kind { none, max_iters, force_unroll };
    Kind kind = Kind::none;
    int bound = 0; ///< of max_iters

    friend bool operator==(const LoopAttribute&, const LoopAttribute&) = default;
};

/// A loop that counts: it makes `trips` trips unless its limit is a variable or it is left early.
struct Loop {
    enum class Limit {
        literal,  ///< 7
        constant, ///< a static const
        variable, ///< `limit`, an integer of the function that is at most `trips`
    };
    int counter = 0; ///< its symbol
    int step = 1;    ///< always 1 where the limit is a variable
    int trips = 1;
    Limit limit_kind = Limit::literal;
    int limit = 0; ///< a symbol
    bool is_while = false;
    bool downwards = false; ///< from the limit to 1; step 1, `for` only
    LoopAttribute attribute;

    /// Slang finds out by itself how many trips it makes.
    bool has_inferred_bound() const { return !is_while && limit_kind != Limit::variable; }

    friend bool operator==(const Loop&, const Loop&) = default;
};

struct Statement {
    enum class Kind {
        declare, ///< of `symbol` with `value`
        assign,  ///< `value` to `target`
        call,    ///< of a function without a result: `value`
        branch,  ///< if (`value`) `body` else `otherwise`
        loop,    ///< `loop` with `body`
        leave,   ///< break
        give,    ///< return `value`, before the function's end
    };
    Kind kind = Kind::declare;
    int symbol = 0;
    Expression target, value;
    Loop loop;
    std::vector<Statement> body, otherwise;

    friend bool operator==(const Statement&, const Statement&) = default;
};

struct Parameter {
    int symbol = 0;
    Type type;
    bool no_diff = false; ///< integers always are
    bool in_out = false;
    int largest = most_count; ///< of an integer: what it is given at most; never below 0

    friend bool operator==(const Parameter&, const Parameter&) = default;
};

enum class Preference { none, recompute, checkpoint };

/// A [Differentiable] function. Symbols are its own: variables and parameters share one numbering.
struct Function {
    std::vector<Parameter> parameters;
    bool has_result = true;
    std::vector<Statement> body;
    Expression result; ///< returned at the end
    Preference preference = Preference::none;

    friend bool operator==(const Function&, const Function&) = default;
};

/// A program: the last function is the one that is differentiated. It takes reals, vectors and
/// at most one integer, and gives a real. A function calls only those before it.
struct Program {
    std::vector<Structure> structures;
    std::vector<Function> functions;

    friend bool operator==(const Program&, const Program&) = default;
};

/// Scalars of a parameter of the differentiated function.
int scalar_count(const Type& type);
/// All real inputs of the program in order of its parameters.
int input_count(const Program& program);

/// Whether every name is declared before it is used, in scope and with the same type, every call
/// has its arguments, and every index and `break` is where it can be. What holds for every
/// generated program and may not for one with a part taken out.
bool is_well_formed(const Program& program);

/// How large a program is: statements and expressions, for the reducer.
int size_of(const Program& program);

/// A symbol that the function does not use yet.
int unused_symbol(const Function& function);

/// Calls visit(Expression&) for every expression of the statements, operands included, outer first.
template <class Statements, class Visit> void each_expression(Statements& statements, Visit visit);
/// The same for one expression.
template <class Tree, class Visit> void each_part(Tree& expression, Visit visit) {
    visit(expression);
    for (auto& operand : expression.operands)
        each_part(operand, visit);
}

template <class Statements, class Visit> void each_expression(Statements& statements, Visit visit) {
    for (auto& statement : statements) {
        if (statement.kind == Statement::Kind::assign)
            each_part(statement.target, visit);
        if (statement.kind != Statement::Kind::loop && statement.kind != Statement::Kind::leave)
            each_part(statement.value, visit);
        each_expression(statement.body, visit);
        each_expression(statement.otherwise, visit);
    }
}

/// Calls visit(Statement&) for every statement, outer first.
template <class Statements, class Visit> void each_statement(Statements& statements, Visit visit) {
    for (auto& statement : statements) {
        visit(statement);
        each_statement(statement.body, visit);
        each_statement(statement.otherwise, visit);
    }
}

// How programs are put together.
inline constexpr Type real_type{Type::Kind::real, 1};
inline constexpr Type integer_type{Type::Kind::integer, 1};
inline constexpr Type boolean_type{Type::Kind::boolean, 1};
Expression real_literal(double value);
Expression integer_literal(int value);
Expression variable(int symbol, Type type);
Expression infix(std::string name, Expression left, Expression right, Type type);
Expression function(std::string name, std::vector<Expression> operands, Type type);
Statement declare(int symbol, Expression value);
Statement assign(Expression target, Expression value);

} // namespace slimgrad::hunt
