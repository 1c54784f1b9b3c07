#pragma once

#include "attributes/rule.h"
#include "attributes/trip_count.h"
#include "attributes/unroll_cost.h"
#include "rewriter/module_model.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// One loop of a generic helper, unrolled for some of its callers and replayed for others.
///
/// Example: `[ForceUnroll] for (int i = 0; i < N; ++i) v = f(v);` in `march<let N : int>(..)`,
/// called as `march<8>(x)` and `bwd_diff(march<32>)(p, d)`, becomes
///
///     if (N > replayAbove)
///     {
///         [MaxIters(N)] for (int i = 0; i < N; ++i) v = f(v);
///     }
///     else
///     {
///         [ForceUnroll] for (int i = 0; i < N; ++i) v = f(v);
///     }
///
/// in `march<let N : int, let replayAbove : int = N>(..)`, and the second call becomes
/// `bwd_diff(march<32, 31>)(p, d)`: it is replayed, while the first is unrolled as before.
///
/// What slangc 2026.14.1 makes of it: the branch that is not taken is gone before anything is
/// stored or reported. A default may name another generic parameter, stand behind type parameters,
/// and serves calls that give fewer arguments or none, inside functions that are differentiated,
/// too. Only `bwd_diff(f<8>)` and `fwd_diff(f<8>)` do not take it (E33070): these get all
/// arguments.
namespace slimgrad {

/// A loop that stands in a function twice, as above.
struct ThresholdPair {
    Index replayed = none;
    Index unrolled = none;
    std::size_t parameter = 0; ///< of the threshold, into Function::generics
};

std::vector<ThresholdPair> threshold_pairs(const ModuleModel& model, TripCounts& trips);

class ReplayThreshold {
  public:
    /// All have to outlive this. `differentiated` is by function.
    ReplayThreshold(const RuleInput& input, TripCounts& trips, UnrollCost& cost,
                    const std::vector<bool>& differentiated)
        : input_(input), model_(input.model), trips_(trips), cost_(cost),
          differentiated_(differentiated) {}

    /// For each group of differentiated calls with the same generic arguments: the loops of the
    /// nest, the outermost first, twice, and the calls' threshold so that they alone change their
    /// form. Nothing where all calls run the nest equally often, and nothing, with the reason,
    /// where it cannot be done. `name` and `bounds` are of the loops.
    std::vector<Fix> introduce(const std::vector<Index>& nest, const std::string& name,
                               const std::vector<std::string>& bounds,
                               std::vector<std::string>& why_not);

    /// The same for a pair that is there: the calls' thresholds alone change.
    std::vector<Fix> change(const ThresholdPair& pair, const std::string& name,
                            std::vector<std::string>& why_not);

  private:
    /// Differentiated calls in one function with the same generic arguments.
    struct CallSite {
        std::vector<Index> calls;
        std::int64_t trips = 0;
    };

    std::vector<Index> calls_of(Index function) const;
    std::map<Index, std::int64_t> trips_by_call(Index loop);
    std::vector<CallSite> sites_of(Index loop);
    std::string why_not_introduced(const std::vector<Index>& nest) const;
    std::string why_call_is_kept(const Call& call) const;
    std::string describe(const CallSite& site, std::size_t arguments) const;
    std::string why_not_unrolled(const std::vector<Index>& nest, std::int64_t trips);
    bool keep_form(const std::vector<Index>& nest, const CallSite& changed,
                   std::vector<SourceEdit>& edits, std::vector<std::string>& why_not);
    bool set_threshold(const CallSite& site, std::size_t position, std::int64_t value,
                       std::vector<SourceEdit>& edits, std::vector<std::string>& why_not) const;

    const RuleInput& input_;
    const ModuleModel& model_;
    TripCounts& trips_;
    UnrollCost& cost_;
    const std::vector<bool>& differentiated_;
};

} // namespace slimgrad
