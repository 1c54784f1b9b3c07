#include "tests/fuzz/module_text.h"

#include <fmt/format.h>

namespace slimgrad::hunt {
namespace {

constexpr std::string_view shared_differences = R"(StructuredBuffer<int> gSelected;
RWStructuredBuffer<double> gMoved;
RWStructuredBuffer<double> gValues;
double bend_primal(double x) { return x / (1.0 + x * x); }
)";

/// Evaluates the function where one input or weight after the other is moved.
std::string print_differences(const Program& program, const PrintStyle& style) {
    std::string moved, at_rest;
    int input = 0;
    for (const Parameter& parameter : program.functions.back().parameters) {
        const auto add = [&](std::string& values, const std::string& from) {
            values += values.empty() ? "" : ", ";
            if (parameter.type == integer_type) {
                values += "gCount[0]";
                return;
            }
            std::string list;
            for (int k = 0; k < scalar_count(parameter.type); ++k)
                list += fmt::format("{}{}[{}]", k ? ", " : "", from, input + k);
            values += parameter.type == real_type
                          ? list
                          : fmt::format("{}({})", type_name(parameter.type, style), list);
        };
        add(moved, "x");
        add(at_rest, "rest");
        input += scalar_count(parameter.type);
    }
    const std::string arguments = moved + (moved.empty() ? "" : ", ") + at_rest;
    return fmt::format(R"(void {0}run(int base) {{
    double rest[{1}], x[{1}];
    const double steps[4] = {{{2}, {3}, {4}, {5}}};
    for (int i = 0; i < {1}; i++) {{ rest[i] = gIn[i]; x[i] = rest[i]; }}
    for (int i = 0; i < {6}; i++) gMoved[i] = gWeights[i];
    for (int j = 0; j < {7}; j++)
        for (int s = 0; s < 4; s++) {{
            if (j < {8}) x[j] = rest[j] + steps[s]; else gMoved[j - {8}] = gWeights[j - {8}] + steps[s];
            gValues[base + 4 * j + s] = {9}({10});
            if (j < {8}) x[j] = rest[j]; else gMoved[j - {8}] = gWeights[j - {8}];
        }}
}}
)",
                       style.prefix, most_inputs, steps[0], steps[1], steps[2], steps[3],
                       weight_elements, input + weight_elements, input, root_name(program, style),
                       arguments);
}

/// The one of a module: a thread for each case.
std::string entry_point(const std::string& cases) {
    return "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid hunt(uint3 id : SV_DispatchThreadID) "
           "{\n"
           "    if (gSelected[0] >= 0 && gSelected[0] != int(id.x)) return;\n"
           "    switch (int(id.x)) {\n" +
           cases + "    }\n}\n";
}

} // namespace

int thread_count(const std::vector<Trial>& trials) {
    std::size_t count = trials.size();
    for (const Trial& trial : trials)
        count += trial.variants.size();
    return static_cast<int>(count);
}

std::string print_variants(const std::vector<Variant>& variants, Precision precision) {
    std::string text = print_shared(precision), cases;
    text += "StructuredBuffer<int> gSelected;\n";
    int thread = 0;
    for (const Variant& variant : variants) {
        const PrintStyle style{fmt::format("p{}_", thread), precision, false};
        text += print_functions(variant.program, style);
        text += print_run(variant.program, style);
        cases += fmt::format("    case {}: {}run({}); break;\n", thread, style.prefix,
                             thread * gradient_stride);
        ++thread;
    }
    return text + entry_point(cases);
}

std::string print_trials(const std::vector<Trial>& trials, Precision precision) {
    std::string text = print_shared(precision);
    text += shared_differences;
    std::string cases;
    int thread = 0;
    for (std::size_t t = 0; t < trials.size(); ++t)
        for (std::size_t v = 0; v < trials[t].variants.size(); ++v, ++thread) {
            const PrintStyle style{fmt::format("p{}v{}_", t, v), precision, false};
            text += print_functions(trials[t].variants[v].program, style);
            text += print_run(trials[t].variants[v].program, style);
            cases += fmt::format("    case {}: {}run({}); break;\n", thread, style.prefix,
                                 thread * gradient_stride);
        }
    for (std::size_t t = 0; t < trials.size(); ++t, ++thread) {
        const PrintStyle style{fmt::format("p{}_", t), Precision::twice, true};
        const Program& program = trials[t].variants.front().program;
        text += print_functions(program, style);
        text += print_differences(program, style);
        cases += fmt::format("    case {}: {}run({}); break;\n", thread, style.prefix,
                             static_cast<int>(t) * value_stride);
    }
    return text + entry_point(cases);
}

} // namespace slimgrad::hunt
