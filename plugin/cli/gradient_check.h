#pragma once

#include "attributes/rule.h"
#include "plugin/slang/compiler.h"
#include "plugin/verify/verify.h"
#include "rewriter/result.h"

#include <string>
#include <vector>

namespace slimgrad {

/// One variant of a module: a file as on disk, or with other texts in its place.
struct ModuleVariant {
    std::string file; ///< canonical
    std::string root;
    std::vector<std::string> slang_arguments;
    FileTexts overlay;
};

/// Compiles both variants for the CPU and compares every entry point that runs a backward pass in
/// `before`, or all of them where none does; the loops of `before` have to be exercised. Empty:
/// `before` has no entry point that a CPU could run. Error: a variant does not compile (the
/// compiler's own words), or a tool cannot be started.
Result<std::vector<VerifyResult>>
check_gradients(SlangCompiler& compiler, const ModuleVariant& before, const ModuleVariant& after,
                const VerifyOptions& options, const Promises& promises);

} // namespace slimgrad
