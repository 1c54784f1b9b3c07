#pragma once

#include "tests/fuzz/reducer.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace slimgrad::hunt {

struct HuntFinding {
    int number = 0;         ///< of the program
    std::uint64_t seed = 0; ///< of the program: generate(seed)
    Finding finding;        ///< in double
    std::set<Known> shapes; ///< shapes_of the variants that show it
    std::optional<Reduced> reduced;
};

struct HuntOptions {
    int programs = 100;
    std::uint64_t seed = 1;
    int first = 0;         ///< number of the first program
    std::set<Known> known; ///< shapes of known miscompiles that are run all the same
    /// Findings that are reduced at most, small and unlike ones first; none whose known shapes were
    /// each left alone by a reduction before.
    int reductions = 6;
    int together = 16; ///< programs in one module
    int variants = 3;  ///< of a program at most, picked at random; at least 1
    int jobs = 2;
    std::string worker, runner; ///< "" for those beside the program
    // Called by one thread at a time.
    std::function<void(int done, std::size_t findings)> progress;
    std::function<void(const HuntFinding&)> found;   ///< as soon as it is, not reduced
    std::function<void(const HuntFinding&)> reduced; ///< as soon as it is
};

struct HuntReport {
    int programs = 0, variants = 0; ///< variants: that were run
    std::map<Known, int> excluded;  ///< variants that have this shape and were not run
    int without = 0;  ///< programs of which all but one variant were excluded or are the same
    int compared = 0; ///< programs whose gradients were set against central differences
    int rounding = 0; ///< programs that differed in single precision and not in double
    std::vector<HuntFinding> findings; ///< by number
    std::chrono::milliseconds duration{0};
};

constexpr std::uint64_t programs_per_seed = 1'000'000;
/// The seed of a hunt's program.
std::uint64_t program_seed(std::uint64_t hunt_seed, int number);

/// Generates programs, runs all variants of each in single precision, decides in double what
/// differs, and reduces what is found. The same options give the same findings; which of them are
/// reduced may depend on which thread is first. Error: a tool cannot be started.
Result<HuntReport> run_hunt(const HuntOptions& options);

/// What happened, and the functions of the variants alone.
std::string summary(const HuntFinding& finding);
/// A finding as a Slang file: the numbers and the two variants, each a module by itself.
std::string describe(const HuntFinding& finding);

} // namespace slimgrad::hunt
