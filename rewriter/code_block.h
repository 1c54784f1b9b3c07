#pragma once

#include "rewriter/module_model.h"

#include <optional>
#include <string>
#include <vector>

/// A piece of a function's body, as somebody sees it who would have it elsewhere.
namespace slimgrad {

/// One statement of a block, its attributes included.
struct BlockStatement {
    Site site;
    /// Of `T name = value;` and `T name;`, which declares one variable: the name.
    std::optional<Site> declared;
    /// Of `x += value;` and `x -= value;`: both sides.
    std::optional<Site> added_to, added;
    /// Of `x = value;`: both sides.
    std::optional<Site> set, set_to;
    /// Of `if (condition) break;` without an else: the condition, in its parentheses.
    std::optional<Site> break_condition;
};

/// The statements of a block in order; a statement that is no block is the only one. Empty where
/// the model has no statement there.
std::vector<BlockStatement> statements_of(const ModuleModel& model, Site body);

/// The operands of `a && b && c`, and of what is no such expression itself.
std::vector<Site> conjuncts_of(const ModuleModel& model, Site expression);

/// Why the code has to run where it stands: it leaves what is around it, or holds what has a
/// meaning only there. "" where it does not. `inside_loop`: a `continue` of its own stays within a
/// loop.
///
/// Example: "it returns", "it leaves the loop around it".
std::string why_bound_to_place(const ModuleModel& model, Site code, bool inside_loop = false);

/// The block that has the statement among its own; nothing where the statement is the body of
/// another one, or no statement of its own: attributes belong to it.
std::optional<Site> block_around(const ModuleModel& model, Site statement);

/// `return value;`
struct ReturnStatement {
    Site site;
    std::optional<Site> value;
    bool in_switch = false; ///< of the code: a `break` in place of it would leave that alone
};

/// Those in the code that leave its function, in the order of the text: not those of lambdas.
std::vector<ReturnStatement> returns_in(const ModuleModel& model, Site code);

/// Whether the code holds a `defer`, which runs when its block is left.
bool has_defer(const ModuleModel& model, Site code);

/// Names in the code that may mean a variable, a function or a type: not the `b` of `a.b`.
std::vector<Site> names_of(const ModuleModel& model, Site code);

/// Whether a type is declared in it.
bool declares_type(const ModuleModel& model, Site code);

} // namespace slimgrad
