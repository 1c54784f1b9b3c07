#include "tests/fuzz/known.h"

#include "tests/fuzz/variant.h"

#include <doctest/doctest.h>

namespace slimgrad::hunt {
namespace {

Statement loop_of(int counter, int trips, std::vector<Statement> body) {
    Statement statement;
    statement.kind = Statement::Kind::loop;
    statement.loop.counter = counter;
    statement.loop.trips = trips;
    statement.body = std::move(body);
    return statement;
}

/// s = x; two loops; return s * x
Program nest(int outer, int inner) {
    const Expression s = variable(1, real_type), x = variable(0, real_type);
    Function function;
    function.parameters = {{0, real_type, false, false, 0}};
    function.body = {
        declare(1, x),
        loop_of(2, outer, {loop_of(3, inner, {assign(s, hunt::function("sin", {s}, real_type))})})};
    function.result = infix("*", s, x, real_type);
    return {{}, {function}};
}

TEST_CASE("loops around each other are known when their bounds differ in the variant") {
    CHECK(known_shapes(nest(3, 3)).empty());
    const Program unequal = nest(3, 4);
    CHECK(known_shapes(unequal) == std::set{Known::unequal_bounds});
    CHECK(known_shapes(variant_of(unequal, "max-iters")) == std::set{Known::unequal_bounds});
    for (const char* right : {"equal-bounds", "unrolled", "outlined"}) {
        CAPTURE(right);
        CHECK(known_shapes(variant_of(unequal, right)).empty());
    }
}

TEST_CASE("a loop in a while loop is known, and a while loop in a for loop has another bound") {
    Program program = nest(3, 3);
    Statement& outer = program.functions[0].body[1];
    outer.loop.is_while = true;
    CHECK(known_shapes(program) == std::set{Known::unequal_bounds, Known::loop_in_while});
    outer.loop.is_while = false;
    outer.body[0].loop.is_while = true;
    CHECK(known_shapes(program) == std::set{Known::unequal_bounds});
}

TEST_CASE("a while loop that is left is known, a for loop that is left is not") {
    Program program = nest(3, 3);
    Statement leave;
    leave.kind = Statement::Kind::leave;
    Statement& loop = program.functions[0].body[1];
    loop.body = {loop.body[0].body[0], leave};
    CHECK(known_shapes(program).empty());
    loop.loop.is_while = true;
    CHECK(known_shapes(program) == std::set{Known::left_while});
}

TEST_CASE("a vector times a variable is known in a function with a loop, times a computed value it "
          "is not") {
    const Type vector{Type::Kind::vector, 2};
    Program program = nest(3, 3);
    Function& function = program.functions[0];
    const Expression s = variable(1, real_type);
    Expression pair;
    pair.kind = Expression::Kind::construct;
    pair.type = vector;
    pair.operands = {s, s};
    const auto scaled = [&](Expression factor) {
        function.result =
            hunt::function("dot", {infix("*", pair, std::move(factor), vector), pair}, real_type);
        return known_shapes(program);
    };
    CHECK(scaled(s) == std::set{Known::carried_factor});
    CHECK(scaled(infix("*", real_literal(1), s, real_type)) == std::set{Known::carried_factor});
    CHECK(scaled(hunt::function("sin", {s}, real_type)).empty());
    function.body.pop_back();
    CHECK(scaled(s).empty());
}

} // namespace
} // namespace slimgrad::hunt
