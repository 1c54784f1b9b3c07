#pragma once

#include "plugin/trial/objective.h"
#include "rewriter/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace slimgrad {

class ResultCache;

enum class Command { check, fix, tune, report, verify, explain, preprocess, cuda, cache };
enum class OutputFormat { text, json, html };
enum class ColorChoice { automatic, always, never };

/// What the user asked for. Options that a command does not have keep their defaults.
struct CommandLine {
    Command command = Command::check;
    std::vector<std::string> paths;           ///< FILE|DIR; BEFORE and AFTER; IN
    std::vector<std::string> slang_arguments; ///< slangc's own

    bool diff = false, unsafe_fixes = false, minor_fixes = false; // fix, tune, preprocess
    Objective objective;                                          // check, fix, tune, preprocess
    bool lock = false;                                            ///< tune: write slimgrad.lock
    bool use_lock = true;                                         ///< preprocess
    std::string save_trials;                                      ///< tune; a folder, or ""
    bool reconsider = false;                                      ///< tune
    std::optional<double> time_limit_seconds;                     ///< tune
    bool exit_zero = false, exit_non_zero_on_fix = false;         // check, fix
    bool statistics = false, why = false;                         // check, fix
    bool model = false;                                           // report
    std::string rule;                                             // explain; "" for the list
    std::string output, depfile; // preprocess; cuda: output, "" for standard output
    std::vector<std::string> passes{"single-copy", "repair-extents"}; ///< cuda; none: empty
    std::optional<std::uint64_t> heap_threshold;                      ///< cuda; bytes
    std::string heap_layout;                                          ///< cuda
    bool measure = false;                                             ///< cuda

    std::optional<std::string> arch;
    std::optional<bool> fast_math;
    std::vector<std::string> nvcc_arguments;
    OutputFormat format = OutputFormat::text;
    ColorChoice color = ColorChoice::automatic;
    unsigned jobs = 0;                       ///< 0: one per processor
    std::optional<double> timeout_seconds;   ///< of each compiler or verification run
    std::optional<std::uint64_t> memory_mib; ///< of each compiler or verification run
    std::optional<std::uint32_t> samples;
    std::optional<std::uint32_t> sample; ///< verify: this one only
    std::optional<std::uint64_t> seed;
    std::optional<double> tolerance;          ///< verify
    bool sanitize = false;                    ///< verify
    bool gpu = false;                         ///< verify
    std::optional<std::string> configuration; ///< --config; else the nearest slimgrad.toml

    std::optional<std::string> cache_folder; ///< --cache-dir; else cache_folder() (rewrite/cache.h)
    bool cached = true;                      ///< --no-cache: nothing is kept for later runs
    std::string cache_action;                ///< cache: info, clear
    std::shared_ptr<ResultCache> cache;      ///< of this run, once it is opened
};

/// A help or version text that was asked for.
struct HelpText {
    std::string text;
};

/// Reads the arguments (without the program's name).
/// Error: what is wrong with them, in one line that names the option.
Result<std::variant<CommandLine, HelpText>>
parse_command_line(const std::vector<std::string>& arguments);

} // namespace slimgrad
