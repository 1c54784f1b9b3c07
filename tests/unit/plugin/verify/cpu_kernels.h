#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/verify.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// The source of a kernel of the corpus.
inline std::string corpus_kernel(const std::string& name) {
    std::ifstream file(SLIMGRAD_SOURCE_DIR "/corpus/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    REQUIRE(!text.str().empty());
    return text.str();
}

/// The text with the first occurrence of `from` replaced; fails the test case if there is none.
inline std::string edited(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, "no '" << from << "'");
    return text.replace(at, from.size(), to);
}

/// The shader, compiled by the real compiler. Fails the test case if it does not compile. One
/// compiler for all cases: it is started once. The place of line N is {"k.slang", N}.
inline const CpuVariant& variant_for(SlangTarget target, const std::string& source) {
    static std::map<std::pair<SlangTarget, std::string>, CpuVariant> known;
    if (const auto found = known.find({target, source}); found != known.end())
        return found->second;
    static SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    const TemporaryFolder folder;
    CompileRequest request;
    request.file = folder.write("k.slang", source);
    request.project_root = folder.path().string();
    request.target = target;
    request.checkpoint_report = false;
    const Result<CompileResult> compiled = compiler.compile(request);
    REQUIRE_MESSAGE(compiled, compiled.error().message);
    std::string messages = compiled->detail;
    for (const Diagnostic& diagnostic : compiled->diagnostics)
        messages += "\n" + to_string(diagnostic.place) + ": " + diagnostic.message;
    REQUIRE_MESSAGE(compiled->succeeded(), messages);
    CpuVariant& variant = known[{target, source}];
    variant.code = compiled->code;
    variant.reflection = compiled->reflection;
    variant.machine = target == SlangTarget::cuda ? verify::Machine::cuda : verify::Machine::cpp;
    return variant;
}

/// For the C++ machine.
inline const CpuVariant& cpu_variant(const std::string& source) {
    return variant_for(SlangTarget::cpp, source);
}

/// One verifier for all cases of a process: what it compiled stays.
inline Verifier& shared_verifier() {
    static Result<Verifier> verifier =
        Verifier::create({"g++", SLIMGRAD_BUILD_DIR "/slimgrad-run"});
    REQUIRE(verifier);
    return *verifier;
}

/// A loop to cover, at a line of the shader.
inline LoopToCover loop_at(std::uint32_t line, std::uint64_t bound, bool trip_count_is_input,
                           const std::string& input = "") {
    LoopToCover loop;
    loop.place = {"k.slang", line, 5};
    loop.bound = bound;
    loop.trip_count_is_input = trip_count_is_input;
    loop.input = input;
    return loop;
}

/// Compares the entry point `gradMain` of two shaders. Fails the test case if the verifier itself
/// fails.
inline VerifyResult compared(const std::string& original, const std::string& rewritten,
                             const VerifyOptions& options = {}) {
    const Result<VerifyResult> result = shared_verifier().compare(
        cpu_variant(original), cpu_variant(rewritten), "gradMain", options);
    REQUIRE_MESSAGE(result, result.error().message);
    CAPTURE(result->reason);
    return *result;
}

} // namespace slimgrad
