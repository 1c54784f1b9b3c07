#pragma once

#include "attributes/trip_count.h"
#include "module_text.h"

#include <string>

namespace slimgrad {

/// Of the first loop, or the one asked for: "= 8", "= N", "<= 8", "?" where nothing is proved;
/// "promised" where a range says it, "input" where it differs from run to run.
inline std::string trips(const std::string& text, const Promises& promises = {}, Index loop = 0) {
    const ModuleText module(text);
    REQUIRE(module.model.loops.size() > loop);
    const TripCount count = trip_count(module.model, loop, promises);
    std::string words = count.exact                       ? "= " + std::to_string(*count.exact)
                        : count.expression_is_constant    ? "= " + count.exact_expression
                        : count.upper                     ? "<= " + std::to_string(*count.upper)
                        : !count.upper_expression.empty() ? "<= " + count.upper_expression
                                                          : "?";
    CHECK((words != "?") == count.why_unknown.empty());
    return words + (count.upper_is_promised ? " promised" : "") + (count.is_input ? " input" : "");
}

inline std::string loop(const std::string& head) {
    return "void f(int n, float x) { for (" + head + ") { } }";
}

/// `f(x, n)` with `for (k < n)`, called as the text says from a kernel.
inline std::string called(const std::string& calls, const std::string& before = "") {
    return "RWStructuredBuffer<float> outb;\n" + before +
           "float f(float x, int n) { for (int k = 0; k < n; ++k) x += 1; return x; }\n"
           "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { " +
           calls + " }\n";
}

} // namespace slimgrad
