#include "attributes/loop_replay.h"

#include "attributes/constants.h"
#include "attributes/differentiated_functions.h"
#include "attributes/effects.h"
#include "attributes/function_flows.h"
#include "attributes/loop_form.h"
#include "attributes/nested_bounds.h"
#include "attributes/proved_bound.h"
#include "attributes/replay_threshold.h"
#include "attributes/unroll_cost.h"
#include "rewriter/call_derivative.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace slimgrad {

namespace {

constexpr std::uint32_t registers_of_all_warps = 40; ///< with more, fewer warps fit into an SM

class LoopReplay {
  public:
    explicit LoopReplay(const RuleInput& input)
        : input_(input), model_(input.model), effects_(model_), flows_(model_),
          trips_(model_, input.promises), cost_(model_, flows_, trips_) {}

    std::vector<Finding> run() {
        if (model_.loops.empty() || !input_.compiled.succeeded())
            return {};
        read_stored();
        for (const Finding& finding : nested_bounds(input_))
            if (finding.severity == Severity::error)
                miscompiled_.insert(finding.place);
        const OwnDerivatives own(model_);
        differentiated_ =
            find_differentiated(model_, effects_.tracer(),
                                [&](Index i) -> const FunctionFlow& { return flows_.of(i); });
        for (const ThresholdPair& pair : threshold_pairs(model_, trips_)) {
            const Loop& l = model_.loops[pair.replayed];
            if (differentiated_[l.function] && !own.has(l.function))
                examine_pair(pair);
        }
        std::map<Index, std::vector<Index>> nests; ///< by the outermost loop, which is their first
        for (Index loop = 0; loop < model_.loops.size(); ++loop) {
            const Index function = model_.loops[loop].function;
            if (function != none && differentiated_[function] && !own.has(function))
                nests[outermost(loop)].push_back(loop);
        }
        for (const auto& [loop, nest] : nests)
            examine_nest(nest);
        return std::move(findings_);
    }

  private:
    /// Rows of the report by the function in whose text they stand.
    void read_stored() {
        for (const CheckpointContext& context : input_.compiled.contexts) {
            for (const CheckpointValue& value : context.values) {
                const Index file = model_.find_file(value.place.file);
                if (file == none || value.place.line == 0)
                    continue;
                const Index function = model_.function_at(
                    file, model_.files[file].offset(value.place.line, value.place.column));
                if (function == none)
                    continue;
                stored_[function] += value.bytes;
                if (value.type.starts_with("FixedArray<"))
                    stores_arrays_.insert(function);
            }
        }
    }

    const KernelFrame* costly_kernel() const {
        const auto found =
            std::find_if(input_.frames.begin(), input_.frames.end(), [](const KernelFrame& k) {
                return k.backward &&
                       (k.registers > registers_of_all_warps || k.bytes > 0 || k.spill_bytes > 0);
            });
        return found == input_.frames.end() ? nullptr : &*found;
    }

    Index outermost(Index loop) const {
        while (model_.loops[loop].parent != none)
            loop = model_.loops[loop].parent;
        return loop;
    }

    bool is_around(Index outer, Index inner) const {
        for (Index loop = model_.loops[inner].parent; loop != none;
             loop = model_.loops[loop].parent)
            if (loop == outer)
                return true;
        return false;
    }

    bool are_nested(Index a, Index b) const { return is_around(a, b) || is_around(b, a); }

    /// A loop that stands twice: its calls choose the form.
    void examine_pair(const ThresholdPair& pair) {
        in_pair_.insert({pair.replayed, pair.unrolled});
        if (stored_in(pair.replayed) == 0 && !costly_kernel())
            return;
        Finding finding = finding_for(pair.replayed);
        const Function& function = model_.functions[model_.loops[pair.replayed].function];
        finding.message = fmt::format(
            "the calls of '{}' choose by '{}' whether this loop is unrolled or replayed",
            function.name, function.generics[pair.parameter].name);
        finding.fixes = ReplayThreshold(input_, trips_, cost_, differentiated_)
                            .change(pair, name_of(pair.replayed), finding.why_not);
        if (!finding.fixes.empty())
            findings_.push_back(std::move(finding));
    }

