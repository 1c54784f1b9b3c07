#include "attributes/nested_bounds.h"

#include "attributes/attribute_edit.h"
#include "attributes/constants.h"
#include "attributes/outlined_loop.h"
#include "attributes/trip_count.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

namespace slimgrad {

namespace {

/// Extents of "FixedArray<FixedArray<T, inner>, outer>", padding included.
struct Extents {
    std::int64_t outer = 0, inner = 0;
};

/// The last number of a type's argument list: 14 of "FixedArray<X, 14>", and what stands before it.
std::optional<std::int64_t> split_array(std::string_view type, std::string_view& element) {
    constexpr std::string_view prefix = "FixedArray<";
    if (!type.starts_with(prefix))
        return std::nullopt;
    type.remove_prefix(prefix.size());
    const auto close = type.rfind('>');
    const auto comma = type.rfind(',', close);
    if (close == std::string_view::npos || comma == std::string_view::npos)
        return std::nullopt;
    std::string_view number = type.substr(comma + 1, close - comma - 1);
    number.remove_prefix(std::min(number.find_first_not_of(' '), number.size()));
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (code != std::errc{})
        return std::nullopt;
    element = type.substr(0, comma);
    return value;
}

std::optional<Extents> nested_extents(std::string_view type) {
    std::string_view element, scalar;
    const auto outer = split_array(type, element);
    if (!outer)
        return std::nullopt;
    const auto inner = split_array(element, scalar);
    if (!inner)
        return std::nullopt;
    return Extents{*outer, *inner};
}

bool is_unrolled(const Loop& loop) {
    return loop.kind == LoopKind::compile_time_for ||
           std::any_of(loop.attributes.begin(), loop.attributes.end(),
                       [](const Attribute& a) { return a.name == "ForceUnroll"; });
}

class NestedBounds {
  public:
    explicit NestedBounds(const RuleInput& input)
        : input_(input), model_(input.model), trips_(input.model, input.promises) {}

    std::vector<Finding> run() {
        // The worst instance of a generic speaks for its loops.
        std::map<std::pair<Index, Index>, Extents> nests;
        std::map<std::pair<Index, Index>, std::uint64_t> bytes;
        for (const CheckpointContext& context : input_.compiled.contexts) {
            for (const CheckpointValue& value : context.values) {
                const auto extents = nested_extents(value.type);
                if (!extents || extents->outer == extents->inner)
                    continue;
                const auto nest = find_nest(value.place, *extents);
                if (nest.first == none)
                    continue;
                bytes[nest] += value.bytes;
                const auto [known, first] = nests.emplace(nest, *extents);
                if (!first && !is_wrong(known->second))
                    known->second = *extents;
            }
        }
        std::vector<Finding> findings;
        for (const auto& [nest, extents] : nests)
            findings.push_back(finding_for(nest.first, nest.second, extents, bytes[nest]));
        return findings;
    }

  private:
    /// Padding hides it where 0 <= outer - inner <= 2 (both extents carry the same padding).
    static bool is_wrong(Extents e) { return e.inner > e.outer || e.outer > e.inner + 2; }

    /// Whether a loop with this bound has checkpoint arrays of this size: two slots of padding, one
    /// where it is a while loop.
    static bool can_be(std::optional<std::int64_t> bound, std::int64_t extent) {
        return !bound || *bound + 2 == extent || *bound + 1 == extent;
    }

    std::optional<std::int64_t> bound_of(const Loop& loop, Index index) const {
        if (const Attribute* attribute = bound_attribute(loop))
            return constant_value(model_, loop.function, attribute->arguments[0]);
        return trips_.of(index).exact;
    }

