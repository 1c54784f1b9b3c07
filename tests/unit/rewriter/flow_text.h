#pragma once

#include "rewriter/variable_flow.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace slimgrad {

struct Read {
    ModuleModel model;
    FunctionFlow flow;
};

/// The flow of the function `f` of a text.
inline Read read(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("f.slang", text);
    Read result{build_module_model(std::move(files)), {}};
    const auto functions = result.model.find_functions("f");
    REQUIRE(functions.size() == 1);
    result.flow = read_flow(result.model, functions[0]);
    return result;
}

/// What is said of the first use of a variable: "condition", "carries", "unknown: its type ...". Or
/// of the last one.
inline std::string answer(const std::string& text, const std::string& name, bool last = false) {
    Read result = read(text);
    if (last)
        std::reverse(result.flow.uses.begin(), result.flow.uses.end());
    for (const Use& use : result.flow.uses) {
        if (result.flow.variables[use.variable].name != name)
            continue;
        if (use.derivative == DerivativeUse::carries)
            return "carries" + (use.reason.empty() ? "" : ": " + use.reason);
        return (use.derivative == DerivativeUse::unknown ? "unknown: " : "") + use.reason;
    }
    return "no use";
}

} // namespace slimgrad
