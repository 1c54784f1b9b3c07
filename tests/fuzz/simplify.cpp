#include "tests/fuzz/simplify.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace slimgrad::hunt {
namespace {

using EK = Expression::Kind;
using SK = Statement::Kind;
using TK = Type::Kind;
using Statements = std::vector<Statement>;

/// Calls visit(list, position) for every statement.
void each_position(Statements& list, const std::function<void(Statements&, std::size_t)>& visit) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        visit(list, i);
        each_position(list[i].body, visit);
        each_position(list[i].otherwise, visit);
    }
}

void each_type(Program& program, const std::function<void(Type&)>& visit) {
    const auto of_expression = [&](Expression& expression) { visit(expression.type); };
    for (Function& function : program.functions) {
        for (Parameter& parameter : function.parameters)
            visit(parameter.type);
        each_expression(function.body, of_expression);
        each_part(function.result, of_expression);
    }
}

void each_call(Program& program, const std::function<void(Expression&)>& visit) {
    const auto of_expression = [&](Expression& expression) {
        if (expression.kind == EK::call)
            visit(expression);
    };
    for (Function& function : program.functions) {
        each_expression(function.body, of_expression);
        each_part(function.result, of_expression);
    }
}

Expression constant(const Type& type) {
    if (type == real_type)
        return real_literal(0.5);
    if (type == integer_type)
        return integer_literal(0);
    if (type == boolean_type)
        return infix("<", real_literal(0), real_literal(1), boolean_type);
    Expression result;
    result.kind = EK::construct;
    result.type = type;
    const int count = type.kind == TK::matrix ? type.extent * type.extent : type.extent;
    result.operands.assign(static_cast<std::size_t>(count), real_literal(0.5));
    return result;
}

void replace_with_block(Statements& list, std::size_t at, Statements block) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), block.begin(), block.end());
}

/// Collects candidates. Every change is made to a fresh copy, at the place with the same number.
class Collector {
  public:
    explicit Collector(const Program& program) : program_(program), size_(size_of(program)) {}

    std::vector<Program> run() {
        drop_statements();
        unwrap_statements();
        drop_parameters();
        simplify_loops();
        replace_expressions();
        return std::move(candidates_);
    }

  private:
    void offer(Program candidate) {
        candidate = without_unused(std::move(candidate));
        if (size_of(candidate) < size_ && is_well_formed(candidate))
            candidates_.push_back(std::move(candidate));
    }

    /// Calls change(list, position) on copies, once for every statement of the program.
    void at_every_statement(const std::function<bool(Statements&, std::size_t)>& change) {
        for (std::size_t f = 0; f < program_.functions.size(); ++f)
            for (int wanted = 0;; ++wanted) {
                Program copy = program_;
                int number = 0;
                Statements* list = nullptr;
                std::size_t position = 0;
                each_position(copy.functions[f].body, [&](Statements& of, std::size_t at) {
                    if (number++ == wanted) {
                        list = &of;
                        position = at;
                    }
                });
                if (!list)
                    break;
                if (change(*list, position))
                    offer(std::move(copy));
            }
    }

