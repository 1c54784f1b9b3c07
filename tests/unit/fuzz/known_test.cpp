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
    for (const Program& unequal : {nest(3, 4), nest(5, 2)}) {
        CHECK(known_shapes(unequal) == std::set{Known::unequal_bounds});
        CHECK(known_shapes(variant_of(unequal, "max-iters")) == std::set{Known::unequal_bounds});
        for (const char* right : {"equal-bounds", "unrolled", "outlined", "recompute"}) {
            CAPTURE(right);
            CHECK(known_shapes(variant_of(unequal, right)).empty());
        }
    }
}

TEST_CASE("an inner loop of up to two trips fewer than any loop around it is not known") {
    CHECK(known_shapes(nest(4, 3)).empty());
    CHECK(known_shapes(nest(4, 2)).empty());
    CHECK(known_shapes(nest(4, 1)) == std::set{Known::unequal_bounds});
    Program deeper = nest(3, 2);
    Statement& nested = deeper.functions[0].body[1];
    nested = loop_of(5, 4, {Statement(nested)});
    CHECK(known_shapes(deeper).empty());
    nested.loop.trips = 5; // two more than the next one, three more than the innermost
    CHECK(known_shapes(deeper) == std::set{Known::unequal_bounds});
}

TEST_CASE("a loop in a while loop is known, and a while loop counts as one trip fewer") {
    Program program = nest(3, 3);
    Statement& outer = program.functions[0].body[1];
    outer.loop.is_while = true;
    CHECK(known_shapes(program) == std::set{Known::unequal_bounds, Known::loop_in_while});
    CHECK(known_shapes(variant_of(program, "equal-bounds")) == std::set{Known::loop_in_while});
    outer.loop.is_while = false;
    outer.body[0].loop.is_while = true;
    CHECK(known_shapes(program).empty());
    outer.body[0].loop.trips = 5;
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

Expression vector_of(Expression part) {
    Expression result;
    result.kind = Expression::Kind::construct;
    result.type = {Type::Kind::vector, 2};
    result.operands = {part, part};
    return result;
}

TEST_CASE("a vector times what a loop carries is known, times a parameter or a computed value it "
          "is not") {
    const Type vector{Type::Kind::vector, 2};
    Program program = nest(3, 3);
    Function& function = program.functions[0];
    const Expression s = variable(1, real_type), x = variable(0, real_type);
    const Expression pair = vector_of(s);
    const auto scaled = [&](Expression factor) {
        function.result =
            hunt::function("dot", {infix("*", pair, std::move(factor), vector), pair}, real_type);
        return known_shapes(program);
    };
    CHECK(scaled(s) == std::set{Known::carried_factor});
    CHECK(scaled(infix("*", real_literal(1), s, real_type)) == std::set{Known::carried_factor});
    CHECK(scaled(x).empty());
    CHECK(scaled(hunt::function("sin", {s}, real_type)).empty());
    function.body.pop_back();
    CHECK(scaled(s).empty());
}

TEST_CASE("two vectors of one type, one changed by component, are known in a branch and in a loop "
          "that is not unrolled") {
    const Type vector{Type::Kind::vector, 2};
    const Expression a = variable(5, vector), b = variable(6, vector);
    Expression component;
    component.kind = Expression::Kind::component;
    component.type = real_type;
    component.operands = {a};
    Program program = nest(3, 3);
    std::vector<Statement>& body = program.functions[0].body;
    const Expression x = variable(0, real_type);
    body = {declare(5, vector_of(x)), declare(6, vector_of(x)),
            loop_of(2, 3, {assign(component, x), assign(b, a)})};
    CHECK(known_shapes(program) == std::set{Known::carried_part});
    CHECK(known_shapes(variant_of(program, "unrolled")).empty());
    Statement branch;
    branch.kind = Statement::Kind::branch;
    branch.value = infix("<", x, x, boolean_type);
    branch.body = {assign(component, x)};
    branch.otherwise = {assign(b, a)};
    std::swap(branch, body[2]);
    CHECK(known_shapes(program) == std::set{Known::carried_part});
    body[2].otherwise.clear();
    CHECK(known_shapes(program).empty());
    std::swap(branch, body[2]);
    body[2].body[0] = assign(a, b);
    CHECK(known_shapes(program).empty());
    body[2].body = {assign(component, x)};
    CHECK(known_shapes(program).empty());
    body[2].body = {assign(component, x), assign(a, a)};
    CHECK(known_shapes(program) == std::set{Known::carried_part});
}

TEST_CASE("parts of a vector assigned twice in a branch or a loop are known where the vector "
          "is read as a whole") {
    const Type vector{Type::Kind::vector, 2};
    const Expression v = variable(5, vector), x = variable(0, real_type);
    Expression component;
    component.kind = Expression::Kind::component;
    component.type = real_type;
    component.operands = {v};
    const Expression whole = hunt::function("dot", {v, v}, real_type);
    Program program = nest(3, 3);
    std::vector<Statement>& body = program.functions[0].body;
    body = {declare(5, vector_of(x)),
            loop_of(2, 3, {assign(component, component), assign(component, whole)})};
    CHECK(known_shapes(program) == std::set{Known::part_twice});
    CHECK(known_shapes(variant_of(program, "unrolled")).empty());
    body[1].body = {assign(component, component), assign(component, component)};
    CHECK(known_shapes(program).empty());
    body[1].body = {assign(component, whole)};
    CHECK(known_shapes(program).empty());
    Statement branch;
    branch.kind = Statement::Kind::branch;
    branch.value = infix("<", x, x, boolean_type);
    branch.body = {body[1]};
    body[1] = branch;
    CHECK(known_shapes(program).empty());
    CHECK(known_shapes(variant_of(program, "unrolled")) == std::set{Known::part_twice});
}

TEST_CASE("one array or its copy indexed by two expressions is known unless both are literals") {
    const Expression x = variable(0, real_type), n = variable(1, integer_type);
    const Type array{Type::Kind::array, 2};
    const auto element = [&](int of, Expression index) {
        Expression result;
        result.kind = Expression::Kind::element;
        result.type = real_type;
        result.operands = {variable(of, array), std::move(index)};
        return result;
    };
    Expression both = vector_of(x);
    both.type = array;
    Function function;
    function.parameters = {{0, real_type, false, false, 0}, {1, integer_type, true, false, 1}};
    function.body = {declare(2, both), declare(3, variable(2, array)), declare(4, both)};
    const auto shapes = [&](Expression left, Expression right) {
        function.result = infix("+", std::move(left), std::move(right), real_type);
        return known_shapes({{}, {function}});
    };
    const Expression literal = element(2, integer_literal(0)), dynamic = element(2, n);
    CHECK(shapes(literal, dynamic) == std::set{Known::one_element_twice});
    CHECK(shapes(literal, element(2, integer_literal(1))).empty());
    CHECK(shapes(dynamic, dynamic).empty());
    CHECK(shapes(literal, element(3, n)) == std::set{Known::one_element_twice});
    CHECK(shapes(literal, element(4, n)).empty());

    Statement loop = loop_of(
        5, 2, {declare(6, element(2, infix("+", n, variable(5, integer_type), integer_type)))});
    function.body.push_back(loop);
    CHECK(shapes(x, x).empty());
    function.body.back().loop.attribute = {LoopAttribute::Kind::force_unroll, 0};
    CHECK(shapes(x, x) == std::set{Known::one_element_twice});
}

TEST_CASE("an unrolled loop that is left is known where it reads a buffer") {
    Program program = nest(2, 2);
    const Expression s = variable(1, real_type);
    Expression data;
    data.kind = Expression::Kind::data;
    data.type = real_type;
    data.operands = {integer_literal(0)};
    Statement leave;
    leave.kind = Statement::Kind::leave;
    program.functions[0].body[1].body = {assign(s, data), leave};
    CHECK(known_shapes(program).empty());
    CHECK(known_shapes(variant_of(program, "unrolled")) == std::set{Known::unrolled_break_read});
    program.functions[0].body[1].body.pop_back();
    CHECK(known_shapes(variant_of(program, "unrolled")).empty());
}

} // namespace
} // namespace slimgrad::hunt
