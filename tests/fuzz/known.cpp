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

/// Trips that slangc stores values for: of a `while` loop with the same attribute one fewer than of
/// a `for` loop, since its condition is tested once before it.
int stored_trips(const Loop& loop) {
    const int bound =
        loop.attribute.kind == LoopAttribute::Kind::max_iters ? loop.attribute.bound : loop.trips;
    return loop.is_while ? bound - 1 : bound;
}

/// An array for two loops has two elements more in each direction than trips, so that the swapped
/// indices stay in it where the outer loop has as many trips as the inner one, or up to two more.
constexpr int hidden_by_padding = 2;

/// `around`: trips of the loops around that are not unrolled.
bool has_unequal_nest(const std::vector<Statement>& statements, const std::vector<int>& around) {
    return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
        std::vector<int> loops = around;
        if (is_rolled_loop(statement)) {
            const int trips = stored_trips(statement.loop);
            for (const int outer : around)
                if (outer < trips || outer > trips + hidden_by_padding)
                    return true;
            loops.push_back(trips);
        }
        return has_unequal_nest(statement.body, loops) ||
               has_unequal_nest(statement.otherwise, loops);
    });
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

int base_symbol(const Expression& place) {
    return place.kind == EK::variable ? place.symbol : base_symbol(place.operands[0]);
}

/// What statements change, by assignment or in a call.
std::set<int> changed_as_a_whole(const std::vector<Statement>& statements) {
    std::set<int> symbols;
    each_statement(statements, [&](const Statement& statement) {
        if (statement.kind == SK::assign && statement.target.kind == EK::variable)
            symbols.insert(statement.target.symbol);
        if (statement.kind == SK::call)
            for (const Expression& argument : statement.value.operands)
                if (argument.kind == EK::variable)
                    symbols.insert(argument.symbol);
    });
    return symbols;
}

std::set<int> carried_symbols(const Function& function) {
    std::set<int> symbols;
    each_statement(function.body, [&](const Statement& statement) {
        if (!is_rolled_loop(statement))
            return;
        symbols.merge(changed_as_a_whole(statement.body));
        each_statement(statement.body, [&](const Statement& inner) {
            if (inner.kind == SK::assign)
                symbols.insert(base_symbol(inner.target));
        });
    });
    return symbols;
}

bool has_carried_factor(const Function& function) {
    const std::set<int> carried = carried_symbols(function);
    bool found = false;
    const auto look = [&](const Expression& expression) {
        if (is_scaled_by_bare(expression))
            for (const Expression& operand : expression.operands)
                if (operand.type == real_type)
                    each_part(operand, [&](const Expression& part) {
                        found |= part.kind == EK::variable && carried.contains(part.symbol);
                    });
    };
    each_expression(function.body, look);
    each_part(function.result, look);
    return found;
}

bool has_loop_in_while(const Function& function) {
    bool found = false;
    each_statement(function.body, [&](const Statement& statement) {
        if (is_rolled_loop(statement) && statement.loop.is_while)
            found |= std::any_of(statement.body.begin(), statement.body.end(), is_rolled_loop);
    });
    return found;
}

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

bool has_carried_part(const Function& function) {
    std::map<int, Type> types;
    for (const Parameter& parameter : function.parameters)
        types[parameter.symbol] = parameter.type;
    each_statement(function.body, [&](const Statement& statement) {
        if (statement.kind == SK::declare)
            types[statement.symbol] = statement.value.type;
    });
    bool found = false;
    each_statement(function.body, [&](const Statement& statement) {
        if (!is_rolled_loop(statement) && statement.kind != SK::branch)
            return;
        std::set<int> in_part, changed;
        for (const auto* statements : {&statement.body, &statement.otherwise}) {
            each_statement(*statements, [&](const Statement& inner) {
                if (inner.kind == SK::assign && inner.target.kind != EK::variable)
                    in_part.insert(base_symbol(inner.target));
            });
            changed.merge(changed_as_a_whole(*statements));
        }
        for (const int part : in_part)
            found |= changed.contains(part);
        changed.insert(in_part.begin(), in_part.end());
        for (const int part : in_part)
            for (const int other : changed)
                found |= other != part && types[other] == types[part];
    });
    return found;
}

/// Assignments to parts, by variable; those in an unrolled loop are several.
void count_parts(const std::vector<Statement>& statements, int times, std::map<int, int>& counts) {
    for (const Statement& statement : statements) {
        if (statement.kind == SK::assign && statement.target.kind != EK::variable)
            counts[base_symbol(statement.target)] += times;
        const bool unrolled = statement.kind == SK::loop && !is_rolled_loop(statement);
        const int inner = unrolled ? times * statement.loop.trips : times;
        count_parts(statement.body, inner, counts);
        count_parts(statement.otherwise, inner, counts);
    }
}

