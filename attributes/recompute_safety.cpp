#include "attributes/recompute_safety.h"

#include <fmt/format.h>

namespace slimgrad {

namespace {

using Answer = RecomputeSafety::Answer;

/// Compares what is read with what the dispatches that reach `function` write.
RecomputeSafety against_writes(const RuleInput& input, const EffectAnalysis& analysis,
                               Index function, const std::map<MemoryRoot, Site>& reads) {
    const auto at = [&](Site site) { return short_place(input.model, site); };
    const Effects dispatch = analysis.of_dispatches(function);
    // What is not known could write anything.
    if (!dispatch.unknown.empty())
        return {Answer::no, fmt::format("the kernel {} ({})", dispatch.unknown.begin()->first,
                                        at(dispatch.unknown.begin()->second))};
    RecomputeSafety safety{Answer::only_reads, ""};
    for (const auto& [read, read_site] : reads) {
        for (const auto& [write, write_site] : dispatch.writes) {
            if (read == write)
                return {Answer::no,
                        fmt::format("it reads '{}', which the same dispatch writes ({})", read.name,
                                    at(write_site))};
            if ((read.is_global && write.is_global) || safety.answer != Answer::only_reads)
                continue;
            safety.by_promise = input.promises.noalias;
            if (safety.by_promise)
                continue;
            safety = {
                Answer::if_no_alias,
                fmt::format(
                    "'{}' and '{}' do not overlap: the one is read ({}), the other written ({})",
                    read.name, write.name, at(read_site), at(write_site))};
        }
    }
    return safety;
}

} // namespace

RecomputeSafety recompute_safety(const RuleInput& input, const EffectAnalysis& analysis,
                                 Index function) {
    const auto at = [&](Site site) { return short_place(input.model, site); };
    const Effects own = analysis.of_function(function);
    if (!own.writes.empty()) {
        const auto& [root, site] = *own.writes.begin();
        return {Answer::no, fmt::format("it writes '{}' ({})", root.name, at(site))};
    }
    if (!own.impure.empty())
        return {Answer::no, fmt::format("it {} ({})", own.impure.begin()->first,
                                        at(own.impure.begin()->second))};
    if (!own.unknown.empty())
        return {Answer::no, fmt::format("it {} ({})", own.unknown.begin()->first,
                                        at(own.unknown.begin()->second))};
    if (own.reads.empty())
        return {Answer::pure, ""};
    return against_writes(input, analysis, function, own.reads);
}

RecomputeSafety read_again_safety(const RuleInput& input, const EffectAnalysis& analysis,
                                  Index function, const std::string& base) {
    std::map<MemoryRoot, Site> reads;
    const Roots roots = analysis.tracer().trace_expression(function, base);
    for (const MemoryRoot& root : roots.roots)
        reads.emplace(root, input.model.functions[function].name_site);
    if (reads.empty() || !roots.unknown.empty())
        return {Answer::no, fmt::format("what '{}' gives access to is not known", base)};
    return against_writes(input, analysis, function, reads);
}

void add_condition(Fix& fix, const RecomputeSafety& safety) {
    if (safety.answer != Answer::if_no_alias)
        return;
    fix.applicability = Applicability::unsafe;
    fix.condition = safety.reason;
}

} // namespace slimgrad
