#include "tests/fuzz/program.h"

#include <algorithm>
#include <map>
#include <optional>

namespace slimgrad::hunt {
namespace {

using EK = Expression::Kind;
using SK = Statement::Kind;

/// Checks one function: what is in scope, and that every part fits its place.
class Checker {
  public:
    Checker(const Program& program, std::size_t function) : program_(program), index_(function) {}

    bool run() {
        const Function& function = program_.functions[index_];
        for (const Parameter& parameter : function.parameters) {
            if (!scope_
                     .emplace(parameter.symbol,
                              Entry{parameter.type, parameter.in_out, parameter.largest})
                     .second)
                return false;
            parameters_.push_back(parameter.symbol);
        }
        return block(function.body, false) && (!function.has_result || expression(function.result));
    }

  private:
    struct Entry {
        Type type;
        bool writable = true;
        int largest = 0; ///< of an integer; the smallest is 0
    };
    using Scope = std::map<int, Entry>;

    bool block(const std::vector<Statement>& statements, bool in_loop) {
        for (const Statement& statement : statements)
            if (!this->statement(statement, in_loop))
                return false;
        return true;
    }

    bool nested(const std::vector<Statement>& statements, bool in_loop) {
        const Scope outer = scope_;
        const bool good = block(statements, in_loop);
        scope_ = outer;
        return good;
    }

    bool statement(const Statement& statement, bool in_loop) {
        switch (statement.kind) {
        case SK::declare:
            return expression(statement.value) &&
                   scope_.emplace(statement.symbol, Entry{statement.value.type, true, 0}).second;
        case SK::assign:
            return place(statement.target) && expression(statement.target) &&
                   expression(statement.value) && statement.target.type == statement.value.type;
        case SK::call:
            return statement.value.kind == EK::call && expression(statement.value);
        case SK::branch:
            return expression(statement.value) && statement.value.type == boolean_type &&
                   nested(statement.body, in_loop) && nested(statement.otherwise, in_loop);
        case SK::loop: {
            const Loop& loop = statement.loop;
            const Scope outer = scope_;
            if (loop.limit_kind == Loop::Limit::variable) {
                const auto limit = scope_.find(loop.limit);
                if (limit == scope_.end() || limit->second.type != integer_type ||
                    limit->second.largest > loop.trips)
                    return false;
            }
            const int largest = loop.downwards ? loop.trips : (loop.trips - 1) * loop.step;
            if (loop.trips < 1 ||
                !scope_.emplace(loop.counter, Entry{integer_type, false, largest}).second)
                return false;
            const bool good = block(statement.body, true);
            scope_ = outer;
            return good;
        }
        case SK::leave:
            return in_loop;
        case SK::give:
            return program_.functions[index_].has_result && expression(statement.value) &&
                   statement.value.type == program_.functions[index_].result.type;
        }
        return false;
    }

    /// Whether it can be assigned to.
    bool place(const Expression& target) const {
        switch (target.kind) {
        case EK::variable: {
            const auto found = scope_.find(target.symbol);
            return found != scope_.end() && found->second.writable;
        }
        case EK::element:
        case EK::component:
        case EK::member:
            return place(target.operands[0]);
        default:
            return false;
        }
    }

    bool expression(const Expression& expression) const {
        for (const Expression& operand : expression.operands)
            if (!this->expression(operand))
                return false;
        switch (expression.kind) {
        case EK::variable: {
            const auto found = scope_.find(expression.symbol);
            return found != scope_.end() && found->second.type == expression.type;
        }
        case EK::call:
            return call(expression);
        case EK::member:
            return expression.operands[0].type.kind == Type::Kind::structure &&
                   static_cast<std::size_t>(expression.operands[0].type.extent) <
                       program_.structures.size() &&
                   static_cast<std::size_t>(expression.symbol) <
                       program_
                           .structures[static_cast<std::size_t>(expression.operands[0].type.extent)]
                           .members.size();
        case EK::element:
            return largest(expression.operands[1]) < expression.operands[0].type.extent;
        case EK::data:
            return largest(expression.operands[0]) < data_elements;
        case EK::weight:
            return largest(expression.operands[0]) < weight_elements;
        case EK::detached:
            return only_parameters(expression.operands[0]);
        default:
            return true;
        }
    }

    /// What an integer expression is at most; all are 0 or more.
    int largest(const Expression& expression) const {
        switch (expression.kind) {
        case EK::literal:
            return static_cast<int>(expression.number);
        case EK::variable:
            return scope_.at(expression.symbol).largest;
        case EK::infix: {
            const int left = largest(expression.operands[0]),
                      right = largest(expression.operands[1]);
            if (expression.name == "%")
                return std::min(left, right - 1);
            return expression.name == "*" ? left * right : left + right;
        }
        default:
            return 1 << 20;
        }
    }

