#pragma once

#include "rewriter/module_model.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The variables of one function: where they get values, where these are used, and through which
/// uses a derivative goes.
namespace slimgrad {

/// Whether the derivative of what a use goes into reaches the used value.
enum class DerivativeUse { carries, does_not, unknown };

/// "carries", "does not carry", "unknown"
std::string_view name_of(DerivativeUse use);

enum class VariableKind {
    parameter,
    local,  ///< lambda's and catch clause's parameters, too
    global, ///< of the module, whatever it is: buffer, uniform, groupshared, static
    field,  ///< of the object that the method is called on: `x` or `this.x`
    object, ///< `this` as a whole
    other,  ///< a name that the model does not declare
};

struct Variable {
    std::string name;
    VariableKind kind = VariableKind::other;
    /// Into Function::parameters, ModuleModel::locals or ModuleModel::globals; none for the others.
    Index index = none;
    std::string type; ///< as declared, "" or "var" where that does not say it
    Site site;        ///< of its name's declaration; empty where the model has none
};

enum class DefinitionKind {
    entry,       ///< what the function begins with: arguments, globals, fields
    declaration, ///< `float x = e;`, and without a value, too
    assignment,  ///< `x = e`
    update,      ///< `x += e`, `++x`: uses the value before
    argument,    ///< passed to an out or inout parameter, or to what may be one
    receiver,    ///< `x.m()` of a [mutating] method, or of what may be one
    call,        ///< a global or a field that a function that is called there may write
};

struct Definition {
    Index variable = none;
    DefinitionKind kind = DefinitionKind::entry;
    Site site;         ///< the expression that writes; empty for `entry`
    Index loop = none; ///< innermost loop around it
    bool partial =
        false; ///< other values may stay: a member, an element, or a write that may not be
    std::optional<Site> value = {}; ///< of `assignment`: what it is set to
};

/// A definition whose value a use may get.
struct ReachingDefinition {
    Index definition = none;
    /// The loop whose next trip gets the value, the innermost one; none where it comes in the same
    /// trip or from before all loops around the use. A value may come both ways: two entries.
    Index carried_by = none;
};

struct Use {
    Index variable = none;
    Site site; ///< the variable with its members and subscripts, `a.b[i]`
    Index loop = none;
    DerivativeUse derivative = DerivativeUse::unknown;
    /// Why it does not carry, or why that is not known. If it carries, "" or the memory that gets
    /// the derivative: "added to w's gradient".
    std::string reason;
    /// In the order of FunctionFlow::definitions. Empty in code that is never reached.
    std::vector<ReachingDefinition> reaching;
};

/// A call of the body, of whatever form, that runs code of the module or may.
struct CallFlow {
    Site site; ///< Call::site
    /// Whether a derivative goes through it to its arguments or to what the callee finds in memory,
    /// if the callee has a derivative.
    DerivativeUse derivative = DerivativeUse::unknown;
};

/// What a function's body does with variables. In the order of the text.
struct FunctionFlow {
    std::vector<Variable> variables; ///< parameters first
    std::vector<Definition> definitions;
    std::vector<Use> uses;
    std::vector<CallFlow> calls;
    /// Why `reaching` may lack definitions: macros that may hold statements, syntax errors. "" if
    /// it is complete.
    std::string incomplete;
};

/// Whether what a call runs may write a global (into ModuleModel::globals), beside its arguments.
using GlobalWriter = std::function<bool(const Call& call, Index global)>;

/// Reads functions of one module. Uses `carry` a derivative if the function is differentiated and
/// the place is one that derivatives go through, unless all values that reach it are numbers
/// without a derivative; that nobody wants the derivative is not looked at. Aliases are not
/// followed: what is written through a pointer or another name of the same memory is no definition.
class FlowAnalysis {
  public:
    /// The model has to outlive it. Without `may_write` every call of the module's functions may
    /// write all globals that are memory.
    explicit FlowAnalysis(const ModuleModel& model, GlobalWriter may_write = nullptr);
    ~FlowAnalysis();

    /// Of a function without a body there are its parameters alone.
    FunctionFlow of_function(Index function) const;

  private:
    struct Shared;
    std::unique_ptr<const Shared> shared_;
};

/// Of one function alone.
FunctionFlow read_flow(const ModuleModel& model, Index function);

} // namespace slimgrad
