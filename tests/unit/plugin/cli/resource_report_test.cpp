#include "plugin/cli/resource_report.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

ModuleReport example() {
    ModuleReport report;
    report.file = "/p/a.slang";
    KernelFigures forward, backward;
    forward.name = "primalMain";
    backward.name = "gradMain";
    backward.direction = Direction::backward;
    backward.registers = 255;
    report.before = {{backward, forward}, 12};
    report.compiled.contexts = {{"small", {"/p/a.slang", 2, 3}, 4, {}},
                                {"large",
                                 {"/p/a.slang", 5, 6},
                                 12,
                                 {{{"/p/a.slang", 7, 8}, "float", 4}, {{}, "float2", 8}}}};
    return report;
}

std::size_t at(const std::string& text, std::string_view part) {
    const std::size_t position = text.find(part);
    CHECK_MESSAGE(position != std::string::npos, text, " lacks ", part);
    return position;
}

} // namespace

TEST_CASE(
    "a report shows kernels forward before backward, then the largest contexts and values first") {
    MeasuredWith with;
    with.arch = "sm_89";
    with.slang_version = "2026.14.1";
    with.slang_arguments = {"-O3"};
    TextOptions options;
    options.directory = "/p";
    const std::string text = resource_text(example(), with, options);
    CHECK(text.starts_with(
        "a.slang (slangc 2026.14.1, sm_89, fast math on, slangc arguments: -O3)\n"));
    CHECK(at(text, "primalMain") < at(text, "gradMain"));
    CHECK(at(text, "gradMain") < at(text, "a.slang:5:6: large stores 12 B"));
    CHECK(at(text, "float2") < at(text, "a.slang:7:8"));
    CHECK(at(text, "(no place given)") < at(text, "a.slang:7:8"));
    CHECK(at(text, "large stores") < at(text, "a.slang:2:3: small stores 4 B"));
}

TEST_CASE("contexts of one function are told apart, those of overloads are not compared") {
    ModuleReport report;
    report.file = "/p/a.slang";
    report.compiled.contexts = {{"f", {}, 4, {}}, {"f", {}, 8, {}}};
    report.compiled.reflection.functions.emplace_back().name = "f";
    report.compiled.reflection.functions.back().place = {"/p/a.slang", 3, 1};
    TextOptions options;
    options.directory = "/p";
    const std::string text = resource_text(report, {}, options);
    CHECK(at(text, "a.slang:3:1: f (specialisation 1 of 2) stores 8 B") <
          at(text, "a.slang:3:1: f (specialisation 2 of 2) stores 4 B"));
    report.compiled.reflection.functions.push_back(report.compiled.reflection.functions.back());
    CHECK(resource_text(report, {}, options).find("specialisation") == std::string::npos);
}

TEST_CASE("a module that stores nothing is told from one that has no gradient") {
    ModuleReport report = example();
    CHECK(no_context_reason(report).empty());
    report.compiled.contexts.clear();
    CHECK(no_context_reason(report) == "the backward pass stores nothing");

    FunctionSignature kernel;
    kernel.differentiable = true;
    kernel.parameters = {{"x", "TensorView<float>"}};
    report.compiled.reflection.functions = {kernel};
    CHECK(no_context_reason(report).find("there is no gradient at all") != std::string::npos);
    report.compiled.reflection.functions[0].parameters.push_back({"y", "DiffTensorView<float>"});
    CHECK(no_context_reason(report) == "the backward pass stores nothing");

    report.before.kernels.clear();
    CHECK(no_context_reason(report) == "no kernel runs a backward pass");
}