    /// The outer and inner loop of the function at `place` whose bounds these extents can be.
    std::pair<Index, Index> find_nest(const Place& place, Extents extents) const {
        const Index file = model_.find_file(place.file);
        if (file == none || place.line == 0)
            return {none, none};
        const std::uint32_t offset = model_.files[file].offset(place.line, place.column);
        // What both loops carry is declared, and reported, before them: only the function is the
        // same for certain.
        const Index function = model_.function_at(file, offset);
        std::pair<Index, Index> best{none, none};
        int best_score = -1;
        for (Index inner = 0; inner < model_.loops.size(); ++inner) {
            const Loop& loop = model_.loops[inner];
            if (loop.parent == none || loop.function != function || is_unrolled(loop))
                continue;
            Index outer = loop.parent;
            while (outer != none && is_unrolled(model_.loops[outer]))
                outer = model_.loops[outer].parent;
            if (outer == none)
                continue;
            const auto outer_bound = bound_of(model_.loops[outer], outer);
            const auto inner_bound = bound_of(loop, inner);
            if (!can_be(outer_bound, extents.outer) || !can_be(inner_bound, extents.inner))
                continue;
            const int score = (loop.site.range.contains(offset) ? 4 : 0) +
                              (model_.loops[outer].site.range.contains(offset) ? 2 : 0) +
                              (outer_bound && inner_bound ? 1 : 0);
            if (score > best_score) {
                best_score = score;
                best = {outer, inner};
            }
        }
        return best;
    }

    Finding finding_for(Index outer, Index inner, Extents extents, std::uint64_t bytes) const {
        const Loop& inner_loop = model_.loops[inner];
        const Loop& outer_loop = model_.loops[outer];
        const Place outer_place = model_.place(outer_loop.site.file, outer_loop.keyword);
        Finding finding;
        finding.rule = "nested-bounds";
        finding.place = model_.place(inner_loop.site.file, inner_loop.keyword);
        finding.bytes = bytes;
        const std::int64_t o = bound_of(outer_loop, outer).value_or(extents.outer - 2);
        const std::int64_t i = bound_of(inner_loop, inner).value_or(extents.inner - 2);
        if (!is_wrong(extents)) {
            finding.severity = Severity::note;
            finding.message = fmt::format("nested loops with unequal bounds ({} outside at line "
                                          "{}, {} inside): Slang transposes their "
                                          "checkpoints; only padding keeps these gradients right",
                                          o, outer_place.line, i);
            return finding;
        }
        finding.severity = Severity::error;
        finding.message = fmt::format(
            "nested loops with unequal bounds ({} outside at line {}, {} inside) store values at "
            "both levels: "
            "Slang transposes their checkpoints, gradients are wrong or memory is overwritten",
            o, outer_place.line, i);
        add_fixes(finding, outer, inner);
        return finding;
    }

    void add_fixes(Finding& finding, Index outer, Index inner) const {
        const Loop& outer_loop = model_.loops[outer];
        const Loop& inner_loop = model_.loops[inner];
        for (const Loop* loop : {&outer_loop, &inner_loop}) {
            const Site head{loop->site.file, {loop->with_attributes.begin, loop->body.begin}};
            std::string why;
            if (!input_.editable(model_.files[loop->site.file].path()))
                why = "the loops stand outside the project";
            else if (loop->from_macro || model_.is_macro(head) || has_macro_attribute(*loop))
                why = "a loop comes from a macro, which is not edited";
            else if (model_.is_broken(head))
                why = "a loop stands in a syntax error";
            else if (const Attribute* bound = bound_attribute(*loop);
                     bound && !argument_range(model_, *bound))
                why = "a comment or a preprocessor line stands within a bound";
            if (!why.empty()) {
                finding.why_not.push_back(std::move(why));
                return;
            }
        }
        const TripCount& inner_trips = trips_.of(inner);
        const TripCount& outer_trips = trips_.of(outer);
        const auto unroll = [&](Index index, const TripCount& trips, std::string_view which) {
            if (!trips.exact && !trips.expression_is_constant) {
                finding.why_not.push_back(fmt::format(
                    "the {} loop cannot be unrolled: its trip count is not a constant", which));
                return;
            }
            const Loop& loop = model_.loops[index];
            const Attribute* bound = bound_attribute(loop);
            if (bound && holds_more_than_code(model_, *bound)) {
                finding.why_not.push_back(fmt::format(
                    "the bound of the {} loop holds a comment, which would be lost", which));
                return;
            }
            // A loop around it that stays would still be right; one inside an unrolled loop is
            // copied with it.
            Fix fix;
            fix.description =
                fmt::format("unroll the {} loop{} with [ForceUnroll]", which,
                            loop.counter.empty() ? "" : fmt::format(" over '{}'", loop.counter));
            fix.edits.push_back(bound ? SourceEdit{model_.files[loop.site.file].path(),
                                                   bound->site.range, "ForceUnroll"}
                                      : add_attribute(loop, "ForceUnroll"));
            finding.fixes.push_back(std::move(fix));
        };
        equal_bounds(finding, outer_loop, inner_loop, outer_trips, inner_trips);
        unroll(inner, inner_trips, "inner");
        unroll(outer, outer_trips, "outer");
        outline_inner(finding, inner_loop);
    }

