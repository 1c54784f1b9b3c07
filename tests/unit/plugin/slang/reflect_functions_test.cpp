#include "tests/unit/plugin/slang/compile_input.h"

#include <algorithm>

namespace slimgrad {
namespace {

const FunctionSignature& function(const Reflection& reflection, const std::string& name) {
    auto found = std::find_if(reflection.functions.begin(), reflection.functions.end(),
                              [&](const auto& signature) { return signature.name == name; });
    REQUIRE(found != reflection.functions.end());
    return *found;
}

} // namespace

TEST_CASE("every function that the module declares, and none that the compiler makes up") {
    const Reflection reflection = compile(request_for(input_path("functions.slang"))).reflection;
    std::vector<std::string> names;
    for (const FunctionSignature& signature : reflection.functions)
        names.push_back(signature.name);
    CHECK(names == std::vector<std::string>{"Square.make", "Square.set", "Square.scaled",
                                            "IShape.area", "extended", "hidden", "twice",
                                            "Window.sum", "weigh", "custom", "customBackward",
                                            "overloaded", "overloaded", "modern"});
}

TEST_CASE("signatures") {
    const Reflection reflection = compile(request_for(input_path("functions.slang"))).reflection;
    const FunctionSignature& hidden = function(reflection, "hidden");
    CHECK(hidden.result_type == "float");
    REQUIRE(hidden.parameters.size() == 3);
    CHECK((hidden.parameters[0].is_in && !hidden.parameters[0].is_out));
    CHECK((!hidden.parameters[1].is_in && hidden.parameters[1].is_out));
    CHECK((hidden.parameters[2].is_in && hidden.parameters[2].is_out));
    CHECK(hidden.parameters[2].name == "c");
    CHECK(hidden.place == Place{input_path("functions.slang"), 10, 26});

    const FunctionSignature& weigh = function(reflection, "weigh");
    CHECK(weigh.differentiable);
    CHECK(weigh.parameters.at(0).no_diff);
    CHECK_FALSE(weigh.parameters.at(1).no_diff);

    CHECK(function(reflection, "custom").differentiable);
    CHECK_FALSE(function(reflection, "customBackward").differentiable);
    CHECK(function(reflection, "customBackward").result_type == "void");
    CHECK(function(reflection, "twice").generic);
    CHECK(function(reflection, "Window.sum").generic);
    CHECK_FALSE(function(reflection, "modern").generic);
    CHECK(function(reflection, "modern").parameters.at(0).type == "StructuredBuffer<float>");
    CHECK(function(reflection, "overloaded").attributes == std::vector<std::string>{"Cost"});
}

} // namespace slimgrad
