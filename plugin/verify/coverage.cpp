#include "plugin/verify/coverage.h"

#include "plugin/verify/free_inputs.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace slimgrad::verify {
namespace {

/// The compiler writes paths as it was given them.
bool same_file(const std::string& a, const std::string& b) {
    if (a == b || a.ends_with('/' + b) || b.ends_with('/' + a))
        return true;
    std::error_code error;
    return std::filesystem::equivalent(a, b, error) && !error;
}

/// Loops around an emitted one that start in its line. They stand before it in the text.
std::uint32_t outer_on_line(const std::vector<EmittedLoop>& emitted, std::uint32_t index) {
    std::uint32_t count = 0;
    std::size_t depth = emitted[index].depth;
    for (std::uint32_t i = index; i > 0 && depth > 0; --i) {
        const EmittedLoop& before = emitted[i - 1];
        if (before.depth >= depth)
            continue;
        depth = before.depth;
        count += before.place.line == emitted[index].place.line &&
                 before.place.file == emitted[index].place.file;
    }
    return count;
}

/// The emitted loops that the shader's loop became. They carry the keyword's line, with two
/// exceptions: where a `for` header goes over several lines it is one of the next, and a `do` loop
/// may start at the line of what its body reads first.
std::vector<std::uint32_t> loops_at(const LoopToCover& loop, const std::vector<LoopToCover>& loops,
                                    const std::vector<EmittedLoop>& emitted) {
    constexpr std::uint32_t longest_header = 4;
    const auto is_other_loop = [&](std::uint32_t line) {
        return std::any_of(loops.begin(), loops.end(), [&](const LoopToCover& other) {
            return other.place.line == line && same_file(other.place.file, loop.place.file);
        });
    };
    const auto starting_at = [&](std::uint32_t line) {
        std::vector<std::uint32_t> result;
        for (std::uint32_t i = 0; i < emitted.size(); ++i)
            if (emitted[i].place.line == line && same_file(emitted[i].place.file, loop.place.file))
                result.push_back(i);
        return result;
    };
    std::vector<std::uint32_t> at_line = starting_at(loop.place.line);
    std::vector<std::uint32_t> nested_alike;
    for (const std::uint32_t i : at_line)
        if (outer_on_line(emitted, i) == loop.outer_on_line)
            nested_alike.push_back(i);
    if (!nested_alike.empty())
        return nested_alike;
    const std::uint32_t last =
        loop.header_end != 0 ? loop.header_end : loop.place.line + longest_header - 1;
    for (std::uint32_t line = loop.place.line + 1;
         line <= last && at_line.empty() && !is_other_loop(line); ++line)
        at_line = starting_at(line);
    if (!at_line.empty() || !loop.tested_at_end)
        return at_line;
    std::vector<std::uint32_t> around;
    std::size_t depth = 0;
    for (std::uint32_t i = 0; i < emitted.size(); ++i)
        if (emitted[i].lines.contains(loop.place.line) &&
            same_file(emitted[i].place.file, loop.place.file)) {
            around.push_back(i);
            depth = std::max(depth, emitted[i].depth);
        }
    std::erase_if(around, [&](std::uint32_t i) { return emitted[i].depth < depth; });
    return around;
}

std::uint64_t lowest_trips(const LoopToCover& loop) {
    return std::max<std::uint64_t>(loop.lowest, loop.tested_at_end ? 1 : 0);
}

std::set<std::uint64_t> wanted_trips(const LoopToCover& loop) {
    if (!loop.trip_count_is_input)
        return {};
    const std::uint64_t lowest = lowest_trips(loop);
    if (loop.computed)
        return loop.bound ? std::set{*loop.bound} : std::set<std::uint64_t>{};
    std::set<std::uint64_t> wanted{lowest, lowest + 1};
    if (!loop.bound)
        wanted.insert(lowest + 2);
    else if (*loop.bound > lowest)
        wanted.insert({*loop.bound, *loop.bound - 1});
    else
        wanted.erase(lowest + 1);
    return wanted;
}

std::string hint(const LoopToCover& loop) {
    if (!loop.trip_count_is_input)
        return "give its inputs ranges under [inputs] with which it runs";
    const std::string range = fmt::format("[{}, {}]", lowest_trips(loop), loop.bound.value_or(8));
    const std::string key = input_key(loop.input);
    if (key != loop.input)
        return fmt::format("its trip count is \"{}\", of which all inputs have one value", key);
    if (!loop.input.empty())
        return fmt::format("give `\"{}\" = {}` under [inputs]", loop.input, range);
    return fmt::format("give the input that sets its trip count a range under [inputs] that makes "
                       "trip counts in {}",
                       range);
}

/// Whether the two passes of a loop pass its head once more than its body, not twice: where the one
/// that stores ends by the loop's own condition, not by a flag.
bool ends_by_condition(const std::vector<std::uint32_t>& candidates,
                       const std::vector<EmittedLoop>& emitted) {
    bool found = false;
    for (const std::uint32_t i : candidates) {
        if (emitted[i].stores && emitted[i].flagged)
            return false;
        found = found || emitted[i].stores;
    }
    return found;
}

std::uint64_t trips(std::uint64_t heads, bool twice, const LoopToCover& loop) {
    const std::uint64_t without_trip = (twice ? 2u : 1u) - (loop.tested_at_end ? 1u : 0u);
    return heads > without_trip ? heads - without_trip : 0;
}

} // namespace

