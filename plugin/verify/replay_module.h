#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/derivative_sites.h"
#include "plugin/verify/module_variant.h"
#include "plugin/verify/replay_text.h"
#include "plugin/verify/verify.h"
#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad::verify {

/// A site in a replay module.
struct ReplaySite {
    DerivativeSite site;
    std::string problem;         ///< why it is not replayed; the rest is empty then
    std::string forward_problem; ///< why fwd_diff(f) is not part of it
    std::string entry_point;     ///< "slimgrad_replay_0"
    std::uint64_t base = 0;      ///< of its records in slimgrad_records
    std::uint64_t words = 0;     ///< of one record
    std::uint32_t scalars = 0;   ///< of the arguments that move
    bool half = false;
};

/// A module whose bwd_diff calls are recorded and that has entry points which replay them, compiled
/// for the CPU.
struct ReplayModule {
    CompileResult compiled;
    std::vector<ReplaySite> sites;
    std::uint64_t record_words = 0; ///< of slimgrad_records while recording

    bool can_run() const { return compiled.succeeded() && !compiled.code.empty(); }
};

struct ReplayModuleRequest {
    const ModuleVariant* variant = nullptr;
    const ModuleModel* model = nullptr; ///< of the variant
    std::string entry_point;
    SlangTarget target = SlangTarget::cpp;
};

/// Generates and compiles the module. What the compiler does not take is left out: first fwd_diff,
/// then the sites that it does not take alone. Error: the compiler cannot be started.
Result<ReplayModule> compile_replay_module(SlangCompiler& compiler,
                                           const ReplayModuleRequest& request,
                                           std::vector<DerivativeSite> sites);

} // namespace slimgrad::verify
