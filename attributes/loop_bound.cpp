#include "attributes/loop_bound.h"

#include "attributes/attribute_edit.h"
#include "attributes/constants.h"
#include "attributes/differentiated_functions.h"
#include "attributes/effects.h"
#include "attributes/function_flows.h"
#include "attributes/proved_bound.h"
#include "attributes/syntax_error.h"
#include "attributes/trip_count.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {

namespace {

constexpr std::string_view rule_name = "loop-bound";
constexpr std::string_view missing_bound_code = "E30510";

class LoopBound {
  public:
    explicit LoopBound(const RuleInput& input)
        : input_(input), model_(input.model), effects_(input.model), flows_(input.model),
          trips_(input.model, input.promises) {}

    std::vector<Finding> run() {
        for (const Diagnostic& diagnostic : input_.compiled.diagnostics) {
            if (diagnostic.code == missing_bound_code)
                missing(diagnostic);
        }
        for (Index loop = 0; loop < model_.loops.size(); ++loop) {
            if (const Attribute* bound = bound_attribute(model_.loops[loop]))
                present(loop, *bound);
        }
        return std::move(findings_);
    }

  private:
    Finding finding(Severity severity, Place place, std::string message) const {
        Finding result;
        result.rule = rule_name;
        result.severity = severity;
        result.place = std::move(place);
        result.message = std::move(message);
        return result;
    }

    void missing(const Diagnostic& diagnostic) {
        Finding result = finding(
            Severity::error, diagnostic.place,
            "this loop needs a bound: Slang cannot tell how often it runs and does not compile it");
        const Index file = model_.find_file(diagnostic.place.file);
        Index loop = none;
        if (file != none) {
            const std::uint32_t offset =
                model_.files[file].offset(diagnostic.place.line, diagnostic.place.column);
            loop = model_.loop_at(file, offset);
        }
        if (loop == none) {
            result.why_not.push_back("the loop comes from a macro, which is not edited");
            result.message += "; it comes from a macro, which slimgrad does not edit";
        } else {
            const TripCount& trips = trips_.of(loop);
            const std::string bound = proved_bound(trips);
            if (bound.empty()) {
                result.message += fmt::format("; no bound is proved: {}", trips.why_unknown);
                result.why_not.push_back(trips.why_unknown);
            } else if (const std::string why = wrong_in_other_builds(trips); !why.empty()) {
                result.why_not.push_back("the bound " + why);
                result.message += "; " + result.why_not.back();
            } else if (can_edit(loop, model_.loops[loop].site, result)) {
                const Loop& l = model_.loops[loop];
                Fix fix;
                fix.description =
                    fmt::format("bound the loop by [MaxIters({})]{}", bound,
                                trips.upper_from.empty() || (trips.exact && !trips.from_callers)
                                    ? ""
                                    : fmt::format(", from {}", trips.upper_from));
                fix.edits.push_back(insert_line_above(model_.files[l.site.file], l.keyword,
                                                      fmt::format("[MaxIters({})]", bound)));
                result.fixes.push_back(std::move(fix));
            }
        }
        findings_.push_back(std::move(result));
    }

    /// What runs without a derivative alone stores nothing.
    bool is_differentiated(Index function) {
        if (differentiated_.empty())
            differentiated_ =
                find_differentiated(model_, effects_.tracer(),
                                    [&](Index i) -> const FunctionFlow& { return flows_.of(i); });
        return differentiated_[function];
    }

    void present(Index index, const Attribute& attribute) {
        const Loop& loop = model_.loops[index];
        if (loop.function == none || !is_differentiated(loop.function) || is_unrolled(loop) ||
            touches_syntax_error(model_, loop.site))
            return;
        const std::string& written = attribute.arguments[0];
        const auto bound = constant_value(model_, loop.function, written);
        const TripCount& trips = trips_.of(index);
        const Place place = model_.place(attribute.site);
        // "4", or "4 (BOUND)" where the text is not the number.
        const std::string shown = !bound || std::to_string(*bound) == written
                                      ? written
                                      : fmt::format("{} ({})", *bound, written);

        if (trips.expression_is_constant && same_expression(written, trips.exact_expression))
            return;
        if (bound && trips.exact) {
            if (*bound < *trips.exact && trips.may_end_early) {
                findings_.push_back(
                    finding(Severity::note, place,
                            fmt::format("assumes at most {} trips: the loop runs {} times unless "
                                        "it ends early; more than {} would write checkpoints out "
                                        "of bounds",
                                        shown, *trips.exact, shown)));
            } else if (*bound < *trips.exact) {
                too_small(index, attribute, trips,
                          fmt::format("the bound {} is smaller than the {} trips of this loop: "
                                      "checkpoints are written out of "
                                      "bounds and gradients are wrong",
                                      shown, *trips.exact));
            } else if (*bound > *trips.exact && !is_in_nest(index)) {
                Finding result =
                    finding(Severity::cost, place,
                            fmt::format("the bound {} is larger than the {} trips of this loop",
                                        shown, *trips.exact));
                tighten(index, attribute, trips, result);
                findings_.push_back(std::move(result));
            }
            return;
        }
        if (bound && trips.upper) {
            if (*bound < *trips.upper && trips.is_loose) {
                findings_.push_back(
                    finding(Severity::note, place,
                            fmt::format("assumes at most {} trips; proved is only that there "
                                        "are no more than {}, from {}",
                                        shown, *trips.upper, trips.upper_from)));
            } else if (*bound < *trips.upper && trips.upper_is_promised) {
                too_small(index, attribute, trips,
                          fmt::format("the bound {} is smaller than the {} trips that {} allows: "
                                      "checkpoints are written out of "
                                      "bounds and gradients are wrong",
                                      shown, *trips.upper, trips.upper_from));
            } else if (*bound < *trips.upper) {
                findings_.push_back(finding(Severity::note, place,
                                            fmt::format("assumes at most {} trips; {} allows {}",
                                                        shown, trips.upper_from, *trips.upper)));
            } else if (*bound > *trips.upper && !is_in_nest(index)) {
                Finding result = finding(
                    Severity::cost, place,
                    fmt::format("the bound {} is larger than needed: at most {} trips, from {}",
                                shown, *trips.upper, trips.upper_from));
                tighten(index, attribute, trips, result);
                findings_.push_back(std::move(result));
            }
            return;
        }
        if (!trips.upper_expression.empty()) {
            if (!same_expression(written, trips.upper_expression))
                findings_.push_back(finding(
                    Severity::note, place,
                    fmt::format("assumes at most {} trips; proved is only that there are no "
                                "more than {}",
                                shown, trips.upper_expression)));
            return;
        }
        if (!trips.is_input && trips.expression_is_constant) {
            findings_.push_back(
                finding(Severity::note, place,
                        fmt::format("assumes {} <= {}: the loop runs {} times",
                                    trips.exact_expression, written, trips.exact_expression)));
            return;
        }
        findings_.push_back(finding(
            Severity::note, place,
            fmt::format("assumes at most {} trips: {}; more would write checkpoints out of bounds",
                        shown, trips.why_unknown)));
    }