    /// The nest's loops for some of the calls of a generic helper alone.
    void offer_threshold(Finding& finding, const std::vector<Index>& nest) {
        std::vector<std::string> bounds;
        for (Index loop : nest) {
            bounds.push_back(bound_of(loop));
            if (is_unrolled(model_.loops[loop]) != is_unrolled(model_.loops[nest.front()]) ||
                bounds.back().empty() || !starts_at_constant(loop) ||
                !has_constant_trips(trips_.of(loop)) || !have_equal_bounds(nest.front(), loop))
                return;
        }
        if (!pays(nest.front()))
            return;
        std::vector<Fix> fixes =
            ReplayThreshold(input_, trips_, cost_, differentiated_)
                .introduce(nest, name_of(nest.front()), bounds, finding.why_not);
        finding.fixes.insert(finding.fixes.end(), std::make_move_iterator(fixes.begin()),
                             std::make_move_iterator(fixes.end()));
    }

    /// Loops in the order of the text.
    void examine_nest(const std::vector<Index>& nest) {
        // The forms that are right come first; a loop that stands twice is its calls' matter.
        if (std::any_of(nest.begin(), nest.end(), [&](Index loop) {
                return miscompiled_.contains(keyword_place(loop)) || in_pair_.contains(loop);
            }))
            return;
        for (Index loop : nest) {
            Finding finding = finding_for(loop);
            const bool unrolled = is_unrolled(model_.loops[loop]);
            if (unrolled)
                offer_replay(finding, loop, nest);
            else
                offer_unroll(finding, loop, nest);
            if (loop == nest.front() && nest.size() > 1)
                offer_whole_nest(finding, nest);
            if (loop == nest.front())
                offer_threshold(finding, nest);
            if (finding.fixes.empty() && !unrolled && finding.severity == Severity::note)
                finding.message += "; it is not unrolled: " + finding.why_not.front();
            else if (finding.fixes.empty())
                continue;
            else
                finding.severity = Severity::cost;
            findings_.push_back(std::move(finding));
        }
    }

    Place keyword_place(Index loop) const {
        return model_.place(model_.loops[loop].site.file, model_.loops[loop].keyword);
    }

    Finding finding_for(Index loop) const {
        const Loop& l = model_.loops[loop];
        Finding finding;
        finding.rule = "loop-replay";
        finding.severity = Severity::cost;
        finding.place = keyword_place(loop);
        finding.bytes = stored_in(loop);
        const std::string& function = model_.functions[l.function].name;
        if (!is_unrolled(l)) {
            finding.message = fmt::format("'{}' stores {} B for the backward pass; with this loop "
                                          "unrolled it may store less",
                                          function, finding.bytes);
            return finding;
        }
        const KernelFrame* kernel = costly_kernel();
        finding.message = fmt::format(
            "this loop is unrolled{}{}; replayed as a loop it may need less",
            finding.bytes > 0 ? fmt::format(", '{}' stores {} B", function, finding.bytes) : "",
            kernel ? fmt::format(", '{}' takes {} registers", kernel->kernel, kernel->registers)
                   : "");
        return finding;
    }

    std::uint64_t stored_in(Index loop) const {
        const auto found = stored_.find(model_.loops[loop].function);
        return found == stored_.end() ? 0 : found->second;
    }

    std::string name_of(Index loop) const { return loop_name(model_, loop); }

    std::string why_kept(Index loop) const {
        const std::string why = why_head_is_kept(input_, model_.loops[loop]);
        return why.empty() ? why_form_is_kept(model_, model_.loops[loop]) : why;
    }

    /// What bounds the loop, or would if it were none that is unrolled; "" where nothing proved
    /// does.
    std::string bound_of(Index loop) {
        if (const Attribute* attribute = bound_attribute(model_.loops[loop]))
            return attribute->arguments[0];
        const TripCount& trips = trips_.of(loop);
        return wrong_in_other_builds(trips).empty() && !trips.upper_is_promised &&
                       !trips.from_callers
                   ? proved_bound(trips)
                   : "";
    }

