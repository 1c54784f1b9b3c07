#pragma once

#include "plugin/cli/loaded_module.h"
#include "plugin/cuda/cuda_text.h"
#include "plugin/process/process.h"
#include "plugin/verify/rewritten_text.h"
#include "temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace slimgrad {

/// A shader of the source tree, "corpus/ode.slang", compiled for CUDA by the real compiler.
inline LoadedModule loaded_shader(const std::string& file) {
    static SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    const std::string path = SLIMGRAD_SOURCE_DIR "/" + file;
    Result<LoadedModule> module = load_module(compiler, {path, SLIMGRAD_SOURCE_DIR, {"-O3"}, {}});
    REQUIRE_MESSAGE(module, to_string(module.error()));
    return std::move(*module);
}

struct ByClang {
    std::string text;
    nlohmann::json report;

    bool changed_by(const std::string& pass) const {
        const auto& passes = report.at("passes");
        return std::find(passes.begin(), passes.end(), pass) != passes.end();
    }
};

/// What slimgrad-clang makes of a text. Fails the test case if it is not there, or fails.
inline ByClang rewritten_by(const std::string& text, const std::vector<std::string>& arguments) {
    const TemporaryFolder folder;
    ProcessOptions process;
    process.arguments = {SLIMGRAD_BUILD_DIR "/slimgrad-clang", "-", "-o", folder / "out.cu"};
    process.arguments.insert(process.arguments.end(), arguments.begin(), arguments.end());
    for (const std::string& macro : read_cuda_text(text).defines)
        process.arguments.insert(process.arguments.end(), {"-D", macro});
    process.standard_input = text;
    const Result<ProcessResult> done = run_process(process);
    REQUIRE_MESSAGE(done, done.error().message);
    REQUIRE_MESSAGE(done->succeeded(), done->err);
    return {folder.read("out.cu"), nlohmann::json::parse(done->out)};
}

} // namespace slimgrad