    bool call(const Expression& call) const {
        const auto callee = static_cast<std::size_t>(call.symbol);
        if (callee >= index_)
            return false;
        const Function& function = program_.functions[callee];
        if (function.parameters.size() != call.operands.size())
            return false;
        if (function.has_result && !(function.result.type == call.type))
            return false;
        std::vector<int> written;
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            if (!(call.operands[i].type == function.parameters[i].type))
                return false;
            if (call.operands[i].type == integer_type &&
                largest(call.operands[i]) > function.parameters[i].largest)
                return false;
            if (!function.parameters[i].in_out)
                continue;
            // Two names of one variable would be another program in every compiler.
            if (call.operands[i].kind != EK::variable || !place(call.operands[i]) ||
                std::find(written.begin(), written.end(), call.operands[i].symbol) != written.end())
                return false;
            written.push_back(call.operands[i].symbol);
        }
        return true;
    }

    bool only_parameters(const Expression& expression) const {
        if (index_ + 1 != program_.functions.size())
            return false;
        bool good = true;
        each_part(expression, [&](const Expression& part) {
            good &= part.kind != EK::call && part.kind != EK::weight && part.kind != EK::detached;
            if (part.kind == EK::variable)
                good &= std::find(parameters_.begin(), parameters_.end(), part.symbol) !=
                        parameters_.end();
        });
        return good;
    }

    const Program& program_;
    std::size_t index_;
    Scope scope_;
    std::vector<int> parameters_;
};

} // namespace

int scalar_count(const Type& type) {
    switch (type.kind) {
    case Type::Kind::real:
        return 1;
    case Type::Kind::vector:
        return type.extent;
    default:
        return 0;
    }
}

int input_count(const Program& program) {
    int count = 0;
    for (const Parameter& parameter : program.functions.back().parameters)
        count += scalar_count(parameter.type);
    return count;
}

bool is_well_formed(const Program& program) {
    if (program.functions.empty() || !(program.functions.back().result.type == real_type) ||
        input_count(program) > most_inputs)
        return false;
    for (std::size_t i = 0; i < program.functions.size(); ++i)
        if (!Checker(program, i).run())
            return false;
    return true;
}

int size_of(const Program& program) {
    int size = 0;
    const auto count = [&](const Expression& expression) {
        size += expression.kind == EK::literal ? 1 : 2;
    };
    for (const Function& function : program.functions) {
        size += 4 + static_cast<int>(function.parameters.size());
        each_expression(function.body, count);
        each_statement(function.body, [&](const Statement& statement) {
            size += 3;
            if (statement.kind == SK::loop)
                size += statement.loop.trips + (statement.loop.is_while ? 2 : 0) +
                        (statement.loop.limit_kind == Loop::Limit::literal ? 0 : 2) +
                        (statement.loop.step == 1 ? 0 : 1) + (statement.loop.downwards ? 1 : 0);
        });
        each_part(function.result, count);
    }
    for (const Structure& structure : program.structures)
        size += 1 + static_cast<int>(structure.members.size());
    return size;
}

int unused_symbol(const Function& function) {
    int next = 0;
    for (const Parameter& parameter : function.parameters)
        next = std::max(next, parameter.symbol + 1);
    each_statement(function.body, [&](const Statement& statement) {
        next = std::max({next, statement.symbol + 1, statement.loop.counter + 1});
    });
    return next;
}

Expression real_literal(double value) {
    Expression result;
    result.number = value;
    return result;
}

Expression integer_literal(int value) {
    Expression result;
    result.type = integer_type;
    result.number = value;
    return result;
}

Expression variable(int symbol, Type type) {
    Expression result;
    result.kind = EK::variable;
    result.type = type;
    result.symbol = symbol;
    return result;
}

Expression infix(std::string name, Expression left, Expression right, Type type) {
    Expression result;
    result.kind = EK::infix;
    result.type = type;
    result.name = std::move(name);
    result.operands.push_back(std::move(left));
    result.operands.push_back(std::move(right));
    return result;
}

Expression function(std::string name, std::vector<Expression> operands, Type type) {
    Expression result;
    result.kind = EK::function;
    result.type = type;
    result.name = std::move(name);
    result.operands = std::move(operands);
    return result;
}

Statement declare(int symbol, Expression value) {
    Statement result;
    result.kind = SK::declare;
    result.symbol = symbol;
    result.value = std::move(value);
    return result;
}

Statement assign(Expression target, Expression value) {
    Statement result;
    result.kind = SK::assign;
    result.target = std::move(target);
    result.value = std::move(value);
    return result;
}

} // namespace slimgrad::hunt
