#pragma once

#include "plugin/process/process.h"
#include "plugin/slang/reflection.h"
#include "rewriter/result.h"
#include "rewriter/source_edit.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace slimgrad {

enum class SlangTarget { cuda, cpp };

/// One compilation of one module, all its entry points into one text.
struct CompileRequest {
    std::string file;                   ///< path of the module's own file
    std::vector<std::string> arguments; ///< slangc's own options: -I, -D, -entry, -stage, -profile, -O...
    SlangTarget target = SlangTarget::cuda;
    FileTexts overlay;                  ///< canonical path -> bytes that stand in for the disk's
    std::string project_root;           ///< files outside it and the -I folders are refused
    bool checkpoint_report = true;
    bool reflection = true;
};

enum class DiagnosticSeverity { note, warning, error };

struct Diagnostic {
    DiagnosticSeverity severity = DiagnosticSeverity::error;
    std::string code;    ///< "E30510", or "" where the compiler gives none
    std::string message;
    Place place;
};

/// One stored value: a `span` row of the compiler's report (-report-checkpoint-intermediates).
struct CheckpointValue {
    Place place;              ///< carried variable: its declaration; loop counter: `for`; call: `(`; buffer read: `[`
    std::string type;         ///< "FixedArray<float, 34>"
    std::uint64_t bytes = 0;
};

/// One differentiated function instance: a `note` row with its spans. Instances of a generic share a name.
/// A total includes the contexts of stored callees: never add totals up.
struct CheckpointContext {
    std::string function;
    Place place;
    std::uint64_t bytes = 0;
    std::vector<CheckpointValue> values;
};

enum class CompileStatus {
    succeeded,
    rejected,      ///< the module has errors: see the diagnostics
    refused,       ///< it reads a file outside the allowed folders
    crashed,
    timed_out,
    out_of_memory,
};

struct CompileResult {
    CompileStatus status = CompileStatus::succeeded;
    std::string detail;                    ///< for all but succeeded: one line for a person
    std::string code;                      ///< CUDA or C++ text
    std::vector<CheckpointContext> contexts;
    std::vector<Diagnostic> diagnostics;   ///< without the rows of the report
    std::vector<std::string> dependencies; ///< canonical paths of the files that were read, the module's own first
    Reflection reflection;
    std::chrono::milliseconds duration{0};

    bool succeeded() const { return status == CompileStatus::succeeded; }
    /// Checkpoint bytes of the module's kernels: the sum over contexts that are not part of another one.
    std::uint64_t checkpoint_bytes() const;
};

/// The Slang compiler in a worker process of its own (build/slimgrad-slang), started at the first request and again after
/// a crash, a hang or running out of memory. The worker keeps one global session and takes a new session per request.
/// Not thread-safe: one per thread.
class SlangCompiler {
  public:
    struct Options {
        std::string worker;   ///< path of slimgrad-slang; "" for the one beside the running program
        ProcessLimits limits; ///< per request: 30 s, 4 GiB
    };

    explicit SlangCompiler(Options options);
    ~SlangCompiler();
    SlangCompiler(SlangCompiler&&) noexcept;
    SlangCompiler& operator=(SlangCompiler&&) noexcept;

    /// Error: the worker itself cannot be started or does not speak. What the compiler makes of the module is in the
    /// result, failures included.
    Result<CompileResult> compile(const CompileRequest& request);

    /// "2026.14.1".
    Result<std::string> version();

  private:
    struct Worker;
    Options options_;
    std::unique_ptr<Worker> worker_;
};

} // namespace slimgrad