    /// One loop in each of two functions is stored at one level.
    void outline_inner(Finding& finding, const Loop& loop) const {
        FunctionFlows flows(model_);
        const auto function = outline(input_, flows, code_of_loop(loop));
        if (!function) {
            finding.why_not.push_back("the inner loop cannot be moved: " +
                                      function.error().message);
            return;
        }
        const std::string name =
            fmt::format("the inner loop{}",
                        loop.counter.empty() ? "" : fmt::format(" over '{}'", loop.counter));
        finding.fixes.push_back(move_loop(model_, loop, *function, name));
    }

    void equal_bounds(Finding& finding, const Loop& outer, const Loop& inner,
                      const TripCount& outer_trips, const TripCount& inner_trips) const {
        const auto text = [&](const Loop& loop, const TripCount& trips) -> std::string {
            if (const Attribute* attribute = bound_attribute(loop))
                return attribute->arguments[0];
            if (!trips.condition.empty())
                return "";
            return trips.expression_is_constant       ? trips.exact_expression
                   : trips.exact && !trips.uses_macro ? std::to_string(*trips.exact)
                                                      : "";
        };
        const std::string outer_text = text(outer, outer_trips),
                          inner_text = text(inner, inner_trips);
        if (outer_text.empty() || inner_text.empty())
            return;
        ConstantTraits traits;
        const auto outer_value = constant_value(model_, outer.function, outer_text, traits);
        const auto inner_value = constant_value(model_, inner.function, inner_text, traits);
        std::string larger;
        // Which one is larger may differ from build to build where macros decide.
        if (outer_value && inner_value && !traits.has_macro)
            larger = *outer_value >= *inner_value ? outer_text : inner_text;
        else
            larger = fmt::format("({0}) > ({1}) ? ({0}) : ({1})", outer_text, inner_text);
        Fix fix;
        fix.description = fmt::format("give both loops the larger bound, [MaxIters({})]", larger);
        for (const Loop* loop : {&outer, &inner}) {
            if (!same_expression(text(*loop, loop == &outer ? outer_trips : inner_trips), larger) ||
                !bound_attribute(*loop))
                fix.edits.push_back(set_bound(*loop, larger));
        }
        finding.fixes.push_back(std::move(fix));
    }

    SourceEdit set_bound(const Loop& loop, const std::string& bound) const {
        const Attribute* attribute = bound_attribute(loop);
        if (const auto argument = attribute ? argument_range(model_, *attribute) : std::nullopt)
            return {model_.files[loop.site.file].path(), *argument, bound};
        return add_attribute(loop, fmt::format("MaxIters({})", bound));
    }

    SourceEdit add_attribute(const Loop& loop, const std::string& text) const {
        return insert_line_above(model_.files[loop.site.file], loop.keyword, "[" + text + "]");
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    mutable TripCounts trips_;
};

} // namespace

std::vector<Finding> nested_bounds(const RuleInput& input) {
    return NestedBounds(input).run();
}

} // namespace slimgrad
