#include "tests/fuzz/variant.h"

#include <algorithm>
#include <map>
#include <set>

namespace slimgrad::hunt {
namespace {

using EK = Expression::Kind;
using SK = Statement::Kind;

/// What a loop takes from outside.
struct Surroundings {
    std::map<int, Type> used; ///< by symbol, those that the loop declares included
    std::set<int> declared, written;
    bool returns = false;
};

int base_symbol(const Expression& place) {
    return place.kind == EK::variable ? place.symbol : base_symbol(place.operands[0]);
}

class Outliner {
  public:
    explicit Outliner(const Program& program) : program_(program) {}

    Program run() {
        for (std::size_t i = 0; i < program_.functions.size(); ++i) {
            function_ = &program_.functions[i];
            Function changed = *function_;
            block(changed.body, false);
            for (Function& outlined : new_functions_)
                result_.functions.push_back(std::move(outlined));
            new_functions_.clear();
            rename_calls(changed);
            new_index_.push_back(static_cast<int>(result_.functions.size()));
            result_.functions.push_back(std::move(changed));
        }
        result_.structures = program_.structures;
        return std::move(result_);
    }

  private:
    /// Calls of functions of the old program get their new numbers; those of outlined loops have
    /// theirs, kept apart by being negative.
    void rename_calls(Function& function) const {
        const auto rename = [&](Expression& expression) {
            if (expression.kind == EK::call)
                expression.symbol = expression.symbol < 0
                                        ? -expression.symbol - 1
                                        : new_index_[static_cast<std::size_t>(expression.symbol)];
        };
        each_expression(function.body, rename);
        each_part(function.result, rename);
    }

    void block(std::vector<Statement>& statements, bool in_loop) {
        for (Statement& statement : statements) {
            block(statement.body, in_loop || statement.kind == SK::loop);
            block(statement.otherwise, in_loop);
            if (statement.kind == SK::loop && in_loop)
                outline(statement);
        }
    }

    void outline(Statement& loop) {
        Surroundings around;
        std::vector<Statement> alone{loop};
        look(alone, around);
        if (around.returns)
            return;
        Function function;
        function.has_result = false;
        Statement call;
        call.kind = SK::call;
        call.value.kind = EK::call;
        for (const auto& [symbol, type] : around.used) {
            if (around.declared.contains(symbol))
                continue;
            if (type == boolean_type)
                return;
            Parameter parameter;
            parameter.symbol = symbol;
            parameter.type = type;
            parameter.in_out = around.written.contains(symbol);
            parameter.no_diff = type == integer_type || is_no_diff(symbol);
            parameter.largest = largest(symbol);
            function.parameters.push_back(parameter);
            call.value.operands.push_back(variable(symbol, type));
        }
        function.body = std::move(alone);
        rename_calls(function);
        call.value.symbol = -static_cast<int>(result_.functions.size() + new_functions_.size()) - 1;
        new_functions_.push_back(std::move(function));
        loop = std::move(call);
    }

    void look(const std::vector<Statement>& statements, Surroundings& around) const {
        each_statement(statements, [&](const Statement& statement) {
            if (statement.kind == SK::declare)
                around.declared.insert(statement.symbol);
            if (statement.kind == SK::assign)
                around.written.insert(base_symbol(statement.target));
            if (statement.kind == SK::loop) {
                around.declared.insert(statement.loop.counter);
                if (statement.loop.limit_kind == Loop::Limit::variable)
                    around.used.emplace(statement.loop.limit, integer_type);
            }
            around.returns |= statement.kind == SK::give;
        });
        each_expression(statements, [&](const Expression& expression) {
            if (expression.kind == EK::variable)
                around.used.emplace(expression.symbol, expression.type);
            if (expression.kind != EK::call)
                return;
            const Function& callee =
                expression.symbol < 0
                    ? outlined(-expression.symbol - 1)
                    : program_.functions[static_cast<std::size_t>(expression.symbol)];
            for (std::size_t i = 0; i < callee.parameters.size(); ++i)
                if (callee.parameters[i].in_out)
                    around.written.insert(expression.operands[i].symbol);
        });
    }

    const Function& outlined(int index) const {
        return new_functions_[static_cast<std::size_t>(index) - result_.functions.size()];
    }

    bool is_no_diff(int symbol) const {
        return std::any_of(function_->parameters.begin(), function_->parameters.end(),
                           [&](const Parameter& p) { return p.symbol == symbol && p.no_diff; });
    }

    /// Of an integer: a parameter or the counter of a loop around.
    int largest(int symbol) const {
        int result = 0;
        for (const Parameter& parameter : function_->parameters)
            if (parameter.symbol == symbol)
                result = parameter.largest;
        each_statement(function_->body, [&](const Statement& statement) {
            const Loop& loop = statement.loop;
            if (statement.kind == SK::loop && loop.counter == symbol)
                result = loop.downwards ? loop.trips : (loop.trips - 1) * loop.step;
        });
        return result;
    }

    const Program& program_;
    const Function* function_ = nullptr;
    Program result_;
    std::vector<Function> new_functions_; ///< of the function at hand, inner loops first
    std::vector<int> new_index_;          ///< by index in the old program
};

} // namespace

Program outline_inner_loops(const Program& program) {
    return Outliner(program).run();
}

} // namespace slimgrad::hunt
