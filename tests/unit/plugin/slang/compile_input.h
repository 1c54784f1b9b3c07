#pragma once

#include "plugin/slang/compiler.h"

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// Path of a shader in inputs/.
inline std::string input_path(const std::string& name) {
    return std::string(SLIMGRAD_SOURCE_DIR) + "/tests/unit/plugin/slang/inputs/" + name;
}

inline CompileRequest request_for(std::string file, std::vector<std::string> arguments = {}) {
    CompileRequest request;
    request.file = std::move(file);
    request.arguments = std::move(arguments);
    return request;
}

/// One compiler for all test cases: what one of them does to it must not matter to the next.
inline SlangCompiler& shared_compiler() {
    static SlangCompiler compiler{SlangCompiler::Options{}};
    return compiler;
}

inline CompileResult compile(const CompileRequest& request,
                             SlangCompiler& compiler = shared_compiler()) {
    Result<CompileResult> result = compiler.compile(request);
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : to_string(result.error())));
    return std::move(*result);
}

} // namespace slimgrad
