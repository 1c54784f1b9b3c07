#include "tests/fuzz/expression_writer.h"

#include <algorithm>

namespace slimgrad::hunt {
namespace {

using EK = Expression::Kind;
using TK = Type::Kind;

Expression part(EK kind, Type type, int symbol, Expression of) {
    Expression result;
    result.kind = kind;
    result.type = type;
    result.symbol = symbol;
    result.operands.push_back(std::move(of));
    return result;
}

/// 1.5 + sin(e): between 0.5 and 2.5.
Expression divisor(Expression e) {
    return infix("+", real_literal(1.5), function("sin", {std::move(e)}, real_type), real_type);
}

} // namespace

Expression random_literal(Random& random) {
    const int eighths = random.between(1, 8);
    return real_literal((random.chance(50) ? 1 : -1) * eighths / 8.0);
}

const Variable* ExpressionWriter::any(const Type& type) {
    std::vector<const Variable*> fitting;
    for (const Variable& variable : scope)
        if (variable.type == type)
            fitting.push_back(&variable);
    return fitting.empty() ? nullptr : random_.pick(fitting);
}

const Variable* ExpressionWriter::any_changeable(const Type& type) {
    std::vector<const Variable*> fitting;
    for (const Variable& variable : scope)
        // In a loop that also assigns its parts it would be a known miscompile.
        if (variable.type == type && variable.writable && (!variable.by_parts || trips == 1))
            fitting.push_back(&variable);
    return fitting.empty() ? nullptr : random_.pick(fitting);
}

Expression ExpressionWriter::index(int limit) {
    std::vector<const Variable*> integers;
    for (const Variable& variable : scope)
        if (variable.type == integer_type)
            integers.push_back(&variable);
    if (integers.empty() || random_.chance(25))
        return integer_literal(random_.below(limit));
    const Variable& chosen = *random_.pick(integers);
    Expression result = variable(chosen.symbol, integer_type);
    int largest = chosen.largest;
    if (random_.chance(20)) {
        result = infix("*", std::move(result), integer_literal(2), integer_type);
        largest *= 2;
    }
    if (random_.chance(30)) {
        const Variable& other = *random_.pick(integers);
        result = infix("+", std::move(result), variable(other.symbol, integer_type), integer_type);
        largest += other.largest;
    } else if (random_.chance(30)) {
        const int more = random_.between(1, 3);
        result = infix("+", std::move(result), integer_literal(more), integer_type);
        largest += more;
    }
    if (largest < limit)
        return result;
    return infix("%", std::move(result), integer_literal(limit), integer_type);
}

std::optional<Expression> ExpressionWriter::element(const Variable& array) {
    const auto at = [&](Expression index) {
        Expression result = part(EK::element, real_type, 0, variable(array.symbol, array.type));
        result.operands.push_back(std::move(index));
        return result;
    };
    const auto known = indices_.find(array.symbol);
    if (known == indices_.end() || random_.chance(4)) {
        Expression index = random_.chance(50) ? integer_literal(random_.below(array.type.extent))
                                              : this->index(array.type.extent);
        return at(indices_[array.symbol] = std::move(index));
    }
    if (known->second.kind == EK::literal)
        return at(integer_literal(random_.below(array.type.extent)));
    bool in_scope = true;
    each_part(known->second, [&](const Expression& part) {
        in_scope &= part.kind != EK::variable ||
                    std::any_of(scope.begin(), scope.end(), [&](const Variable& variable) {
                        return variable.symbol == part.symbol;
                    });
    });
    return in_scope ? std::optional(at(known->second)) : std::nullopt;
}

Expression ExpressionWriter::condition() {
    const Variable* integer = any(integer_type);
    if (integer && random_.chance(35)) {
        Expression value = variable(integer->symbol, integer_type);
        if (random_.chance(50))
            return infix("==", infix("%", std::move(value), integer_literal(2), integer_type),
                         integer_literal(random_.below(2)), boolean_type);
        return infix(random_.pick({"<", ">"}), std::move(value),
                     integer_literal(random_.between(0, 2)), boolean_type);
    }
    // Thresholds that no constant of a program comes to lie on.
    const double threshold = random_.pick({-0.34375, -0.09375, 0.15625, 0.40625, 0.71875});
    return infix(random_.pick({"<", ">"}), real(1), real_literal(threshold), boolean_type);
}

Expression ExpressionWriter::real_leaf() {
    switch (random_.below(12)) {
    case 0:
        return random_literal(random_);
    case 1:
        if (const Variable* integer = any(integer_type))
            return infix("*", real_literal(0.125),
                         part(EK::to_real, real_type, 0, variable(integer->symbol, integer_type)),
                         real_type);
        break;
    case 2:
        return part(EK::data, real_type, 0, index(data_elements));
    case 3:
        return part(EK::weight, real_type, 0, index(weight_elements));
    default:
        break;
    }
    std::vector<const Variable*> fitting;
    for (const Variable& variable : scope)
        if (variable.type.kind != TK::integer && variable.type.kind != TK::boolean &&
            variable.type.kind != TK::matrix)
            fitting.push_back(&variable);
    if (fitting.empty())
        return random_literal(random_);
    const Variable& chosen = *random_.pick(fitting);
    Expression whole = variable(chosen.symbol, chosen.type);
    switch (chosen.type.kind) {
    case TK::vector:
        return part(EK::component, real_type, random_.below(chosen.type.extent), std::move(whole));
    case TK::array:
        if (std::optional<Expression> element = this->element(chosen))
            return std::move(*element);
        return random_literal(random_);
    case TK::structure: {
        const auto& members =
            program_.structures[static_cast<std::size_t>(chosen.type.extent)].members;
        const int which = random_.below(static_cast<int>(members.size()));
        const Type type = members[static_cast<std::size_t>(which)];
        Expression member = part(EK::member, type, which, std::move(whole));
        if (type == real_type)
            return member;
        return part(EK::component, real_type, random_.below(type.extent), std::move(member));
    }
    default:
        return whole;
    }
}

Expression ExpressionWriter::real(int depth) {
    cost_ += trips;
    if (depth <= 0)
        return real_leaf();
    switch (random_.below(20)) {
    case 0:
    case 1:
        return function("sin", {real(depth - 1)}, real_type);
    case 2:
        return function(random_.pick({"cos", "tanh"}), {real(depth - 1)}, real_type);
    case 3:
    case 4:
    case 5:
        return infix("*", real(depth - 1), real(depth - 1), real_type);
    case 6:
    case 7:
    case 8:
        return infix(random_.pick({"+", "-"}), real(depth - 1), real(depth - 1), real_type);
    case 9:
        return infix("/", real(depth - 1), divisor(real(depth - 1)), real_type);
    case 10:
        return function("sqrt", {divisor(real(depth - 1))}, real_type);
    case 11: {
        const Type type{TK::vector, random_.between(2, 4)};
        return function("dot", {vector(type, depth - 1), vector(type, 0)}, real_type);
    }
    case 12: {
        Expression result = part(EK::select, real_type, 0, condition());
        result.operands.push_back(real(depth - 1));
        result.operands.push_back(real(depth - 1));
        return result;
    }
    case 13:
        return part(EK::custom, real_type, 0, real(depth - 1));
    case 14:
        return part(EK::weight, real_type, 0, index(weight_elements));
    case 15:
    case 16:
    case 17:
        if (Expression result; call(real_type, depth - 1, result))
            return result;
        return function("sin", {real(depth - 1)}, real_type);
    default:
        return real_leaf();
    }
}

/// Mostly not a variable by itself: one that a loop carries would be a known miscompile.
Expression ExpressionWriter::factor(int depth) {
    return random_.chance(8) ? real(depth)
                             : function(random_.pick({"sin", "cos"}), {real(depth)}, real_type);
}

Expression ExpressionWriter::construct(const Type& type, int depth) {
    Expression result;
    result.kind = EK::construct;
    result.type = type;
    if (type.kind == TK::structure) {
        for (const Type& member :
             program_.structures[static_cast<std::size_t>(type.extent)].members)
            result.operands.push_back(write(member, depth));
        return result;
    }
    const int count = type.kind == TK::matrix ? type.extent * type.extent : type.extent;
    for (int i = 0; i < count; ++i)
        result.operands.push_back(real(i == 0 ? depth : 0));
    return result;
}

Expression ExpressionWriter::vector(const Type& type, int depth) {
    cost_ += trips;
    const Variable* variable_of_type = any(type);
    if (depth <= 0) {
        if (!variable_of_type || random_.chance(20))
            return construct(type, 0);
        return variable(variable_of_type->symbol, type);
    }
    switch (random_.below(10)) {
    case 0:
        return function("sin", {vector(type, depth - 1)}, type);
    case 1:
        return infix("*", vector(type, depth - 1), vector(type, depth - 1), type);
    case 2:
    case 3:
        return infix(random_.pick({"+", "-"}), vector(type, depth - 1), vector(type, depth - 1),
                     type);
    case 4:
        return infix("*", vector(type, depth - 1), factor(depth - 1), type);
    case 5:
        return infix("/", vector(type, depth - 1), divisor(real(depth - 1)), type);
    case 6: {
        Expression result = part(EK::swizzle, type, 0, vector(type, depth - 1));
        for (int i = 0; i < type.extent; ++i)
            result.name += "xyzw"[random_.below(type.extent)];
        return result;
    }
    case 7:
        if (Expression result; call(type, depth - 1, result))
            return result;
        return construct(type, depth - 1);
    case 8:
        if (type.extent <= 3)
            return function("mul", {matrix({TK::matrix, type.extent}, 0), vector(type, depth - 1)},
                            type);
        return construct(type, depth - 1);
    default:
        return variable_of_type ? variable(variable_of_type->symbol, type)
                                : construct(type, depth - 1);
    }
}

Expression ExpressionWriter::matrix(const Type& type, int depth) {
    cost_ += trips;
    const Variable* known = any(type);
    if (known && (depth <= 0 || random_.chance(40)))
        return variable(known->symbol, type);
    if (depth > 0 && random_.chance(50))
        return infix("*", matrix(type, depth - 1), factor(depth - 1), type);
    return construct(type, std::min(depth, 1));
}

Expression ExpressionWriter::write(const Type& type, int depth) {
    switch (type.kind) {
    case TK::real:
        return real(depth);
    case TK::vector:
        return vector(type, depth);
    case TK::matrix:
        return matrix(type, depth);
    case TK::integer:
        return index(most_count + 1);
    case TK::boolean:
        return condition();
    case TK::array:
    case TK::structure:
        if (const Variable* known = any(type); known && random_.chance(60))
            return variable(known->symbol, type);
        return construct(type, depth);
    }
    return random_literal(random_);
}

Expression ExpressionWriter::squashed(const Type& type, int depth) {
    if (type.kind == TK::matrix) // no builtin function bounds one
        return infix("*", construct(type, std::min(depth, 1)), real_literal(0.25), type);
    return function(type == real_type ? random_.pick({"sin", "sin", "cos", "tanh"}) : "sin",
                    {write(type, depth)}, type);
}

Expression ExpressionWriter::detached(const std::vector<Parameter>& parameters) {
    std::vector<const Parameter*> reals;
    for (const Parameter& parameter : parameters)
        if (parameter.type == real_type)
            reals.push_back(&parameter);
    if (reals.empty())
        return random_literal(random_);
    return part(EK::detached, real_type, 0,
                function("cos", {variable(random_.pick(reals)->symbol, real_type)}, real_type));
}

bool ExpressionWriter::call(const Type& type, int depth, Expression& result) {
    std::vector<int> fitting;
    for (std::size_t i = 0; i < program_.functions.size(); ++i)
        if (program_.functions[i].has_result && program_.functions[i].result.type == type)
            fitting.push_back(static_cast<int>(i));
    if (fitting.empty())
        return false;
    result.kind = EK::call;
    result.type = type;
    result.symbol = random_.pick(fitting);
    return arguments(result.symbol, depth, result);
}

bool ExpressionWriter::arguments(int callee, int depth, Expression& call) {
    const auto at = static_cast<std::size_t>(callee);
    if (cost_ + trips * costs_[at] > most_cost)
        return false;
    cost_ += trips * costs_[at];
    std::vector<int> written;
    for (const Parameter& parameter : program_.functions[at].parameters) {
        if (parameter.in_out) {
            const Variable* chosen = any_changeable(parameter.type);
            if (!chosen ||
                std::find(written.begin(), written.end(), chosen->symbol) != written.end())
                return false;
            written.push_back(chosen->symbol);
            call.operands.push_back(variable(chosen->symbol, parameter.type));
        } else if (parameter.type.kind == TK::array || parameter.type.kind == TK::structure) {
            const Variable* chosen = any(parameter.type);
            if (!chosen)
                return false;
            call.operands.push_back(variable(chosen->symbol, parameter.type));
        } else if (parameter.no_diff && parameter.type == real_type) {
            // What carries no gradient anyway, so that the parameter cuts none.
            call.operands.push_back(random_.chance(50)
                                        ? part(EK::data, real_type, 0, index(data_elements))
                                        : random_literal(random_));
        } else {
            call.operands.push_back(write(parameter.type, depth));
        }
    }
    return true;
}

} // namespace slimgrad::hunt