    bool have_equal_bounds(Index a, Index b) {
        const std::string x = bound_of(a), y = bound_of(b);
        if (x.empty() || y.empty())
            return false;
        ConstantTraits traits;
        const auto p = constant_value(model_, model_.loops[a].function, x, traits);
        const auto q = constant_value(model_, model_.loops[b].function, y, traits);
        return same_expression(x, y) || (p && p == q && !traits.has_macro);
    }

    /// Slang compiles no loop that starts at a value which is not a constant.
    bool starts_at_constant(Index loop) {
        const Loop& l = model_.loops[loop];
        return trips_.of(loop).starts_at ||
               (!l.start.empty() && is_constant_expression(model_, l.function, l.start));
    }

    /// Why a loop that is unrolled cannot be one that is replayed, whatever the loops around it
    /// are.
    std::string why_not_replayed(Index loop, const std::vector<Index>& nest) {
        if (std::string why = why_kept(loop); !why.empty())
            return why;
        if (bound_of(loop).empty())
            return "no bound is proved for every build";
        if (!starts_at_constant(loop))
            return "it does not start at a constant";
        for (Index inner : nest)
            if (is_around(loop, inner) && is_unrolled(model_.loops[inner]) &&
                !has_constant_trips(trips_.of(inner)))
                return fmt::format("{} is unrolled, and its trip count depends on it",
                                   name_of(inner));
        return "";
    }

    /// What a loop stores is an array of its trips.
    bool pays(Index loop) const {
        return is_unrolled(model_.loops[loop])
                   ? stored_in(loop) > 0 || costly_kernel()
                   : stores_arrays_.contains(model_.loops[loop].function);
    }

    void offer_replay(Finding& finding, Index loop, const std::vector<Index>& nest) {
        if (!pays(loop))
            return;
        std::string why = why_not_replayed(loop, nest);
        for (Index other : nest) {
            if (why.empty() && are_nested(loop, other) && !is_unrolled(model_.loops[other]) &&
                !have_equal_bounds(loop, other))
                why =
                    fmt::format("{} stays a loop with another bound, and Slang miscompiles nested "
                                "loops with unequal bounds",
                                name_of(other));
        }
        if (!why.empty()) {
            finding.why_not.push_back(std::move(why));
            return;
        }
        const std::string bound = bound_of(loop);
        Fix fix;
        fix.description = fmt::format("replay {} with [MaxIters({})]", name_of(loop), bound);
        fix.edits.push_back(replay(model_, model_.loops[loop], bound));
        finding.fixes.push_back(std::move(fix));
    }

    /// Trips that are written out where all of these are unrolled: along the worst chain of them.
    std::optional<std::int64_t> written_trips(const std::vector<Index>& unrolled) {
        std::int64_t most = 1;
        for (Index innermost : unrolled) {
            std::int64_t product = 1;
            for (Index loop : unrolled) {
                if (loop != innermost && !is_around(loop, innermost))
                    continue;
                const auto trips = cost_.trips(loop);
                if (!trips)
                    return std::nullopt;
                product *= std::clamp<std::int64_t>(*trips, 1, most_unrolled_trips + 1);
                product = std::min(product, most_unrolled_trips + 1);
            }
            most = std::max(most, product);
        }
        return most;
    }

    /// Why slangc cannot be expected to unroll `loops`, with what is unrolled of the nest already.
    std::string why_not_unrolled(const std::vector<Index>& loops, const std::vector<Index>& nest,
                                 bool& is_guard) {
        for (Index loop : loops) {
            if (std::string why = why_kept(loop); !why.empty())
                return why;
            if (!has_constant_trips(trips_.of(loop)))
                return fmt::format("the trip count of {} is no constant in every build",
                                   name_of(loop));
        }
        std::vector<Index> unrolled = loops;
        for (Index loop : nest)
            if (is_unrolled(model_.loops[loop]) && cost_.trips(loop))
                unrolled.push_back(loop);
        const auto trips = written_trips(unrolled);
        if (!trips)
            return "no call of the module tells how often it runs";
        if (*trips > most_unrolled_trips)
            return fmt::format("more than {} trips would be written out", most_unrolled_trips);
        for (Index loop : loops) {
            const std::string callee =
                *trips > most_trips_through_call ? cost_.carries_through(loop) : std::string();
            if (callee.empty())
                continue;
            is_guard = true;
            return fmt::format("its {} trips hand a value on through '{}', and slangc's time "
                               "doubles with every one of them",
                               *trips, callee);
        }
        return "";
    }