void add_read_as_a_whole(const Expression& expression, std::set<int>& symbols) {
    if (expression.kind == EK::variable)
        symbols.insert(expression.symbol);
    const bool takes_part = expression.kind == EK::component || expression.kind == EK::member ||
                            expression.kind == EK::element;
    for (std::size_t i = 0; i < expression.operands.size(); ++i)
        if (!takes_part || i > 0 || expression.operands[i].kind != EK::variable)
            add_read_as_a_whole(expression.operands[i], symbols);
}

std::set<int> read_as_a_whole(const std::vector<Statement>& statements) {
    std::set<int> symbols;
    each_statement(statements, [&](const Statement& statement) {
        if (statement.kind != SK::loop && statement.kind != SK::leave)
            add_read_as_a_whole(statement.value, symbols);
    });
    return symbols;
}

bool has_part_twice(const Function& function) {
    bool found = false;
    each_statement(function.body, [&](const Statement& statement) {
        if (!is_rolled_loop(statement) && statement.kind != SK::branch)
            return;
        for (const auto* statements : {&statement.body, &statement.otherwise}) {
            std::map<int, int> counts;
            count_parts(*statements, 1, counts);
            const std::set<int> whole = read_as_a_whole(*statements);
            for (const auto& [symbol, count] : counts)
                found |= count > 1 && whole.contains(symbol);
        }
    });
    return found;
}

bool has_unrolled_break_read(const Function& function) {
    bool found = false;
    each_statement(function.body, [&](const Statement& loop) {
        if (loop.kind != SK::loop || is_rolled_loop(loop) || !is_left(loop.body, true))
            return;
        each_expression(loop.body, [&](const Expression& e) {
            found |= e.kind == EK::data || e.kind == EK::weight || e.kind == EK::call;
        });
    });
    return found;
}

/// Looks for elements of one array by indices that differ in the text and may not at run time. A
/// copy of an array is the same array: so it is for the compiler.
class ElementIndices {
  public:
    bool repeat_in(const Function& function) {
        each_statement(function.body, [&](const Statement& statement) {
            if (statement.kind == SK::declare)
                copy(statement.symbol, statement.value);
            if (statement.kind == SK::assign && statement.target.kind == EK::variable)
                copy(statement.target.symbol, statement.value);
            if (statement.kind == SK::loop && !is_rolled_loop(statement))
                unrolled_.insert(statement.loop.counter);
        });
        const auto look = [&](const Expression& e) {
            if (e.kind == EK::element && e.operands[0].kind == EK::variable)
                add(array_of(e.operands[0].symbol), e.operands[1]);
        };
        each_expression(function.body, look);
        each_part(function.result, look);
        return found_;
    }

  private:
    void copy(int symbol, const Expression& value) {
        if (value.kind != EK::variable || value.type.kind != TK::array)
            return;
        const int to = array_of(symbol), from = array_of(value.symbol);
        if (to != from)
            original_[to] = from;
    }

    int array_of(int symbol) const {
        const auto found = original_.find(symbol);
        return found == original_.end() ? symbol : array_of(found->second);
    }

    void add(int array, const Expression& index) {
        std::vector<const Expression*>& indices = indices_[array];
        for (const Expression* other : indices)
            found_ |= *other != index && (other->kind != EK::literal || index.kind != EK::literal);
        indices.push_back(&index);
        found_ |= differs_by_trip(index);
    }

    /// In an unrolled loop the same text is another index in every trip; with nothing but counters
    /// in it each is a literal.
    bool differs_by_trip(const Expression& index) const {
        bool has_counter = false, has_other = false;
        each_part(index, [&](const Expression& part) {
            if (part.kind == EK::variable)
                (unrolled_.contains(part.symbol) ? has_counter : has_other) = true;
        });
        return has_counter && has_other;
    }

    std::map<int, int> original_;                           ///< of copies
    std::map<int, std::vector<const Expression*>> indices_; ///< by array
    std::set<int> unrolled_;                                ///< counters
    bool found_ = false;
};

} // namespace

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
    case Known::carried_part:
        return "carried-part";
    case Known::part_twice:
        return "part-twice";
    case Known::unrolled_break_read:
        return "unrolled-break-read";
    }
    return "";
}

const std::set<Known>& all_known() {
    static const std::set<Known> all{Known::unequal_bounds,    Known::carried_factor,
                                     Known::loop_in_while,     Known::left_while,
                                     Known::one_element_twice, Known::carried_part,
                                     Known::part_twice,        Known::unrolled_break_read};
    return all;
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
        if (ElementIndices().repeat_in(function))
            shapes.insert(Known::one_element_twice);
        if (has_carried_part(function))
            shapes.insert(Known::carried_part);
        if (has_part_twice(function))
            shapes.insert(Known::part_twice);
        if (has_unrolled_break_read(function))
            shapes.insert(Known::unrolled_break_read);
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
