#include "tests/fuzz/variant.h"

#include "tests/fuzz/known.h"

#include <algorithm>

namespace slimgrad::hunt {
namespace {

using SK = Statement::Kind;
using AK = LoopAttribute::Kind;

constexpr int most_unrolled_trips = 4;

template <class Change> Program with_loops(Program program, Change change) {
    for (Function& function : program.functions)
        each_statement(function.body, [&](Statement& statement) {
            if (statement.kind == SK::loop)
                change(function, statement);
        });
    return program;
}

template <class Statements> bool holds_loop(const Statements& statements) {
    bool found = false;
    each_statement(statements, [&](const Statement& inner) { found |= inner.kind == SK::loop; });
    return found;
}

/// What [MaxIters] has to be for `trips` stored trips: a `while` loop gets one fewer.
int equal_bound(const Loop& loop, int trips) {
    return loop.is_while ? trips + 1 : trips;
}

int largest_bound(const Function& function) {
    int bound = 1;
    each_statement(function.body, [&](const Statement& statement) {
        if (statement.kind == SK::loop)
            bound = std::max(bound, statement.loop.trips);
    });
    return bound;
}

Program with_preference(Program program, Preference preference) {
    for (std::size_t i = 0; i + 1 < program.functions.size(); ++i)
        program.functions[i].preference = preference;
    return program;
}

} // namespace

Program variant_of(const Program& program, const std::string& name) {
    const Program inferred = with_loops(program, [](Function&, Statement& statement) {
        Loop& loop = statement.loop;
        loop.attribute =
            loop.has_inferred_bound() ? LoopAttribute{} : LoopAttribute{AK::max_iters, loop.trips};
    });
    if (name == "max-iters")
        return with_loops(inferred, [](Function&, Statement& statement) {
            statement.loop.attribute = {AK::max_iters, statement.loop.trips};
        });
    if (name == "outlined")
        return outline_inner_loops(inferred);
    const Program equal = with_loops(inferred, [](Function& function, Statement& statement) {
        statement.loop.attribute = {AK::max_iters,
                                    equal_bound(statement.loop, largest_bound(function))};
    });
    if (name == "equal-bounds")
        return equal;
    const Program& bounded =
        known_shapes(inferred).contains(Known::unequal_bounds) ? equal : inferred;
    if (name == "unrolled")
        return with_loops(bounded, [](Function&, Statement& statement) {
            Loop& loop = statement.loop;
            if (loop.has_inferred_bound() && loop.trips <= most_unrolled_trips &&
                !holds_loop(statement.body))
                loop.attribute = {AK::force_unroll, 0};
        });
    if (name == "recompute")
        return with_preference(bounded, Preference::recompute);
    if (name == "checkpoint")
        return with_preference(bounded, Preference::checkpoint);
    return inferred;
}

std::vector<Variant> variants_of(const Program& program) {
    std::vector<Variant> variants;
    for (const char* name : {"inferred", "max-iters", "equal-bounds", "unrolled", "recompute",
                             "checkpoint", "outlined"}) {
        Program variant = variant_of(program, name);
        const bool known = std::any_of(variants.begin(), variants.end(), [&](const Variant& other) {
            return other.program == variant;
        });
        if (!known)
            variants.push_back({name, std::move(variant)});
    }
    return variants;
}

} // namespace slimgrad::hunt
