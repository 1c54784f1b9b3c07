#pragma once

#include "rewriter/module_model.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// Memory that outlives a call: a global binding, or what an entry point's or unresolved parameter gives access to.
/// Distinct global bindings do not alias; two parameters may.
struct MemoryRoot {
    bool is_global = true;
    std::string name; ///< "gW", "src", "this.weights"

    friend auto operator<=>(const MemoryRoot&, const MemoryRoot&) = default;
};

/// What running a function may do to memory that outlives it, callees included. Writes through `out` and `inout` parameters
/// of value types are results, not effects.
struct Effects {
    std::map<MemoryRoot, Site> reads;   ///< with one place where it happens
    std::map<MemoryRoot, Site> writes;
    std::map<std::string, Site> impure; ///< "calls WaveActiveSum": another result when run again or under another mask
    std::map<std::string, Site> unknown; ///< "calls foo, whose effects are not known"
};

/// Effects over the call graph of one module. Calls are resolved by name: all functions of that name, overloads, members
/// and implementations of an interface alike, so that what is found is never too little.
class EffectAnalysis {
  public:
    explicit EffectAnalysis(const ModuleModel& model);

    /// Of one call of the function's primal code.
    Effects of_function(Index function) const;

    /// Of one dispatch of every entry point that can reach the function, by all threads: forward code, derivatives and
    /// custom derivatives. If no entry point reaches it, of all functions of the module.
    Effects of_dispatches(Index function) const;

    /// Functions that are reached from this one by calls, with derivatives and custom derivatives or without.
    std::set<Index> reachable(Index function, bool with_derivatives) const;

    /// What memory a name in a function's body gives access to, followed through parameters to the callers' arguments.
    /// Empty for values and constants.
    std::vector<MemoryRoot> roots(Index function, const std::string& name) const { return roots(function, name, {}, 0); }

    bool is_entry_point(Index function) const;

    /// Whether the generated backward pass can run this function: some bwd_diff or a differentiable kernel reaches it.
    bool is_differentiated(Index function) const;

  private:
    void add_function(Index function, Effects& effects) const;
    void add_macro(const std::string& name, Site site, Effects& effects, int depth) const;
    std::vector<MemoryRoot> roots(Index function, const std::string& name, const std::vector<std::string>& members,
                                  int depth) const;
    bool is_memory_type(const std::string& type) const;

    const ModuleModel& model_;
    std::map<std::string, std::vector<Index>> by_name_;
    std::map<std::string, std::vector<Index>> calls_by_callee_;
    std::vector<std::vector<Index>> calls_of_;     ///< per function
    std::vector<std::vector<Index>> accesses_of_;
    std::vector<std::set<Index>> callees_;         ///< per function: plain and differentiated calls
    std::vector<std::set<Index>> derivatives_;     ///< per function: its custom derivatives and substitutes
    std::set<Index> implicit_;                     ///< operators and accessors, which calls do not name
};

} // namespace slimgrad
