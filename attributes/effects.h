#pragma once

#include "attributes/implicit_code.h"
#include "attributes/memory_roots.h"
#include "rewriter/module_model.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// What running a function may do to memory that outlives it, callees included. Writes through
/// `out` and `inout` parameters of value types are results, not effects.
struct Effects {
    std::map<MemoryRoot, Site> reads; ///< with one place where it happens
    std::map<MemoryRoot, Site> writes;
    std::map<std::string, Site>
        impure; ///< "calls WaveActiveSum": another result when run again or under another mask
    std::map<std::string, Site> unknown; ///< "calls 'foo', whose effects are not known"
};

/// Effects over the call graph of one module. A call that cannot be resolved counts as one of all
/// functions that it may be, so that what is found is never too little.
class EffectAnalysis {
  public:
    explicit EffectAnalysis(const ModuleModel& model);

    /// Of one call of the function's primal code.
    Effects of_function(Index function) const;

    /// The same with the derivatives that it may run: of a call of `bwd_diff(f)`.
    Effects of_derivatives(Index function) const;

    /// Of what a call of a local lambda expression runs; nothing where the call is none.
    std::optional<Effects> of_lambda(const Call& call) const;

    /// Of one dispatch of every entry point that can reach the function, by all threads: forward
    /// code, derivatives and custom derivatives. If no entry point reaches it, of all functions of
    /// the module.
    Effects of_dispatches(Index function) const;

    /// Functions that are reached from this one by calls, with derivatives and custom derivatives
    /// or without.
    std::set<Index> reachable(Index function, bool with_derivatives) const;

    /// Whether the generated backward pass can run this function, with a derivative or without one:
    /// some bwd_diff or a differentiable kernel reaches it. Those that run with a derivative are
    /// the differentiated ones (find_differentiated).
    bool is_run_backwards(Index function) const;

    const MemoryTracer& tracer() const { return tracer_; }

  private:
    void add_siblings(const Call& call);
    Effects of_all(const std::set<Index>& functions) const;

    // What the text of one function does: function_effects.cpp.
    void add_function(Index function, Effects& effects) const;
    void add_access(Index function, const Access& access, Effects& effects) const;
    void add_call(Index function, const Call& call, Effects& effects) const;
    void add_core_call(Index function, const Call& call, Effects& effects) const;
    void add_written_arguments(Index function, const Call& call, Effects& effects) const;
    void add_object(Index function, const Call& call, std::string_view object, bool writes,
                    bool reads, Effects& effects) const;
    std::vector<std::string> members_to_pointer(Index function, const Access& access) const;
    const LocalVariable* local_lambda(const Call& call) const;
    void add_macro_body(const MacroDefinition& macro, Site site, Effects& effects, int depth) const;
    void add_macro(const std::string& name, Site site, Effects& effects, int depth) const;

    const ModuleModel& model_;
    MemoryTracer tracer_;
    std::vector<std::vector<Index>> calls_of_; ///< per function
    std::vector<std::vector<Index>> accesses_of_;
    std::vector<std::set<Index>> callees_;        ///< per function: plain and differentiated calls
    std::vector<std::set<Index>> differentiated_; ///< per function: what it calls the derivative of
    ImplicitCode implicit_;
};

} // namespace slimgrad
