#pragma once

#include "attributes/rule.h"
#include "plugin/slang/compiler.h"
#include "plugin/verify/module_kernels.h"
#include "plugin/verify/verify.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

class ResultCache;

/// Climbs the ladder (step.h) for every entry point and [CudaDeviceExport] function of a module
/// that runs a backward pass: on the text that slangc emits for C++ and on the one it emits for
/// CUDA, whichever run on the host. What was compiled is kept for later calls. Not thread-safe.
class ModuleVerifier {
  public:
    /// `cache`: keeps results for later runs; null: none. What a CUDA device said, and what came
    /// of a limit or a crash, is never kept.
    ModuleVerifier(SlangCompiler& compiler, Verifier& verifier,
                   std::shared_ptr<ResultCache> cache = nullptr)
        : kernels_(compiler), verifier_(verifier), cache_(std::move(cache)) {}

    /// Are the gradients the same? The loops of `original` have to be exercised. A difference in 32
    /// bits is decided in double where both can be retyped. Empty: `original` has nothing that
    /// runs a backward pass. Error: a tool cannot be started.
    Result<std::vector<VerifyResult>> compare(const ModuleView& original,
                                              const ModuleView& rewritten,
                                              const VerifyOptions& options,
                                              const Promises& promises);

    /// Are the gradients right? `right`, `wrong`, `unverified` or `cannot run`.
    Result<std::vector<VerifyResult>> check(const ModuleView& module, const VerifyOptions& options,
                                            const Promises& promises);

  private:
    Result<std::vector<VerifyResult>> compare_anew(const ModuleView& original,
                                                   const ModuleView& rewritten,
                                                   const VerifyOptions& options,
                                                   const Promises& promises);
    /// Of compilations and runs that another time may not end as they did.
    std::uint64_t accidents();
    /// The whole ladder. Of one module alone `original` is `rewritten`: the same object.
    Result<VerifyResult> verify_entry(const ModuleView& original, const ModuleView& rewritten,
                                      const std::string& entry_point, const VerifyOptions& options,
                                      const Promises& promises);
    /// [CudaDeviceExport] functions, by entry points that call them (exported_functions.h).
    Result<void> verify_exports(const ModuleView& original, const ModuleView& rewritten,
                                const VerifyOptions& options, const Promises& promises,
                                std::vector<VerifyResult>& results);
    Result<VerifyResult> compare_entry(const ModuleView& original, const ModuleView& rewritten,
                                       const std::string& entry_point,
                                       const VerifyOptions& options);
    Result<VerifyResult> compare_on(verify::Machine machine, const ModuleView& original,
                                    const ModuleView& rewritten, const std::string& entry_point,
                                    const VerifyOptions& options);
    Result<VerifyResult> check_entry(const ModuleView& module, const std::string& entry_point,
                                     const VerifyOptions& options);
    Result<void> confirm_on(verify::Machine other, verify::Machine primary,
                            const ModuleView& original, const ModuleView& rewritten,
                            const VerifyOptions& options, VerifyResult& result);
    /// Takes over what a run on this machine says about the module's threads.
    Result<void> note_conflict(verify::Machine machine, const ModuleView& module,
                               const VerifyOptions& options, VerifyResult& result);
    /// Of the original where it alone is checked, of the rewritten, and where they differ of both.
    Result<void> judge_derivatives(verify::Machine machine, const ModuleView& original,
                                   const ModuleView& rewritten, const VerifyOptions& options,
                                   VerifyResult& result);
    Result<std::vector<verify::DifferentiatedCall>> derivatives(verify::Machine machine,
                                                                const ModuleView& module,
                                                                const VerifyOptions& options,
                                                                const VerifyResult& result);

    /// The last step, if it is asked for. Of one module alone `original` is `rewritten`.
    Result<void> confirm_on_device(const ModuleView& original, const ModuleView& rewritten,
                                   const VerifyOptions& options, VerifyResult& result);

    ModuleKernels kernels_;
    Verifier& verifier_;
    std::shared_ptr<ResultCache> cache_;
};

} // namespace slimgrad