    void drop_statements() {
        at_every_statement([](Statements& list, std::size_t at) { // with all that follow
            if (at + 1 == list.size())
                return false;
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(at), list.end());
            return true;
        });
        at_every_statement([](Statements& list, std::size_t at) {
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
            return true;
        });
    }

    void unwrap_statements() {
        at_every_statement([](Statements& list, std::size_t at) {
            if (list[at].body.empty())
                return false;
            replace_with_block(list, at, Statements(list[at].body));
            return true;
        });
        at_every_statement([](Statements& list, std::size_t at) {
            if (list[at].otherwise.empty())
                return false;
            replace_with_block(list, at, Statements(list[at].otherwise));
            return true;
        });
        at_every_statement([](Statements& list, std::size_t at) {
            if (list[at].otherwise.empty())
                return false;
            list[at].otherwise.clear();
            return true;
        });
        // A call that only changes a variable: the variable is given something else.
        at_every_statement([](Statements& list, std::size_t at) {
            if (list[at].kind != SK::call)
                return false;
            for (const Expression& argument : list[at].value.operands)
                if (argument.type == real_type && argument.kind == EK::variable) {
                    list[at] = assign(argument, function("sin", {argument}, real_type));
                    return true;
                }
            return false;
        });
    }

    void simplify_loops() {
        const auto try_loop = [&](const std::function<bool(Loop&)>& change) {
            at_every_statement([&](Statements& list, std::size_t at) {
                return list[at].kind == SK::loop && change(list[at].loop);
            });
        };
        for (const int trips : {1, 2, 3})
            try_loop([trips](Loop& loop) {
                if (loop.trips <= trips || loop.limit_kind == Loop::Limit::variable)
                    return false;
                loop.trips = trips;
                return true;
            });
        try_loop([](Loop& loop) {
            return std::exchange(loop.limit_kind, Loop::Limit::literal) != Loop::Limit::literal;
        });
        try_loop([](Loop& loop) { return std::exchange(loop.is_while, false); });
        try_loop([](Loop& loop) { return std::exchange(loop.downwards, false); });
        try_loop([](Loop& loop) { return std::exchange(loop.step, 1) != 1; });
    }

    void drop_parameters() {
        for (std::size_t f = 0; f < program_.functions.size(); ++f)
            for (std::size_t p = 0; p < program_.functions[f].parameters.size(); ++p) {
                Program copy = program_;
                auto& parameters = copy.functions[f].parameters;
                parameters.erase(parameters.begin() + static_cast<std::ptrdiff_t>(p));
                each_call(copy, [&](Expression& call) {
                    if (static_cast<std::size_t>(call.symbol) == f)
                        call.operands.erase(call.operands.begin() + static_cast<std::ptrdiff_t>(p));
                });
                offer(std::move(copy));
            }
    }

    /// Calls change(expression) on copies, once for every expression.
    void at_every_expression(const std::function<bool(Expression&)>& change) {
        for (std::size_t f = 0; f < program_.functions.size(); ++f)
            for (int wanted = 0;; ++wanted) {
                Program copy = program_;
                int number = 0;
                Expression* found = nullptr;
                const auto visit = [&](Expression& expression) {
                    if (number++ == wanted)
                        found = &expression;
                };
                each_expression(copy.functions[f].body, visit);
                each_part(copy.functions[f].result, visit);
                if (!found)
                    break;
                if (change(*found))
                    offer(std::move(copy));
            }
    }

    void replace_expressions() {
        at_every_expression([](Expression& expression) {
            if (expression.type.kind == TK::structure || expression.type.kind == TK::array ||
                expression.kind == EK::literal)
                return false;
            expression = constant(expression.type);
            return true;
        });
        for (std::size_t operand = 0; operand < 4; ++operand)
            at_every_expression([operand](Expression& expression) {
                if (operand >= expression.operands.size() ||
                    !(expression.operands[operand].type == expression.type))
                    return false;
                expression = Expression(expression.operands[operand]);
                return true;
            });
        // Of a vector's or member's real part, or of a call: a real argument.
        at_every_expression([](Expression& expression) {
            if (!(expression.type == real_type))
                return false;
            const Expression* inner = nullptr;
            for (const Expression& operand : expression.operands)
                each_part(operand, [&](const Expression& part) {
                    if (!inner && part.type == real_type && part.kind == EK::variable)
                        inner = &part;
                });
            if (!inner)
                return false;
            expression = Expression(*inner);
            return true;
        });
    }

    const Program& program_;
    int size_;
    std::vector<Program> candidates_;
};

} // namespace

std::vector<Program> simplifications(const Program& program) {
    return Collector(program).run();
}

Program without_unused(Program program) {
    for (std::size_t f = program.functions.size() - 1; f-- > 0;) {
        bool called = false;
        each_call(program,
                  [&](Expression& call) { called |= static_cast<std::size_t>(call.symbol) == f; });
        if (called)
            continue;
        program.functions.erase(program.functions.begin() + static_cast<std::ptrdiff_t>(f));
        each_call(program, [&](Expression& call) {
            call.symbol -= static_cast<std::size_t>(call.symbol) > f;
        });
    }
    for (std::size_t s = program.structures.size(); s-- > 0;) {
        bool used = false;
        const auto is_it = [&](const Type& type) {
            return type.kind == TK::structure && static_cast<std::size_t>(type.extent) == s;
        };
        each_type(program, [&](Type& type) { used |= is_it(type); });
        if (used)
            continue;
        program.structures.erase(program.structures.begin() + static_cast<std::ptrdiff_t>(s));
        each_type(program, [&](Type& type) {
            type.extent -= type.kind == TK::structure && static_cast<std::size_t>(type.extent) > s;
        });
    }
    return program;
}

} // namespace slimgrad::hunt
