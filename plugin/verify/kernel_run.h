#pragma once

#include "plugin/process/process.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/run_results.h"
#include "rewriter/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// What a kernel changed in one buffer in one sample.
struct BufferChanges {
    std::uint32_t sample = 0;
    std::uint32_t buffer = 0; ///< index into the plan's buffers
    std::vector<Change> changes;
    std::uint32_t round = 0; ///< of the sample, where the plan has rounds
};

/// Two threads of a launch that write one scalar, not both with atomic functions, in an order that
/// nothing sets (write_watch.h).
struct ScalarConflict {
    struct Thread {
        std::uint32_t group = 0, index = 0; ///< index: within the group
    };
    std::uint32_t sample = 0;
    std::uint32_t buffer = 0; ///< index into the plan's buffers; their number: groupshared memory
    std::uint64_t scalar = 0; ///< of the buffer; of groupshared memory the byte
    std::array<Thread, 2> threads;
};

struct KernelRun {
    enum class End {
        done,
        out_of_range, ///< checked build only: see the fields below
        failed,       ///< crashed, hung, out of memory, unusable: see `failure`
    };
    End end = End::done;
    std::string failure;      ///< "crashed (signal 11, Segmentation fault)", "was stopped by
                              ///< AddressSanitizer: heap-buffer-overflow, WRITE of size 4"
    Place place;              ///< of the shader, where a sanitizer names it: no column
    bool timed_out = false;   ///< or somebody else killed it: it was not let come to its end
    bool accident = false;    ///< it hit a limit or a signal ended it: another time neither may be
    std::uint32_t sample = 0; ///< the one that ran last
    std::uint32_t subscript = 0;            ///< index into InstrumentedText::subscripts
    std::string buffer;                     ///< that was indexed; "" for an array
    std::uint64_t index = 0, count = 0;     ///< in elements; in bytes for a byte-address buffer
    std::optional<std::uint32_t> dimension; ///< of a tensor: index and count are along it
    /// The kernel did something that cannot be run here: what it computes is not known.
    bool unsupported = false;
    /// By loop: how often runs of it passed its head. Where an index was out of range: of the loops
    /// around it, so far.
    std::map<std::uint32_t, std::set<std::uint64_t>> heads;
    std::set<std::uint32_t> ways; ///< of branches, that were taken (EmittedBranch)
    std::vector<BufferChanges> changes;
    std::vector<ScalarConflict> conflicts; ///< if watched: the first of each buffer and sample
    bool all_watched = false;              ///< nothing that the threads wrote was left out
};

/// Whether every floating-point value that the kernel wrote is finite.
bool all_finite(const KernelRun& run, const InputPlan& plan);

/// Whether both wrote the same, bit by bit.
bool same_changes(const KernelRun& a, const KernelRun& b);
/// Whether both wrote the same scalars, whatever they wrote there.
bool same_places(const KernelRun& a, const KernelRun& b);

/// Runs compiled kernels in slimgrad-run, a child with limits.
class KernelRunner {
  public:
    /// `program`: path of slimgrad-run; slimgrad-run-sanitized and slimgrad-run-gpu stand beside
    /// it.
    explicit KernelRunner(std::string program) : program_(std::move(program)) {}

    struct Call {
        std::string library, entry_point;
        std::uint32_t first = 0, samples = 0;
        CpuBuild build = CpuBuild::plain; ///< what the library was compiled as
        bool watched = false;             ///< cuda machine only: look for conflicts between threads
        bool on_device = false; ///< the library is PTX: slimgrad-run-gpu runs it on a CUDA device
    };

    /// May be called from several threads at a time. Error: the program cannot be started, or
    /// cannot use what it is given.
    Result<KernelRun> run(const Call& call, const InputPlan& plan, const ProcessLimits& limits);
    /// Runs always, and keeps the result for `run_again`. Not from several threads.
    Result<KernelRun> run_anew(const Call& call, const InputPlan& plan,
                               const ProcessLimits& limits);
    /// Keeps the last few runs: for an original that many variants are compared with. Not from
    /// several threads.
    Result<KernelRun> run_again(const Call& call, const InputPlan& plan,
                                const ProcessLimits& limits);

    struct Device {
        std::string name;             ///< "NVIDIA H200"
        std::uint32_t capability = 0; ///< 90 for sm_90
    };
    /// The device that calls run on. Error: "no CUDA device: " and why.
    Result<Device> device(const ProcessLimits& limits) const;

    /// How many of the runs it gave ended by accident.
    std::uint64_t accidents() const { return accidents_; }
    const std::string& program() const { return program_; }

  private:
    std::string program_;
    std::map<std::string, KernelRun> kept_; ///< by call and plan
    std::atomic<std::uint64_t> accidents_ = 0;
};

} // namespace slimgrad::verify
