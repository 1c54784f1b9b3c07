#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/module_variant.h"
#include "plugin/verify/verify.h"
#include "rewriter/module_model.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// A variant of a module as its caller compiled it for CUDA, with reflection, and read it. Has to
/// outlive the calls it is given to.
struct ModuleView {
    ModuleVariant source;
    const CompileResult* cuda = nullptr;
    const ModuleModel* model = nullptr;
};

/// A module's text for one machine.
struct ModuleKernel {
    CpuVariant kernel;
    std::string problem;   ///< why there is none: the compiler's words
    bool accident = false; ///< the compiler hit a limit or crashed: another time it may not
};

/// The texts that slangc emits for modules, for both machines. Keeps them. Not thread-safe.
class ModuleKernels {
  public:
    explicit ModuleKernels(SlangCompiler& compiler) : compiler_(compiler) {}

    /// Error: Slang cannot be started.
    Result<const ModuleKernel*> get(const ModuleView& module, verify::Machine machine);
    /// The machines that have the entry point, the one that counts first.
    Result<std::vector<verify::Machine>> machines(const ModuleView& module,
                                                  const std::string& entry_point);
    /// Compiles for the host all that a comparison on these machines runs, together.
    Result<void> compile_ahead(verify::CpuLibraries& libraries,
                               const std::vector<verify::Machine>& machines,
                               const ModuleView& original, const ModuleView& rewritten,
                               const ProcessLimits& limits);
    /// Another text of a module; not kept.
    Result<CompileResult> compile(const ModuleVariant& variant, verify::Machine machine);

    SlangCompiler& compiler() { return compiler_; }
    /// How many of the kernels it gave again are not there by accident.
    std::uint64_t accidents() const { return accidents_; }

  private:
    SlangCompiler& compiler_;
    std::map<std::pair<std::string, verify::Machine>, ModuleKernel>
        kernels_; ///< by what was compiled
    std::uint64_t accidents_ = 0;
};

CpuVariant kernel_of(const ModuleView& module, const CompileResult& compiled,
                     verify::Machine machine);

/// Of a compilation that failed, in the compiler's words.
std::string first_error(const CompileResult& compiled);

/// Whether the machine can run it.
bool has_entry_point(const CpuVariant& kernel, const std::string& entry_point);

/// All that may put text of the target's language into the emitted code: the files, names of files,
/// and what -D options define.
std::string target_text_sources(const ModuleModel& model,
                                const std::vector<std::string>& slang_arguments);

/// The entry points that run a backward pass, by the shader's names: their CUDA code does, or their
/// source says so.
std::vector<std::string> backward_entry_points(const ModuleView& module);

/// The [CudaDeviceExport] functions that run a backward pass.
std::set<std::string> backward_exports(const ModuleView& module);

} // namespace slimgrad
