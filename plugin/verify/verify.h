#pragma once

#include "plugin/cuda/nvcc.h"
#include "plugin/process/process.h"
#include "plugin/slang/reflection.h"
#include "plugin/verify/branch_to_cover.h"
#include "plugin/verify/differentiated_call.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/step.h"
#include "rewriter/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slimgrad {

namespace verify {
class CpuLibraries;
class KernelRunner;
} // namespace verify

/// What values an input takes. Either one value (minimum == maximum) or a range, ends included.
struct InputRange {
    double minimum = 0;
    double maximum = 0;
};

/// Ranges by input: "gIn" (all elements), "gIn[3]" (one element), "params.count" (a member). From
/// slimgrad.toml [inputs].
using InputRanges = std::map<std::string, InputRange>;

/// A loop that the comparison has to exercise, as the rules see it.
struct LoopToCover {
    Place place;                     ///< of the keyword `for`, `while`, `do`
    std::uint32_t header_end = 0;    ///< line; 0: not known
    std::uint32_t outer_on_line = 0; ///< loops around it that start in its line
    /// Another loop that starts there has as many around it: what the emitted text says of a line
    /// may be about either.
    bool shares_line = false;
    /// Of a function with a custom backward derivative: backward passes do without it, and slangc
    /// leaves out what nothing else runs.
    bool replaced = false;
    std::optional<std::uint64_t> bound;   ///< N of its attribute or its proved trip count
    std::optional<std::uint64_t> allowed; ///< N of its attribute, which may be more
    bool trip_count_is_input = false;     ///< then 0, 1, N-1 and N trips have to be seen
    bool computed =
        false; ///< from inputs: not every number may come, so N and another one have to be seen
    bool tested_at_end = false; ///< `do ... while`: 0 trips cannot be seen
    bool always_bound = false;  ///< proved to run `bound` times, no more and no less
    std::uint64_t lowest = 0;   ///< fewer trips cannot come: by what the user said of the input
    /// The input that sets the trip count, if known: "params.count", "gIn[1]". Without a range it
    /// is drawn from 0 to the bound.
    std::string input;
    /// Where `input` is not known: the inputs that may decide when it ends, if they are known.
    std::optional<std::vector<std::string>> inputs;
};

/// What a comparison on a CUDA device takes beside the device.
struct DeviceOptions {
    CudaToolkit toolkit;
    NvccOptions nvcc; ///< fast_math does not count; the architecture where the device is not older
};

