#include "tests/fuzz/hunter.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

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

/// Two loops around each other, in which s is carried, among statements that have nothing to do
/// with it.
Program nest(int outer, int inner) {
    const Expression s = variable(2, real_type), x = variable(0, real_type),
                     y = variable(1, real_type);
    const Expression t = variable(5, real_type);
    const auto sine = [](Expression e) { return function("sin", {std::move(e)}, real_type); };
    Function root;
    root.parameters = {{0, real_type, false, false, 0}, {1, real_type, false, false, 0}};
    root.body = {
        declare(2, x), declare(5, sine(y)),
        loop_of(3, outer,
                {loop_of(4, inner,
                         {assign(s, infix("*", sine(infix("+", s, y, real_type)), x, real_type))}),
                 assign(t, infix("*", t, real_literal(0.5), real_type))}),
        assign(t, infix("+", t, sine(y), real_type))};
    root.result = infix("+", s, t, real_type);
    return {{}, {root}};
}

Laboratory& laboratory() {
    static Laboratory shared(
        {SLIMGRAD_BUILD_DIR "/slimgrad-slang", SLIMGRAD_BUILD_DIR "/slimgrad-run"});
    return shared;
}

std::optional<Finding> finding_of(const Program& program) {
    const Trial trial{variants_of(program)};
    const Result<std::vector<TrialResult>> results = laboratory().run({trial}, Precision::twice);
    REQUIRE_MESSAGE(results, results.error().message);
    return judge(trial, results->front(), Precision::twice);
}

TEST_CASE("all variants of a nest with equal bounds agree with each other and with differences") {
    CHECK_FALSE(finding_of(nest(3, 3)));
}

TEST_CASE("nests with unequal bounds are found and reduced to two loops and one statement") {
    const Program program = nest(5, 2);
    const std::optional<Finding> finding = finding_of(program);
    REQUIRE(finding);
    const Result<std::optional<Reduced>> reduced = reduce(laboratory(), program, *finding);
    REQUIRE_MESSAGE(reduced, reduced.error().message);
    REQUIRE(*reduced);
    CHECK((*reduced)->finding.kind == finding->kind);
    CHECK(known_shapes((*reduced)->trial.variants.back().program) ==
          std::set{Known::unequal_bounds});
    int loops = 0, others = 0;
    each_statement((*reduced)->program.functions.back().body, [&](const Statement& statement) {
        (statement.kind == Statement::Kind::loop ? loops : others) += 1;
    });
    CHECK(loops == 2);
    CHECK(others == 2); // the declaration of s and the assignment to it
}

TEST_CASE("a variant that slangc refuses is told from those that run") {
    Program program = nest(3, 3);
    program.functions[0].body[2].loop.is_while = true;
    const std::optional<Finding> finding = finding_of(program);
    REQUIRE(finding);
    CHECK(finding->kind == FindingKind::failure);
    CHECK(finding->fate == Fate::crashed_slangc);
    CHECK(finding->wrong == "inferred");
    CHECK(finding->right != "");
}

TEST_CASE(
    "a hunt without known miscompiles finds nothing in a few programs, and says what it did") {
    HuntOptions options;
    options.programs = 6;
    options.worker = SLIMGRAD_BUILD_DIR "/slimgrad-slang";
    options.runner = SLIMGRAD_BUILD_DIR "/slimgrad-run";
    const Result<HuntReport> report = run_hunt(options);
    REQUIRE_MESSAGE(report, report.error().message);
    std::string found;
    for (const HuntFinding& finding : report->findings)
        found += fmt::format("{}: {}\n", finding.seed, finding.finding.detail);
    CHECK(found == "");
    CHECK(report->variants > 6);
    CHECK(report->compared > 3);
}

} // namespace
} // namespace slimgrad::hunt
