#pragma once

#include "attributes/custom_derivatives.h"
#include "rewriter/module_model.h"
#include "rewriter/static_member.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Memory that outlives a call: a global binding, or what a parameter of an entry point gives
/// access to. Distinct global bindings do not alias; pointers and parameters may overlap with
/// others.
struct MemoryRoot {
    bool is_global = true; ///< a binding of its own: overlaps with itself only
    std::string name;      ///< "gW", "squares.src", "scene.weights"

    friend auto operator<=>(const MemoryRoot&, const MemoryRoot&) = default;
};

/// What a name gives access to. Not known: there is an entry in `unknown`, and the roots are not
/// all.
struct Roots {
    std::set<MemoryRoot> roots;
    std::set<std::string> unknown; ///< names that could not be traced
};

/// Traces names back to the memory behind them: through locals, struct members, parameters to the
/// arguments of all calls, methods to their receivers, custom derivatives to the parameters of what
/// they differentiate.
class MemoryTracer {
  public:
    explicit MemoryTracer(const ModuleModel& model);

    /// Roots behind `name.members` in a function's body; empty for values and constants. `local` is
    /// the local variable that the name means, `none` where it means no local variable; without it
    /// all are meant that the name means in the function.
    Roots trace(Index function, const std::string& name, const std::vector<std::string>& members,
                std::optional<Index> local = {}) const;

    /// Roots behind an expression such as a call's receiver: "gW", "scene.weights", "this".
    Roots trace_expression(Index function, std::string_view expression) const;

    /// The static member variable of a type that `name.members` means there, or may mean; a
    /// variable of that name is asked for its type.
    std::optional<StaticMember> static_member(Index function, const std::string& name,
                                              const std::vector<std::string>& members,
                                              Index local) const;

    const StaticMembers& static_members() const { return static_members_; }

    /// The derivatives that calls are followed through.
    const CustomDerivatives& custom_derivatives() const { return derivatives_; }

    /// Whether the access is one of a variable: a local, parameter, field or global. Any other may
    /// name a function.
    bool names_variable(const Access& access) const;

    /// All functions of this name.
    const std::vector<Index>& named(const std::string& name) const;

    /// The first global that is bound to the same place, [[vk::binding(n)]]: names of one memory.
    const GlobalVariable& binding_of(const GlobalVariable& global) const;

    /// Whether the function is named where it is not called, `apply(f, x)`: then it may be called
    /// with anything.
    bool is_passed_on(Index function) const { return passed_on_[function]; }

  private:
    struct Path {
        std::string name;
        std::vector<std::string> members;

        std::string text() const; ///< "name.member"
    };
    /// What was found so far. A name that was traced already adds nothing: calls that call each
    /// other make many ways to one.
    struct Search : Roots {
        std::set<std::string> traced;
        std::string parameter; ///< one that gives access to memory and was traced to its calls
        bool is_new(Index function, const Path& path, std::optional<Index> local);
    };

    // Locals and parameters: memory_roots.cpp. Globals and members of types: memory_globals.cpp.
    void trace(Index function, const Path& path, std::optional<Index> local, int depth,
               Search& result) const;
    bool trace_locals(Index function, const Path& path, int depth, Search& result) const;
    void trace_local(Index function, const Path& path, const LocalVariable& local, int depth,
                     Search& result) const;
    void trace_parameter(Index function, const Path& path, std::uint32_t parameter, int depth,
                         Search& result) const;
    void trace_this(Index function, const Path& path, int depth, Search& result) const;
    bool is_field(Index function, const std::string& name) const;
    void trace_static(const Path& path, const StaticMember& member, Search& result) const;
    void trace_global(const Path& path, const GlobalVariable& global, Search& result) const;
    void trace_argument(Index function, std::string_view expression, const Path& suffix, int depth,
                        Search& result) const;
    /// A parameter that only calls from within a recursion give a value is not known.
    static Roots finished(Search search);
    static std::optional<Path> as_path(std::string_view expression);

    const ModuleModel& model_;
    CustomDerivatives derivatives_;
    std::map<std::string, std::vector<Index>> functions_;
    std::vector<std::vector<Index>> calls_; ///< per function: those that may run it
    std::vector<bool> passed_on_;
    /// Per function and name: the locals that its uses mean, or `none`.
    std::vector<std::map<std::string, std::set<Index>>> meanings_;
    StaticMembers static_members_;
};

} // namespace slimgrad
