#pragma once

#include "attributes/rule.h"
#include "plugin/cuda/nvcc.h"
#include "plugin/trial/objective.h"
#include "plugin/verify/verify.h"
#include "rewriter/source_edit.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slimgrad {

class ResultCache;

/// How much a comparison of gradients looks at: `quick` runs the text for one machine, `whole` all
/// that run here.
enum class VerifyDepth { quick, whole };

/// How one module is compiled, measured and verified, and what is wanted of it.
struct TrialOptions {
    std::vector<std::string> slang_arguments;
    NvccOptions nvcc;
    VerifyOptions verify;
    Promises promises;
    FileTexts overlay; ///< canonical path -> text that stands in for the disk's: fixes of earlier
                       ///< modules of a run
    bool check_gradients = true; ///< also say whether the gradients are right as they stand
    bool unsafe_fixes = false;   ///< also try fixes that hold only under a condition
    bool minor_fixes =
        false; ///< also apply fixes that improve neither spills nor local memory nor warps
    Objective objective;
    bool searching = false;  ///< `tune`: rules also offer what pays only with others
    bool reconsider = false; ///< `tune`: also take annotations away
    std::chrono::milliseconds time_limit{60'000}; ///< `tune`: no trial begins after it
    /// Nothing new is tried after it: the rest is for taking out what does nothing.
    std::chrono::milliseconds search_time() const { return time_limit * 2 / 3; }
    std::shared_ptr<ResultCache> cache; ///< of verification; nvcc's is in its own options
    /// Called before each slow step, also by several threads, with how many of the run's steps are
    /// done, of those that are known so far. May be empty.
    std::function<void(const std::string& line, std::size_t done, std::size_t total)> progress;
};

/// A module with the options it is worked on with.
struct TrialModule {
    std::string file;         ///< canonical
    std::string project_root; ///< canonical
    TrialOptions options;
};

} // namespace slimgrad