    void offer_unroll(Finding& finding, Index loop, const std::vector<Index>& nest) {
        if (!pays(loop))
            return;
        bool is_guard = false;
        if (std::string why = why_not_unrolled({loop}, nest, is_guard); !why.empty()) {
            finding.why_not.push_back(std::move(why));
            if (is_guard)
                finding.severity = Severity::note;
            return;
        }
        Fix fix;
        fix.description = fmt::format("unroll {} with [ForceUnroll]", name_of(loop));
        fix.edits.push_back(unroll(model_, model_.loops[loop]));
        finding.fixes.push_back(std::move(fix));
    }

    /// All loops of a nest at once, where one after the other would pass through a form that is
    /// miscompiled or that no figure gains by.
    void offer_whole_nest(Finding& finding, const std::vector<Index>& nest) {
        std::vector<Index> unrolled, looped;
        for (Index loop : nest)
            (is_unrolled(model_.loops[loop]) ? unrolled : looped).push_back(loop);
        if (unrolled.size() > 1 && pays(unrolled.front()))
            replay_whole_nest(finding, nest, unrolled);
        bool is_guard = false;
        if (looped.size() > 1 && pays(looped.front()) &&
            why_not_unrolled(looped, nest, is_guard).empty()) {
            Fix fix;
            fix.description = fmt::format("unroll {} and {} inside with [ForceUnroll]",
                                          name_of(nest.front()), loops_inside(looped, nest));
            for (Index loop : looped)
                fix.edits.push_back(unroll(model_, model_.loops[loop]));
            finding.fixes.push_back(std::move(fix));
        }
    }

    void replay_whole_nest(Finding& finding, const std::vector<Index>& nest,
                           const std::vector<Index>& unrolled) {
        for (Index loop : unrolled) {
            if (std::string why = why_not_whole(loop, nest); !why.empty()) {
                finding.why_not.push_back(std::move(why));
                return;
            }
        }
        Fix fix;
        fix.description =
            fmt::format("replay {} and {} inside with [MaxIters({})]", name_of(nest.front()),
                        loops_inside(unrolled, nest), bound_of(nest.front()));
        for (Index loop : unrolled)
            fix.edits.push_back(replay(model_, model_.loops[loop], bound_of(loop)));
        finding.fixes.push_back(std::move(fix));
    }

    /// The same as why_not_replayed, where all others of the nest are replayed, too.
    std::string why_not_whole(Index loop, const std::vector<Index>& nest) {
        if (std::string why = why_kept(loop); !why.empty())
            return why;
        if (bound_of(loop).empty())
            return fmt::format("no bound of {} is proved for every build", name_of(loop));
        if (!starts_at_constant(loop))
            return fmt::format("{} does not start at a constant", name_of(loop));
        for (Index other : nest)
            if (are_nested(loop, other) && !have_equal_bounds(loop, other))
                return fmt::format("{} and {} run unequally often, and Slang miscompiles nested "
                                   "loops with unequal bounds",
                                   name_of(loop), name_of(other));
        return "";
    }

    static std::string loops_inside(const std::vector<Index>& changed,
                                    const std::vector<Index>& nest) {
        const auto inside = std::count_if(changed.begin(), changed.end(),
                                          [&](Index loop) { return loop != nest.front(); });
        return inside == 1 ? "the loop" : fmt::format("the {} loops", inside);
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    EffectAnalysis effects_;
    FunctionFlows flows_;
    TripCounts trips_;
    UnrollCost cost_;
    std::map<Index, std::uint64_t> stored_; ///< bytes by function
    std::set<Index> stores_arrays_;         ///< functions
    std::vector<bool> differentiated_;      ///< by function
    std::set<Index> in_pair_;               ///< loops that stand twice, see examine_pair
    std::set<Place> miscompiled_;           ///< loops of nests that nested-bounds repairs
    std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> loop_replay(const RuleInput& input) {
    return LoopReplay(input).run();
}

} // namespace slimgrad
