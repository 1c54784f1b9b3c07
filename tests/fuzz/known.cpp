#include "tests/fuzz/known.h"

#include <algorithm>
#include <map>
#include <vector>

namespace slimgrad::hunt {
namespace {

using EK = Expression::Kind;
using SK = Statement::Kind;
using TK = Type::Kind;

bool is_rolled_loop(const Statement& statement) {
    return statement.kind == SK::loop &&
           statement.loop.attribute.kind != LoopAttribute::Kind::force_unroll;
}

/// What decides how many elements slangc stores for a loop. A `while` loop with the same attribute
/// gets one fewer than a `for` loop: its condition is tested once before it.
struct Bound {
    int trips = 0; ///< 0: no loop
    bool is_while = false;

    friend bool operator==(const Bound&, const Bound&) = default;
};

/// `around`: of the loop around that is not unrolled.
bool has_unequal_nest(const std::vector<Statement>& statements, Bound around) {
    for (const Statement& statement : statements) {
        Bound bound = around;
        if (is_rolled_loop(statement)) {
            const LoopAttribute& attribute = statement.loop.attribute;
            bound = {attribute.kind == LoopAttribute::Kind::max_iters ? attribute.bound
                                                                      : statement.loop.trips,
                     statement.loop.is_while};
            if (around.trips != 0 && around != bound)
                return true;
        }
        if (has_unequal_nest(statement.body, bound) || has_unequal_nest(statement.otherwise, bound))
            return true;
    }
    return false;
}

/// Whether the value may be a variable as it is: slangc adds 0 and multiplies with 1 by itself.
bool is_bare(const Expression& expression) {
    switch (expression.kind) {
    case EK::variable:
    case EK::member:
    case EK::element:
    case EK::component:
        return true;
    case EK::infix:
        return std::all_of(expression.operands.begin(), expression.operands.end(),
                           [](const Expression& e) { return e.kind == EK::literal || is_bare(e); });
    default:
        return false;
    }
}

bool is_scaled_by_bare(const Expression& e) {
    if (e.kind != EK::infix || (e.name != "*" && e.name != "/") ||
        (e.type.kind != TK::vector && e.type.kind != TK::matrix))
        return false;
    return std::any_of(e.operands.begin(), e.operands.end(), [](const Expression& operand) {
        return operand.type == real_type && is_bare(operand);
    });
}

bool has_carried_factor(const Function& function) {
    bool loops = false, scaled = false;
    each_statement(function.body,
                   [&](const Statement& statement) { loops |= is_rolled_loop(statement); });
    const auto look = [&](const Expression& expression) {
        scaled |= is_scaled_by_bare(expression);
    };
    each_expression(function.body, look);
    each_part(function.result, look);
    return loops && scaled;
}

bool has_loop_in_while(const Function& function) {
    bool found = false;
    each_statement(function.body, [&](const Statement& statement) {
        if (is_rolled_loop(statement) && statement.loop.is_while)
            found |= std::any_of(statement.body.begin(), statement.body.end(), is_rolled_loop);
    });
    return found;
}

} // namespace

/// Whether `break` leaves the loop that these are in, or `return` the function.
bool is_left(const std::vector<Statement>& statements, bool by_break) {
    return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
        const bool inner = by_break && statement.kind != SK::loop;
        return statement.kind == SK::give || (by_break && statement.kind == SK::leave) ||
               is_left(statement.body, inner) || is_left(statement.otherwise, inner);
    });
}

bool has_left_while(const Function& function) {
    bool found = false;
    each_statement(function.body, [&](const Statement& statement) {
        found |=
            is_rolled_loop(statement) && statement.loop.is_while && is_left(statement.body, true);
    });
    return found;
}

bool has_one_element_twice(const Function& function) {
    std::map<int, std::vector<const Expression*>> indices; // by array
    const auto look = [&](const Expression& e) {
        if (e.kind != EK::element || e.operands[0].kind != EK::variable)
            return;
        std::vector<const Expression*>& known = indices[e.operands[0].symbol];
        if (std::none_of(known.begin(), known.end(),
                         [&](const Expression* index) { return *index == e.operands[1]; }))
            known.push_back(&e.operands[1]);
    };
    each_expression(function.body, look);
    each_part(function.result, look);
    return std::any_of(indices.begin(), indices.end(), [](const auto& array) {
        return array.second.size() > 1 &&
               std::any_of(array.second.begin(), array.second.end(),
                           [](const Expression* index) { return index->kind != EK::literal; });
    });
}

std::string_view to_string(Known known) {
    switch (known) {
    case Known::unequal_bounds:
        return "unequal-bounds";
    case Known::carried_factor:
        return "carried-factor";
    case Known::loop_in_while:
        return "loop-in-while";
    case Known::left_while:
        return "left-while";
    case Known::one_element_twice:
        return "one-element-twice";
    }
    return "";
}

std::set<Known> known_shapes(const Program& program) {
    std::set<Known> shapes;
    for (const Function& function : program.functions) {
        if (has_unequal_nest(function.body, {}))
            shapes.insert(Known::unequal_bounds);
        if (has_carried_factor(function))
            shapes.insert(Known::carried_factor);
        if (has_loop_in_while(function))
            shapes.insert(Known::loop_in_while);
        if (has_left_while(function))
            shapes.insert(Known::left_while);
        if (has_one_element_twice(function))
            shapes.insert(Known::one_element_twice);
    }
    return shapes;
}

std::string to_string(const std::set<Known>& shapes) {
    std::string text;
    for (const Known known : shapes)
        text += (text.empty() ? "" : ", ") + std::string(to_string(known));
    return text;
}

} // namespace slimgrad::hunt
