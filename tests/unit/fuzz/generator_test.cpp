#include "tests/fuzz/generator.h"

#include "rewriter/syntax_tree.h"
#include "tests/fuzz/printer.h"
#include "tests/fuzz/variant.h"

#include <doctest/doctest.h>
#include <set>
#include <string>

namespace slimgrad::hunt {
namespace {

constexpr std::uint64_t programs = 300;

TEST_CASE("the same seed generates the same program, another one another") {
    std::set<std::string> texts;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Program program = generate(seed);
        CHECK(program == generate(seed));
        texts.insert(print_module(program, Precision::single));
    }
    CHECK(texts.size() > programs - 10);
}

TEST_CASE("every generated program is well-formed, and so are its variants") {
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        CAPTURE(seed);
        const Program program = generate(seed);
        CHECK(is_well_formed(program));
        for (const Variant& variant : variants_of(program)) {
            CAPTURE(variant.name);
            CHECK(is_well_formed(variant.program));
        }
    }
}

TEST_CASE("every variant of a generated program parses with our grammar") {
    for (std::uint64_t seed = 0; seed < programs / 4; ++seed)
        for (const Variant& variant : variants_of(generate(seed))) {
            const std::string text = print_module(variant.program, Precision::twice);
            CAPTURE(text);
            CHECK(SyntaxTree::parse(text).errors().empty());
        }
}

TEST_CASE("the generator writes all that it is said to write") {
    std::set<Expression::Kind> expressions;
    std::set<Statement::Kind> statements;
    std::set<Type::Kind> types;
    std::size_t deepest = 0, whiles = 0, limits = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed)
        for (const Function& function : generate(seed).functions) {
            const auto look = [&](const Expression& e) {
                expressions.insert(e.kind);
                types.insert(e.type.kind);
            };
            each_expression(function.body, look);
            each_part(function.result, look);
            each_statement(function.body, [&](const Statement& statement) {
                statements.insert(statement.kind);
                if (statement.kind != Statement::Kind::loop)
                    return;
                whiles += statement.loop.is_while;
                limits += statement.loop.limit_kind == Loop::Limit::variable;
                std::size_t depth = 1;
                each_statement(statement.body, [&](const Statement& inner) {
                    if (inner.kind != Statement::Kind::loop)
                        return;
                    depth = std::max<std::size_t>(depth, 2);
                    each_statement(inner.body, [&](const Statement& innermost) {
                        if (innermost.kind == Statement::Kind::loop)
                            depth = 3;
                    });
                });
                deepest = std::max(deepest, depth);
            });
        }
    CHECK(expressions.size() == 16);
    CHECK(statements.size() == 7);
    CHECK(types.size() == 7);
    CHECK(deepest == 3);
    CHECK(whiles > 20);
    CHECK(limits > 20);
}

} // namespace
} // namespace slimgrad::hunt
