#pragma once

#include "attributes/finding.h"
#include "attributes/gradient_fact.h"
#include "plugin/slang/compiler.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Largest and smallest value of an input by name: "gIn", "outb[1]", "params.count". From
/// slimgrad.toml [inputs].
struct ValueRange {
    double minimum = 0;
    double maximum = 0;
};

/// What the user promises about a module; from slimgrad.toml.
struct Promises {
    bool noalias = false; ///< two tensor, pointer or buffer parameters never overlap
    std::map<std::string, ValueRange> ranges;
};

/// The stack frame and the registers that ptxas gave a kernel.
struct KernelFrame {
    std::string kernel; ///< as in the shader; "train_bwd_diff" for the backward pass of 'train'
    std::uint64_t bytes = 0;
    bool backward = false;
    std::uint32_t registers = 0;
    std::uint64_t spill_bytes = 0;
};

/// All that a rule may look at: plain data. A rule never compiles and never writes.
struct RuleInput {
    const ModuleModel& model;
    const CompileResult& compiled; ///< of the CUDA target; it may have failed
    const Promises& promises;
    std::string emitted_code_error; ///< what nvcc said of the emitted code, "" if they accepted it
    Place emitted_code_place;
    std::function<bool(const std::string& path)>
        editable; ///< whether a file lies where edits are allowed
    std::vector<GradientFact> gradient_facts =
        {}; ///< what running the module showed; empty if it was not run
    std::vector<KernelFrame> frames = {}; ///< of the emitted code; empty if it was not measured
    bool searching = false;  ///< fixes that pay only with others, or only sometimes, are tried too
    bool reconsider = false; ///< the user's own annotations are up for discussion
};

/// One rule: a match, a message, fixes, and a page (attributes/NAME.md) that `slimgrad explain
/// NAME` prints.
struct Rule {
    std::string_view name;
    std::string_view summary; ///< one line for `slimgrad explain` without a name
    std::string_view page;    ///< the page's text
    std::vector<Finding> (*run)(const RuleInput& input);
};

/// `file.slang:12:5` without folders: for places inside messages, which are the same on every
/// machine.
std::string short_place(const ModuleModel& model, Site site);

/// All rules, in the order in which their findings are shown at one place.
const std::vector<Rule>& all_rules();

/// Findings of all rules, sorted by place; those that a `// slimgrad: off(rule) reason` comment on
/// the same or the preceding line switches off are left out.
std::vector<Finding> run_rules(const RuleInput& input);

} // namespace slimgrad