struct VerifyOptions {
    std::uint32_t samples = 32; ///< random inputs; floats are unit normal, or from [-1, 1] or [0,
                                ///< 1] if only those keep the results finite
    std::optional<std::uint32_t> sample; ///< compare only this one of them
    std::uint64_t seed = 1;
    double tolerance = 1e-5;   ///< |a-b| <= tolerance * max(|a|, |b|, RMS of the buffer)
    std::uint32_t threads = 3; ///< thread groups in x; in y and z, too, where their place matters
    InputRanges ranges;
    /// Buffers and those that custom derivatives add their gradients to: "gW" -> "gWG".
    std::map<std::string, std::string> gradients;
    std::vector<LoopToCover> loops;              ///< of the original's differentiated functions
    bool loops_are_all = false;                  ///< a loop that is not among them is not known
    std::vector<verify::BranchToCover> branches; ///< of the same functions
    /// Of the rewritten's, and of whatever differs between the two.
    std::vector<verify::BranchToCover> rewritten_branches;
    bool noalias = false;      ///< tensors, pointers and buffer parameters never overlap
    bool both_machines = true; ///< where the C++ and the CUDA text run, run both
    bool derivatives = true;   ///< also compare gradients with fwd_diff and central differences
    /// That no loop of the kernels makes more than; where their checkpoints are in a heap, arrays
    /// there are no longer than that takes. Nothing: as long as they were declared.
    std::optional<std::uint64_t> checkpoint_trips;
    bool sanitize = false;               ///< also run a build with AddressSanitizer and UBSan
    std::optional<DeviceOptions> device; ///< also compare on a CUDA device, if there is one
    ProcessLimits limits{std::chrono::milliseconds{60'000}, 8ull << 30, 64ull << 20};
};

enum class Verdict {
    equal,
    different,
    original_wrong,  ///< the original's own checkpoint arrays are indexed out of bounds
    rewritten_wrong, ///< the rewritten kernel's are, or it crashes or leaves a buffer where the
                     ///< original does not
    unverified,      ///< nothing differed, but the inputs did not reach enough
    cannot_run,
    right, ///< of one variant alone: bwd_diff agrees with central differences
    wrong, ///< of one variant alone: it does not
};

/// "equal", "different", "original wrong", "rewritten wrong", "unverified", "cannot run", "right",
/// "wrong".
std::string_view to_string(Verdict verdict);

/// The first difference beyond the tolerance.
struct Difference {
    std::string buffer;
    std::uint64_t element = 0; ///< flat scalar index into the buffer
    double original = 0, rewritten = 0;
    std::uint32_t sample = 0;
    std::string scalar = {}; ///< for people: "gParticles[3].mass"
};

/// An index that left an array of stored values.
struct LeftCheckpointArray {
    std::int64_t index = 0;
    std::uint64_t extent = 0;
};

struct VerifyResult {
    Verdict verdict = Verdict::cannot_run;
    std::string entry_point;
    std::string reason; ///< one line: "bit-equal on 32 inputs (cpp branch)", "index out of range:
                        ///< gIn[70000] at k.slang:12"
    Place place; ///< of the shader, where the verdict is about one: a loop, a subscript, rejected
                 ///< code
    bool bit_equal = false;
    bool reference_is_repaired =
        false; ///< the original is wrong: what it was compared with is a right form of it
    double largest_error = 0; ///< relative, in the sense of the tolerance
    std::optional<Difference> difference;
    /// Equal only since the rest of its buffer is so much larger.
    std::optional<Difference> hidden_difference;
    std::optional<LeftCheckpointArray> left_array;
    std::optional<std::uint32_t> sample; ///< that showed it: with the seed enough to run it again
    std::uint32_t samples = 0;
    std::uint64_t seed = 0;
    bool rewritten_clean = false; ///< the rewritten kernel ran to its end with every index inside;
                                  ///< known also where the original is wrong
    std::vector<std::string>
        unused_ranges;             ///< names under [inputs] that are no input of this entry point
    std::vector<StepReport> steps; ///< in the order of the ladder
    /// Equal, but not where tensors, pointers or buffer parameters of one type share memory.
    bool differs_if_aliased = false;
    /// Two threads of the rewritten kernel that write one scalar in no order, as the original's do
    /// not, or of the one that is checked alone; "" if none were seen.
    std::string conflict;
    Place conflict_place; ///< where its line is known
    /// Of two threads that write one scalar: neither a launch of one group nor other integers as
    /// inputs, a width for example, would part them.
    bool conflict_certain = false;
    bool not_finite = false; ///< some result of the original is not, with any default inputs
    std::vector<verify::DifferentiatedCall> calls; ///< of one variant alone, or of the rewritten
    verify::DefaultInputs defaults;                ///< that keep the original's results finite
    std::map<std::string, std::uint64_t> elements; ///< of buffers that are larger than usual
    /// By tensor and dimension, of those that are larger than usual.
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> tensor_sizes;
    bool code_rejected = false; ///< cannot run because the C++ compiler rejects what slangc emitted
    bool timed_out = false;     ///< cannot run because the kernel does not come to an end
    bool cpp_branch = false;    ///< the module has __target_switch: what ran is the branch for C++
};

/// Whether the shader holds text that goes to the target's compiler as it is: __intrinsic_asm,
/// __requirePrelude, ... Slang does not check it, so it may run any command or read any file. Names
/// that macros may paste together count, and so does a compiled module, which cannot be looked
/// into. For a module of several files: their texts in one.
bool holds_target_code(std::string_view shader);

/// Whether what slangc emits for the shader could make the target's compiler read any file:
/// __requirePrelude, target code with a directive in it, a `#line` whose file name ends its line.
bool may_include_files(std::string_view shader);

/// One variant of a module as compiled for `SlangTarget::cpp` or, to be run on the host with CUDA's
/// builtins, for `SlangTarget::cuda`.
struct CpuVariant {
    std::string code;
    /// What slangc emitted, if `code` was made from that: it says how many threads kernels run on
    /// that have no group size of their own.
    std::string emitted = {};
    Reflection reflection;
    /// Its source holds text of the target language, which may do anything: it is not run.
    bool target_code = false;
    bool target_switch = false; ///< its source has `__target_switch`: verdicts say "(cpp branch)"
    verify::Machine machine = verify::Machine::cpp;
};

/// Values by input: "gIn" -> its scalars in order, "params.count" -> one value. What is not named
/// is zero.
using EntryInputs = std::map<std::string, std::vector<double>>;
/// Contents by writable buffer, all scalars in order.
using EntryOutputs = std::map<std::string, std::vector<double>>;

/// Runs kernels on the CPU, in child processes with limits: g++ compiles what slangc emits for C++,
/// `slimgrad-run` calls it. Keeps what it compiled, and the runs of the last original, so that one
/// original against many rewritten variants costs little. Not thread-safe: one per thread.
class Verifier {
  public:
    struct Options {
        std::string compiler = "g++"; ///< looked up on PATH
        std::string runner; ///< path of slimgrad-run; "" for the one beside the running program
    };

    /// Error: no temporary directory.
    static Result<Verifier> create(const Options& options);
    static Result<Verifier> create() { return create(Options{}); }
    ~Verifier();
    Verifier(Verifier&&) noexcept;
    Verifier& operator=(Verifier&&) noexcept;

    /// Runs the entry point of both variants on the same random inputs and compares every writable
    /// buffer; runs both also with every index checked. Does not prove equality for inputs that
    /// were not drawn; `unverified` says what they did not reach. Error: the C++ compiler or the
    /// runner cannot be started.
    Result<VerifyResult> compare(const CpuVariant& original, const CpuVariant& rewritten,
                                 const std::string& entry_point, const VerifyOptions& options);

    /// Runs one entry point once for each of the given inputs, without checks: for central
    /// differences. Buffers have 65,536 elements. Error: it cannot be compiled or run to its end.
    Result<std::vector<EntryOutputs>> run_entry(const CpuVariant& variant,
                                                const std::string& entry_point,
                                                const std::vector<EntryInputs>& inputs,
                                                const ProcessLimits& limits);

    /// The first error of the C++ compiler for this text; nothing if it is accepted.
    Result<std::optional<Error>> rejection(const CpuVariant& variant);

    /// What it compiles and runs with, for other checks of the same kernels.
    verify::CpuLibraries& libraries();
    verify::KernelRunner& runner();

    /// What its results depend on beside what it is given: the programs, as a cache tells them
    /// apart.
    std::string identity() const;

  private:
    struct State;
    explicit Verifier(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace slimgrad
