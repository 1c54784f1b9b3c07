#include "attributes/carried_array.h"
#include "attributes/custom_derivative.h"
#include "attributes/detach.h"
#include "attributes/emitted_code.h"
#include "attributes/exit_flag.h"
#include "attributes/frame_limit.h"
#include "attributes/inductive_counter.h"
#include "attributes/loop_body_helper.h"
#include "attributes/loop_bound.h"
#include "attributes/loop_replay.h"
#include "attributes/loop_split.h"
#include "attributes/nested_bounds.h"
#include "attributes/no_diff_parameter.h"
#include "attributes/no_gradient.h"
#include "attributes/outline_inner_loop.h"
#include "attributes/parameter_context.h"
#include "attributes/pins.h"
#include "attributes/prefer_checkpoint.h"
#include "attributes/prefer_recompute.h"
#include "attributes/rectangle_guard.h"
#include "attributes/rule.h"
#include "attributes/rule_pages.h"
#include "attributes/segment_loop.h"
#include "attributes/split_phases.h"
#include "attributes/syntax_error.h"
#include "attributes/unroll_blowup.h"
#include "attributes/wrong_gradient.h"
#include "attributes/zero_based_loop.h"

#include <algorithm>

namespace slimgrad {

namespace {

/// Whether a `// slimgrad: off(rule) reason` comment stands on the finding's line or the one above.
/// `off(all)` is every rule.
bool is_switched_off(const ModuleModel& model, const Finding& finding) {
    const Index index = model.find_file(finding.place.file);
    if (index == none || finding.place.line == 0)
        return false;
    const SourceFile& file = model.files[index];
    const std::uint32_t first = finding.place.line > 1 ? finding.place.line - 1 : 1;
    const std::string_view lines =
        file.slice({file.offset(first, 1), file.offset(finding.place.line + 1, 1)});
    for (const std::string& mark :
         {"slimgrad: off(" + finding.rule + ")", std::string("slimgrad: off(all)")}) {
        const auto found = lines.find(mark);
        if (found != std::string_view::npos &&
            lines.substr(0, found).find("//") != std::string_view::npos)
            return true;
    }
    return false;
}

/// Takes away fixes that edit a function with a syntax error.
void keep_off_errors(const ModuleModel& model, Finding& finding) {
    const auto touches = [&](const SourceEdit& edit) {
        const Index file = model.find_file(edit.path);
        return file != none && touches_syntax_error(model, {file, edit.range});
    };
    const auto taken = std::erase_if(finding.fixes, [&](const Fix& fix) {
        return std::any_of(fix.edits.begin(), fix.edits.end(), touches);
    });
    if (taken > 0)
        finding.why_not.push_back("it would edit a function with a syntax error");
}

/// Takes away fixes that edit what the user keeps. A cost that is left like that is meant.
void keep_pinned(const Pins& pins, Finding& finding) {
    const auto taken = std::erase_if(finding.fixes, [&](const Fix& fix) {
        return std::any_of(fix.edits.begin(), fix.edits.end(),
                           [&](const SourceEdit& edit) { return pins.keep(edit); });
    });
    if (taken == 0)
        return;
    finding.why_not.push_back("pinned by `// slimgrad: keep`");
    if (finding.fixes.empty() && finding.severity == Severity::cost)
        finding.severity = Severity::note;
}

} // namespace

std::string short_place(const ModuleModel& model, Site site) {
    return short_form(model.place(site));
}

const std::vector<Rule>& all_rules() {
    static const std::vector<Rule> rules = {
        {"nested-bounds", "nested loops with unequal bounds get wrong gradients",
         pages::nested_bounds, nested_bounds},
        {"loop-bound", "loop bounds that are missing, too small or larger than needed",
         pages::loop_bound, loop_bound},
        {"emitted-code", "Slang emits code that the next compiler rejects", pages::emitted_code,
         emitted_code},
        {"no-gradient", "kernels and functions that are differentiated and give no gradient",
         pages::no_gradient, no_gradient},
        {"zero-based-loop",
         "loops that start at a run-time value, for which Slang emits broken code",
         pages::zero_based_loop, zero_based_loop},
        {"frame-limit", "stack frames of more than a target can launch", pages::frame_limit,
         frame_limit},
        {"no-diff-parameter", "parameters whose gradient nobody uses", pages::no_diff_parameter,
         no_diff_parameter},
        {"detach", "what loops carry or differentiate for the sake of a test", pages::detach,
         detach},
        {"exit-flag", "loops that a `return` leaves, which store more than with a flag and `break`",
         pages::exit_flag, exit_flag},
        {"inductive-counter", "loop counters that are stored for each trip",
         pages::inductive_counter, inductive_counter},
        {"prefer-recompute", "stored values that the backward pass can compute again",
         pages::prefer_recompute, prefer_recompute},
        {"prefer-checkpoint", "steps of unrolled loops that might be stored (tune alone)",
         pages::prefer_checkpoint, prefer_checkpoint},
        {"carried-array", "arrays that are stored as a whole for every trip of a loop",
         pages::carried_array, carried_array},
        {"loop-replay", "loops that are unrolled or replayed, whichever is cheaper",
         pages::loop_replay, loop_replay},
        {"loop-body-helper", "loop bodies that store what a function could compute again",
         pages::loop_body_helper, loop_body_helper},
        {"rectangle-guard", "loops whose number of trips follows the loop around them",
         pages::rectangle_guard, rectangle_guard},
        {"outline-inner-loop", "loops in loops, whose trips are stored for every trip around them",
         pages::outline_inner_loop, outline_inner_loop},
        {"loop-split", "long loops that store less with some of their trips unrolled",
         pages::loop_split, loop_split},
        {"segment-loop", "long loops that store less in segments", pages::segment_loop,
         segment_loop},
        {"unroll-blowup", "unrolled loops that slangc takes twice as long for with every trip",
         pages::unroll_blowup, unroll_blowup},
        {"parameter-context", "many registers where the compiler reports nothing that is stored",
         pages::parameter_context, parameter_context},
        {"split-phases", "solvers that are differentiated step by step", pages::split_phases,
         split_phases},
        {"custom-derivative", "derivatives of functions' own, and what slangc's would cost",
         pages::custom_derivative, custom_derivative},
        {"syntax-error", "text that cannot be read: it is not examined and not edited",
         pages::syntax_error, syntax_error},
        {"wrong-gradient",
         "gradients that disagree with central differences, or memory that is overwritten, when "
         "run",
         pages::wrong_gradient, wrong_gradient},
    };
    return rules;
}

std::vector<Finding> run_rules(const RuleInput& input) {
    std::vector<Finding> findings;
    const Pins pins(input.model);
    for (const Rule& rule : all_rules()) {
        for (Finding& finding : rule.run(input)) {
            if (is_switched_off(input.model, finding))
                continue;
            keep_off_errors(input.model, finding);
            keep_pinned(pins, finding);
            findings.push_back(std::move(finding));
        }
    }
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.place < b.place; });
    return findings;
}

} // namespace slimgrad
