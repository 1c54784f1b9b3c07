#include "tests/fuzz/function_writer.h"

#include <algorithm>

namespace slimgrad::hunt {
namespace {

using EK = Expression::Kind;
using SK = Statement::Kind;
using TK = Type::Kind;

/// a * b for what both sides of an assignment are scaled with.
Expression scaled(double by, Expression e) {
    const Type type = e.type;
    return infix("*", std::move(e), real_literal(by), type);
}

Statement branch_on(Expression condition, std::vector<Statement> body) {
    Statement result;
    result.kind = SK::branch;
    result.value = std::move(condition);
    result.body = std::move(body);
    return result;
}

Statement leave() {
    Statement result;
    result.kind = SK::leave;
    return result;
}

} // namespace

void FunctionWriter::parameter(Function& function, Type type, bool in_out) {
    Parameter parameter;
    parameter.symbol = next_symbol_++;
    parameter.type = type;
    parameter.in_out = in_out;
    parameter.no_diff = is_helper_ && type == real_type && !in_out &&
                        !function.parameters.empty() && random_.chance(15);
    expressions_.scope.push_back({parameter.symbol, type, in_out, parameter.largest,
                                  type.kind == TK::array || random_.chance(40)});
    function.parameters.push_back(parameter);
}

Function FunctionWriter::root() {
    Function function;
    deepest_ = 3;
    result_ = real_type;
    may_give_ = random_.chance(8);
    int inputs = random_.between(2, 5);
    for (int i = 0; i < inputs && i < 4; ++i)
        parameter(function,
                  random_.chance(65) ? real_type : Type{TK::vector, random_.between(2, 3)});
    if (random_.chance(50))
        parameter(function, integer_type);
    states(function, random_.between(1, 3));
    statements(function.body, random_.between(1, 3), 0, 0);

    // Every variable takes part, so that few are dead.
    Expression sum = expressions_.write(real_type, 1);
    const std::vector<Variable> all = expressions_.scope;
    for (const Variable& each : all) {
        if (!each.writable || each.type == boolean_type || each.type.kind == TK::matrix ||
            random_.chance(15))
            continue;
        Expression term = variable(each.symbol, each.type);
        if (each.type.kind == TK::vector) {
            if (random_.chance(40))
                term = infix("*", std::move(term), expressions_.factor(0), each.type);
            term = slimgrad::hunt::function(
                "dot", {std::move(term), expressions_.write(each.type, 0)}, real_type);
        } else if (each.type.kind != TK::real) {
            expressions_.scope = {each};
            term = expressions_.write(real_type, 0);
            expressions_.scope = all;
        }
        sum = infix(random_.pick({"+", "-", "+"}), std::move(sum),
                    infix("*", std::move(term), random_literal(random_), real_type), real_type);
    }
    if (random_.chance(15))
        sum = infix("+", std::move(sum),
                    infix("*", expressions_.detached(function.parameters),
                          expressions_.write(real_type, 1), real_type),
                    real_type);
    function.result = std::move(sum);
    return function;
}

Function FunctionWriter::helper() {
    Function function;
    is_helper_ = true;
    statements_left_ = 4;
    deepest_ = random_.chance(55) ? 0 : random_.between(1, 2);
    may_give_ = random_.chance(5);
    const int count = random_.between(1, 3);
    for (int i = 0; i < count; ++i) {
        switch (random_.below(8)) {
        case 0:
            parameter(function, {TK::array, random_.between(2, 4)});
            break;
        case 1:
        case 2:
            parameter(function, {TK::vector, random_.between(2, 3)});
            break;
        case 3:
            if (!program_.structures.empty()) {
                parameter(function, {TK::structure,
                                     random_.below(static_cast<int>(program_.structures.size()))});
                break;
            }
            [[fallthrough]];
        default:
            parameter(function, real_type);
        }
    }
    if (random_.chance(40))
        parameter(function, integer_type);
    if (random_.chance(15)) { // changes a variable of its caller instead
        function.has_result = false;
        may_give_ = false;
        parameter(function,
                  random_.pick({real_type, real_type, Type{TK::vector, 3}, Type{TK::array, 3}}),
                  true);
        statements(function.body, random_.between(1, 3), 0, 0);
        return function;
    }
    result_ = random_.chance(70) ? real_type : Type{TK::vector, random_.between(2, 3)};
    if (!program_.structures.empty() && random_.chance(12))
        result_ = {TK::structure, random_.below(static_cast<int>(program_.structures.size()))};
    if (result_.kind == TK::structure)
        may_give_ = false;
    states(function, deepest_ > 0 ? random_.between(1, 2) : random_.below(2));
    if (!expressions_.scope.empty() && (deepest_ > 0 || random_.chance(40)))
        statements(function.body, random_.between(1, 2), 0, 0);
    if (result_.kind == TK::structure) {
        const int symbol = next_symbol_++;
        function.body.push_back(declare(symbol, expressions_.write(result_, 1)));
        if (function.body.back().value.kind == EK::variable) { // of a parameter: nothing to declare
            function.result = function.body.back().value;
            function.body.pop_back();
        } else {
            function.result = variable(symbol, result_);
        }
    } else {
        function.result = expressions_.squashed(result_, 2);
        for (const Variable& each : expressions_.scope)
            if (each.writable && each.type == result_)
                function.result = infix("+", std::move(function.result),
                                        scaled(0.5, variable(each.symbol, each.type)), result_);
    }
    return function;
}

void FunctionWriter::states(Function& function, int count) {
    for (int i = 0; i < count; ++i) {
        Type type = real_type;
        switch (random_.below(10)) {
        case 0:
        case 1:
        case 2:
            type = {TK::vector, random_.between(2, 4)};
            break;
        case 3:
            type = {TK::array, random_.between(2, 4)};
            break;
        case 4:
            if (!program_.structures.empty())
                type = {TK::structure, random_.below(static_cast<int>(program_.structures.size()))};
            break;
        case 5:
            type = {TK::matrix, random_.between(2, 3)};
            break;
        default:
            break;
        }
        Expression value = random_.chance(25) && type == real_type ? real_literal(0.0)
                                                                   : expressions_.write(type, 1);
        const int symbol = next_symbol_++;
        function.body.push_back(declare(symbol, std::move(value)));
        expressions_.scope.push_back(state(symbol, type));
    }
}

Variable FunctionWriter::state(int symbol, const Type& type) {
    bool beside = false, beside_parts = false;
    for (const Variable& other : expressions_.scope)
        if (other.writable && other.type == type) {
            beside = true;
            beside_parts |= other.by_parts;
        }
    // Two that change in a loop, one of them in part, would mostly be a known miscompile.
    Variable result{symbol, type, !beside_parts || random_.chance(6), 0, false};
    if (type.kind == TK::vector)
        result.by_parts = random_.chance(beside ? 3 : 35);
    else if (type.kind == TK::array)
        result.by_parts = random_.chance(beside ? 6 : 80);
    else if (type.kind == TK::structure) {
        result.by_parts = true;
        result.writable = !beside || random_.chance(6);
    }
    return result;
}

void FunctionWriter::statements(std::vector<Statement>& body, int count, int depth, int around) {
    for (int i = 0; i < count && statements_left_ > 0; ++i, --statements_left_) {
        const int kind = random_.below(10);
        if (kind < (depth == 0 ? 6 : 4) && depth < deepest_)
            loop(body, depth, around);
        else if (kind < 8 && kind >= 6)
            branch(body, depth, around);
        else
            call_or_assign(body);
    }
}

void FunctionWriter::loop(std::vector<Statement>& body, int depth, int around) {
    Statement statement;
    statement.kind = SK::loop;
    Loop& loop = statement.loop;
    // Mostly as many trips as the loop around or a few less: where the bounds are other ones, only
    // the variants that make them equal are not known to be miscompiled.
    loop.trips = random_.between(2, 5);
    if (around > 0 && random_.chance(75))
        loop.trips = std::max(around - (random_.chance(55) ? 0 : random_.between(1, 2)), 1);
    std::vector<Variable> limits;
    for (const Variable& variable : expressions_.scope)
        if (variable.type == integer_type && variable.largest >= 2 && variable.largest <= 5 &&
            (around == 0 || variable.largest <= around || random_.chance(25)))
            limits.push_back(variable);
    if (!limits.empty() && random_.chance(25)) {
        const Variable& limit = random_.pick(limits);
        loop.limit_kind = Loop::Limit::variable;
        loop.limit = limit.symbol;
        loop.trips = limit.largest;
    } else {
        if (random_.chance(25))
            loop.limit_kind = Loop::Limit::constant;
        if (random_.chance(15))
            loop.step = 2;
        else if (random_.chance(15))
            loop.downwards = true;
    }
    if (expressions_.trips * loop.trips > 80)
        return call_or_assign(body);
    loop.counter = next_symbol_++;
    const auto outer = expressions_.scope;
    int flag = -1;
    if (random_.chance(10)) {
        flag = next_symbol_++;
        body.push_back(
            declare(flag, infix(">", real_literal(0.0), real_literal(1.0), boolean_type)));
        statement.body.push_back(branch_on(variable(flag, boolean_type), {leave()}));
    }
    expressions_.scope.push_back({loop.counter, integer_type, false,
                                  loop.downwards ? loop.trips : (loop.trips - 1) * loop.step});
    expressions_.trips *= loop.trips;
    if (random_.chance(20)) {
        const int symbol = next_symbol_++; // a variable of the body
        statement.body.push_back(declare(symbol, expressions_.write(real_type, 1)));
        expressions_.scope.push_back({symbol, real_type, true, 0});
    }
    if (flag < 0 && random_.chance(12))
        statement.body.push_back(branch_on(expressions_.condition(), {leave()}));
    statements(statement.body, random_.between(1, 2), depth + 1, loop.trips);
    if (depth == 0 || random_.chance(50))
        call_or_assign(statement.body); // so that something is carried
    if (flag >= 0)
        statement.body.push_back(
            branch_on(expressions_.condition(),
                      {assign(variable(flag, boolean_type),
                              infix("<", real_literal(0.0), real_literal(1.0), boolean_type))}));
    // Neither left nor around another loop: as a `while` that would be a known miscompile.
    bool plain = true;
    each_statement(statement.body, [&](const Statement& inner) {
        plain &= inner.kind != SK::loop && inner.kind != SK::leave && inner.kind != SK::give;
    });
    loop.is_while = !loop.downwards && random_.chance(!plain ? 3 : depth == 0 ? 40 : 15);
    expressions_.trips /= loop.trips;
    expressions_.scope = outer;
    body.push_back(std::move(statement));
}

void FunctionWriter::branch(std::vector<Statement>& body, int depth, int around) {
    Statement statement = branch_on(expressions_.condition(), {});
    if (may_give_ && random_.chance(30)) {
        Statement give;
        give.kind = SK::give;
        give.value = expressions_.squashed(result_, 1);
        statement.body.push_back(std::move(give));
    } else {
        statements(statement.body, random_.between(1, 2), depth, around);
        if (random_.chance(50))
            statements(statement.otherwise, 1, depth, around);
    }
    body.push_back(std::move(statement));
}

bool FunctionWriter::call(std::vector<Statement>& body) {
    std::vector<int> without_result;
    for (std::size_t i = 0; i < program_.functions.size(); ++i)
        if (!program_.functions[i].has_result)
            without_result.push_back(static_cast<int>(i));
    if (without_result.empty())
        return false;
    Statement statement;
    statement.kind = SK::call;
    statement.value.kind = EK::call;
    statement.value.symbol = random_.pick(without_result);
    if (!expressions_.arguments(statement.value.symbol, 1, statement.value))
        return false;
    body.push_back(std::move(statement));
    return true;
}

std::optional<Expression> FunctionWriter::place_of(const Variable& variable) {
    Expression whole = slimgrad::hunt::variable(variable.symbol, variable.type);
    Expression part;
    part.type = real_type;
    switch (variable.type.kind) {
    case TK::vector:
        if (!variable.by_parts)
            return whole;
        part.kind = EK::component;
        part.symbol = random_.below(variable.type.extent);
        break;
    case TK::array:
        return variable.by_parts ? expressions_.element(variable) : std::nullopt;
    case TK::structure: {
        const auto& members =
            program_.structures[static_cast<std::size_t>(variable.type.extent)].members;
        part.kind = EK::member;
        part.symbol = random_.below(static_cast<int>(members.size()));
        part.type = members[static_cast<std::size_t>(part.symbol)];
        break;
    }
    default:
        return whole;
    }
    part.operands.push_back(std::move(whole));
    return part;
}

void FunctionWriter::call_or_assign(std::vector<Statement>& body) {
    if (random_.chance(15) && call(body))
        return;
    std::vector<Variable> targets;
    for (const Variable& variable : expressions_.scope)
        if (variable.writable && variable.type != boolean_type)
            targets.push_back(variable);
    std::optional<Expression> place;
    while (!place && !targets.empty()) {
        const auto at = random_.below(static_cast<int>(targets.size()));
        place = place_of(targets[static_cast<std::size_t>(at)]);
        targets.erase(targets.begin() + at);
    }
    if (!place) {
        const int symbol = next_symbol_++;
        body.push_back(declare(symbol, expressions_.write(real_type, 1)));
        // Not in scope afterwards: `body` may end before the function does.
        return;
    }
    Expression target = std::move(*place);
    const Type type = target.type;
    Expression value = expressions_.squashed(type, random_.between(0, 2));
    switch (random_.below(4)) {
    case 0: // loses what it was
        break;
    case 1:
        value = infix("+", target, scaled(random_.pick({0.25, -0.5}), std::move(value)), type);
        break;
    default:
        value = infix("+", scaled(random_.pick({0.5, 0.75}), target),
                      scaled(random_.pick({0.25, 0.5, -0.5}), std::move(value)), type);
    }
    body.push_back(assign(std::move(target), std::move(value)));
}

} // namespace slimgrad::hunt
