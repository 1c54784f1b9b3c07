#include "attributes/wrong_gradient.h"

#include "module_text.h"

#include <limits>

using namespace slimgrad;

namespace {

using Kind = GradientFact::Kind;

GradientFact fact(Kind kind, const std::string& subject = "") {
    GradientFact result;
    result.kind = kind;
    result.place = {"/p/a.slang", 2, 5};
    result.function = "f";
    result.subject = subject;
    result.backward = 3.6391234;
    result.reference = 1.393;
    result.mismatching = 31;
    result.samples = 32;
    return result;
}

std::vector<Finding> findings(const std::vector<GradientFact>& facts,
                              const std::string& text = "float f();\nfloat g();\n") {
    const ModuleText module(text);
    RuleInput input = module.input();
    input.gradient_facts = facts;
    return run_rules(input);
}

std::string message(const GradientFact& one, Severity severity = Severity::error) {
    const std::vector<Finding> found = findings({one});
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == "wrong-gradient");
    CHECK(found[0].severity == severity);
    CHECK(found[0].place == one.place);
    CHECK(found[0].fixes.empty());
    return found[0].message;
}

} // namespace

TEST_SUITE("attributes/wrong_gradient") {
    TEST_CASE("nothing was run: nothing is said") {
        CHECK(findings({}).empty());
    }

    TEST_CASE("each fact is one message with the numbers seen") {
        CHECK(message(fact(Kind::differences)) ==
              "the gradients of 'f' are wrong: bwd_diff gives 3.639, central differences 1.393 on "
              "31 of 32 inputs");
        CHECK(message(fact(Kind::custom_derivative, "f_bwd")) ==
              "the custom derivative 'f_bwd' of 'f' is wrong: bwd_diff gives 3.639, central "
              "differences 1.393 on 31 of 32 inputs");
        CHECK(message(fact(Kind::mutated_memory, "gW")) ==
              "'f' reads 'gW' again in the backward pass, after it was written: bwd_diff gives "
              "3.639, without recomputation 1.393 on 31 of 32 inputs");
    }

    TEST_CASE("an index that leaves an array of stored values") {
        GradientFact one = fact(Kind::index_out_of_range);
        one.index = 6;
        one.extent = 6;
        CHECK(message(one) == "the backward pass of 'f' indexes an array of 6 stored values with "
                              "6: the loop runs more often than its bound says");
        one.nested = true;
        CHECK(message(one).ends_with(
            "slangc stores values of nested loops with unequal bounds transposed"));
    }

    TEST_CASE("a cut may be meant") {
        CHECK(message(fact(Kind::cut_path, "detach"), Severity::note) ==
              "this detach cuts a path of 'f' that carries gradient: bwd_diff gives 3.639, central "
              "differences 1.393 on 31 of 32 inputs; without it they agree. It may be meant");
    }

    TEST_CASE("a common factor, gradients that are not finite, one input, no place") {
        GradientFact one = fact(Kind::differences);
        one.factor = 2;
        CHECK(message(one).ends_with("on 31 of 32 inputs, always 2 times as much"));
        one.factor = 0;
        one.backward = std::numeric_limits<double>::quiet_NaN();
        one.mismatching = one.samples = 1;
        CHECK(message(one).ends_with(
            "bwd_diff gives nan, central differences 1.393 on 1 of 1 input"));
        one.place = {};
        const std::vector<Finding> found = findings({one});
        REQUIRE(found.size() == 1);
        CHECK(found[0].place == Place{"/p/a.slang", 0, 0});
    }

    TEST_CASE("a comment switches it off") {
        const std::string text =
            "// slimgrad: off(wrong-gradient) straight-through estimator\nfloat f();\n";
        CHECK(findings({fact(Kind::differences)}, text).empty());
    }
}
