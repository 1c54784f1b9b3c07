#include "tests/fuzz/simplify.h"

#include "tests/fuzz/generator.h"

#include <algorithm>
#include <doctest/doctest.h>

namespace slimgrad::hunt {
namespace {

/// Takes the first smaller program that still holds, again and again.
template <class Holds> Program smallest(Program program, Holds holds) {
    for (;;) {
        const std::vector<Program> candidates = simplifications(program);
        const auto next = std::find_if(candidates.begin(), candidates.end(), holds);
        if (next == candidates.end())
            return program;
        program = *next;
    }
}

int count_loops(const Program& program) {
    int loops = 0;
    for (const Function& function : program.functions)
        each_statement(function.body, [&](const Statement& statement) {
            loops += statement.kind == Statement::Kind::loop;
        });
    return loops;
}

TEST_CASE("every simplification is smaller and well-formed") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Program program = generate(seed);
        for (const Program& candidate : simplifications(program)) {
            CHECK(size_of(candidate) < size_of(program));
            CHECK(is_well_formed(candidate));
        }
    }
}

TEST_CASE("a program reduces to nothing but a literal") {
    const Program least = smallest(generate(3), [](const Program&) { return true; });
    CHECK(least.functions.size() == 1);
    CHECK(least.functions[0].body.empty());
    CHECK(least.functions[0].parameters.empty());
    CHECK(least.functions[0].result.kind == Expression::Kind::literal);
}

TEST_CASE("what is asked for stays: two loops, and little else") {
    std::uint64_t seed = 0;
    while (count_loops(generate(seed)) < 3)
        ++seed;
    const Program least =
        smallest(generate(seed), [](const Program& program) { return count_loops(program) >= 2; });
    CHECK(count_loops(least) == 2);
    int others = 0;
    for (const Function& function : least.functions)
        each_statement(function.body, [&](const Statement& statement) {
            if (statement.kind == Statement::Kind::loop)
                CHECK(statement.loop.trips == 1);
            else
                ++others;
        });
    CHECK(others <= 1); // a structure has no literal to take its place
}

} // namespace
} // namespace slimgrad::hunt