    /// Lowers a bound, where the proof holds for every build and every caller.
    void tighten(Index loop, const Attribute& attribute, const TripCount& trips,
                 Finding& result) const {
        std::string why;
        if (trips.upper_is_promised)
            why = "a configured range is a promise, not a proof from the text";
        else if (trips.from_callers)
            why = "other modules may have it run more often";
        else if (const std::string builds = wrong_in_other_builds(trips); !builds.empty())
            why = "it " + builds;
        if (why.empty()) {
            replace_bound(loop, attribute, proved_bound(trips), result);
            return;
        }
        result.severity = Severity::note;
        result.why_not.push_back(std::move(why));
    }

    static bool is_unrolled(const Loop& loop) {
        return std::any_of(loop.attributes.begin(), loop.attributes.end(),
                           [](const Attribute& a) { return a.name == "ForceUnroll"; });
    }

    /// Inside or around another loop that stays a loop: equal bounds may be what keeps its
    /// gradients right (nested-bounds), so they are not lowered.
    bool is_in_nest(Index index) const {
        for (Index i = 0; i < model_.loops.size(); ++i) {
            for (Index inner = i, outer = model_.loops[i].parent; outer != none;
                 outer = model_.loops[outer].parent) {
                if ((inner == index && !is_unrolled(model_.loops[outer])) ||
                    (outer == index && !is_unrolled(model_.loops[inner])))
                    return true;
            }
        }
        return false;
    }

    void too_small(Index loop, const Attribute& attribute, const TripCount& trips,
                   std::string message) {
        Finding result = finding(Severity::error, model_.place(attribute.site), std::move(message));
        const std::string why = wrong_in_other_builds(trips);
        if (why.empty())
            replace_bound(loop, attribute, proved_bound(trips), result);
        else
            result.why_not.push_back("the number of trips " + why);
        findings_.push_back(std::move(result));
    }

    void replace_bound(Index loop, const Attribute& attribute, const std::string& bound,
                       Finding& result) const {
        if (bound.empty() || !can_edit(loop, attribute.site, result))
            return;
        const auto argument = argument_range(model_, attribute);
        if (!argument) {
            result.why_not.push_back("a comment or a preprocessor line stands within the bound");
            result.message += "; " + result.why_not.back();
            return;
        }
        Fix fix;
        fix.description = fmt::format("change the bound to [MaxIters({})]", bound);
        fix.edits.push_back({model_.files[attribute.site.file].path(), *argument, bound});
        result.fixes.push_back(std::move(fix));
    }

    bool can_edit(Index loop, Site site, Finding& result) const {
        const Loop& l = model_.loops[loop];
        const Site head{l.site.file, {l.with_attributes.begin, l.body.begin}};
        std::string why;
        if (!input_.editable(model_.files[site.file].path()))
            why = fmt::format("it stands in {}, which is outside the project",
                              model_.files[site.file].path());
        else if (l.from_macro || model_.is_macro(head) || has_macro_attribute(l))
            why = "the loop comes from a macro, which is not edited";
        else if (model_.is_broken(head))
            why = "the loop stands in a syntax error";
        if (why.empty())
            return true;
        result.message += "; " + why;
        result.why_not.push_back(std::move(why));
        return false;
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    EffectAnalysis effects_;
    FunctionFlows flows_;
    std::vector<bool> differentiated_; ///< per function, once it is asked for
    TripCounts trips_;
    std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> loop_bound(const RuleInput& input) {
    return LoopBound(input).run();
}

} // namespace slimgrad