std::optional<CoverageGap> find_gap(const std::vector<LoopToCover>& loops,
                                    const std::vector<EmittedLoop>& emitted,
                                    const std::map<std::uint32_t, std::set<std::uint64_t>>& heads) {
    for (const LoopToCover& loop : loops) {
        std::vector<std::uint32_t> candidates = loops_at(loop, loops, emitted);
        const std::string name =
            fmt::format("loop at {}", short_form(Place{loop.place.file, loop.place.line, 0}));
        if (candidates.empty()) {
            if (loop.trip_count_is_input && !loop.replaced)
                return CoverageGap{loop.place, name + " is not in the code for the CPU"};
            continue; // unrolled, or left out
        }
        std::erase_if(candidates, [&](std::uint32_t i) { return !emitted[i].reachable; });
        if (candidates.empty())
            continue;
        const bool counted = std::any_of(candidates.begin(), candidates.end(),
                                         [&](std::uint32_t i) { return emitted[i].counted; });
        const bool twice = counted && !ends_by_condition(candidates, emitted);
        std::set<std::uint64_t> seen;
        for (const std::uint32_t i : candidates)
            if (emitted[i].counted == counted && heads.contains(i))
                for (const std::uint64_t passes : heads.at(i))
                    seen.insert(trips(passes, twice, loop));
        if (seen.empty())
            return CoverageGap{loop.place, fmt::format("{} never ran; {}", name, hint(loop))};
        if (loop.shares_line) { // the numbers may be another loop's
            if (loop.trip_count_is_input)
                return CoverageGap{
                    loop.place, fmt::format("{} starts in the line of another loop: how often it "
                                            "ran cannot be told; give it a line of its own",
                                            name)};
            continue;
        }
        if (loop.always_bound && loop.bound && seen != std::set{*loop.bound})
            return CoverageGap{loop.place, fmt::format("{} ran with {} trips where {} are expected",
                                                       name, fmt::join(seen, ", "), *loop.bound)};
        if (loop.trip_count_is_input && seen.size() == 1 &&
            loop.allowed.value_or(0) > *seen.begin())
            // One trip count says nothing of what the bound is there for.
            return CoverageGap{
                loop.place,
                fmt::format(
                    "{} ran with {} trip{} only, where its bound allows {}; give its inputs a "
                    "range under [inputs] in which it runs more and less often",
                    name, *seen.begin(), *seen.begin() == 1 ? "" : "s", *loop.allowed)};
        if (loop.computed && loop.trip_count_is_input && seen.size() < 2)
            return CoverageGap{loop.place, fmt::format("{} ran with {} trips only; {}", name,
                                                       *seen.begin(), hint(loop))};
        std::vector<std::uint64_t> missing;
        for (const std::uint64_t wanted : wanted_trips(loop))
            if (!seen.contains(wanted))
                missing.push_back(wanted);
        if (!missing.empty())
            return CoverageGap{
                loop.place,
                fmt::format("{} never ran with {} trip{}; {}", name, fmt::join(missing, " and "),
                            missing == std::vector<std::uint64_t>{1} ? "" : "s", hint(loop))};
    }
    return std::nullopt;
}

const LoopToCover* beyond_bound(const std::vector<LoopToCover>& loops,
                                const std::vector<EmittedLoop>& emitted,
                                const std::map<std::uint32_t, std::set<std::uint64_t>>& heads) {
    for (const LoopToCover& loop : loops) {
        const std::optional<std::uint64_t> most = loop.allowed ? loop.allowed : loop.bound;
        // One that always makes as many trips makes more only of what was stored in a wrong place.
        if (!most || loop.shares_line || loop.always_bound)
            continue;
        for (const std::uint32_t i : loops_at(loop, loops, emitted))
            // A loop that still runs has not passed its head for the last time.
            if (emitted[i].counted && heads.contains(i) && *heads.at(i).rbegin() > *most + 1)
                return &loop;
    }
    return nullptr;
}

bool is_promise(const LoopToCover& loop) {
    return loop.bound == loop.allowed || (loop.trip_count_is_input && !loop.allowed);
}

bool runs_unknown_loop(const std::vector<LoopToCover>& loops,
                       const std::vector<EmittedLoop>& emitted,
                       const std::map<std::uint32_t, std::set<std::uint64_t>>& heads) {
    std::set<std::uint32_t> known;
    for (const LoopToCover& loop : loops)
        for (const std::uint32_t i : loops_at(loop, loops, emitted))
            known.insert(i);
    return std::any_of(heads.begin(), heads.end(), [&](const auto& running) {
        return running.first < emitted.size() && emitted[running.first].counted &&
               !known.contains(running.first);
    });
}

} // namespace slimgrad::verify
