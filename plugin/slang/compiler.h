#pragma once

#include "plugin/process/process.h"
#include "plugin/slang/reflection.h"
#include "rewriter/result.h"
#include "rewriter/source_edit.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace slimgrad {

class ResultCache;
class WorkerProcess;

namespace slang_plugin {
class CompileCache;
}

enum class SlangTarget {
    cuda,
    cpp,
    /// The front end alone. There is no code, and no layout: `-dump-ir` among the arguments gives
    /// the module's IR as it is before any pass, in the text that slangc prints.
    ir
};

/// One compilation of one module, all its entry points into one text.
struct CompileRequest {
    std::string file; ///< path of the module's own file
    /// slangc's own options: -I, -D, -entry, -stage, -profile, -O... -O3 where they give no -O. Not
    /// -target and -o.
    std::vector<std::string> arguments;
    SlangTarget target = SlangTarget::cuda;
    FileTexts overlay; ///< canonical path -> bytes that stand in for the disk's
    /// Files outside it, the -I folders and the folder of `file` are refused; "" for only those.
    std::string project_root;
    bool checkpoint_report = true;
    bool reflection = true;
    std::vector<std::string> shapes; ///< functions whose shape is asked for: "eval<8>", "N.f"
};

enum class DiagnosticSeverity { note, warning, error };

struct Diagnostic {
    DiagnosticSeverity severity = DiagnosticSeverity::error;
    std::string code; ///< "E30510", or "" where the compiler gives none
    std::string message;
    Place place;
};

/// One stored value: a `span` row of the compiler's report (-report-checkpoint-intermediates).
struct CheckpointValue {
    Place place;      ///< carried variable: its declaration; loop counter: `for`; call: `(`; buffer
                      ///< read: `[`
    std::string type; ///< "FixedArray<float, 34>"
    std::uint64_t bytes = 0; ///< of all of them
    std::uint32_t count =
        1; ///< values of this type stored from this place, as where a loop was unrolled
};

/// One differentiated function instance: a `note` row with its spans. Instances of a generic share
/// a name. A total includes the contexts of stored callees: never add totals up.
struct CheckpointContext {
    std::string function;
    Place place;
    std::uint64_t bytes = 0;
    std::vector<CheckpointValue> values;
    /// Given to bwd_diff directly (or a differentiable kernel itself), and so not stored in, or
    /// recomputed during, the backward pass of another differentiated function.
    bool outermost = true;
};

enum class CompileStatus {
    succeeded,
    rejected, ///< the module has errors or cannot be read: see the diagnostics
    refused,  ///< it reads a file outside the allowed folders
    crashed,
    timed_out,
    out_of_memory,
    killed, ///< by somebody else, each time it was started: nothing is known of the module
};

struct CompileResult {
    CompileStatus status = CompileStatus::succeeded;
    std::string detail; ///< for all but succeeded: one line for a person
    std::string code;   ///< CUDA or C++ text, or the IR's
    /// What `-dump-ast` among the arguments writes: the declarations as they were parsed, without
    /// what is in functions. The request's paths have to be absolute then.
    std::string syntax_tree;
    std::vector<CheckpointContext> contexts;
    std::vector<Diagnostic> diagnostics; ///< without the rows of the report
    /// Canonical paths of the files that were read, the module's own first; also where the module
    /// was rejected.
    std::vector<std::string> dependencies;
    Reflection reflection;
    std::chrono::milliseconds duration{0};

    bool succeeded() const { return status == CompileStatus::succeeded; }
    /// Checkpoint bytes of the module's kernels: the sum over the outermost contexts. The report's
    /// total for a function holds what its stored callees store; a recomputed callee's context
    /// lives only while its caller's backward pass runs. Neither is added.
    std::uint64_t checkpoint_bytes() const;
};

/// Places name files by their canonical paths, except for the compiler's builtin modules and for
/// names that `#line` directives made up. Columns are bytes, a tab is one.
///
/// The Slang compiler in a worker process of its own (build/slimgrad-slang), started at the first
/// request and again after a crash, a hang or running out of memory. The worker keeps one global
/// session and takes a new session per request. Not thread-safe: one per thread.
class SlangCompiler {
  public:
    struct Options {
        std::string worker;   ///< path of slimgrad-slang; "" for the one beside the running program
        ProcessLimits limits; ///< per request: 30 s, 4 GiB, 64 MiB of result
        /// Null: every request is compiled.
        std::shared_ptr<ResultCache> cache = nullptr;
    };

    explicit SlangCompiler(Options options);
    ~SlangCompiler();
    SlangCompiler(SlangCompiler&&) noexcept;
    SlangCompiler& operator=(SlangCompiler&&) noexcept;

    /// Error: the worker itself cannot be started or does not speak. What the compiler makes of the
    /// module is in the result, failures included. What the cache knows needs no worker.
    Result<CompileResult> compile(const CompileRequest& request);

    /// "2026.14.1".
    Result<std::string> version();

    /// Whether its worker process runs: something was compiled that no cache knew.
    bool is_running() const { return worker_ != nullptr; }
    /// Starts the process, which takes as long as a compilation, before it is needed.
    void prepare() { (void)ensure_worker(); } // compile() says what is wrong

    /// What its results depend on beside the requests: the programs, as the cache tells them apart.
    std::string identity() const;
    /// How many compilations have hit a limit or crashed: another time they may not.
    std::uint64_t accidents() const { return accidents_; }

  private:
    Result<void> ensure_worker();
    Result<CompileResult> compile_anew(const CompileRequest& request);

    Options options_;
    std::unique_ptr<slang_plugin::CompileCache> cache_; ///< null: none
    std::unique_ptr<WorkerProcess> worker_;             ///< null until it is needed
    std::string version_;
    bool fresh_ = true; ///< the worker has not answered a request yet
    std::uint64_t accidents_ = 0;
};

} // namespace slimgrad
