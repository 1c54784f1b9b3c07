#include "attributes/solver_loop.h"

#include "attributes/loop_twice.h"
#include "rewriter/call_derivative.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

bool is_scalar(std::string_view type) {
    return type == "float" || type == "double" || type == "half";
}

bool measures_size(std::string_view test) {
    return test.find("abs(") != std::string_view::npos ||
           test.find("abs (") != std::string_view::npos;
}

/// The tests that end the loop, as far as they stand in its head or are statements of its body.
std::vector<Site> tests_of(const ModuleModel& model, const Loop& loop) {
    std::vector<Site> tests;
    if (loop.condition)
        for (Site part : conjuncts_of(model, {loop.site.file, *loop.condition}))
            tests.push_back(part);
    for (const BlockStatement& statement : statements_of(model, {loop.site.file, loop.body}))
        if (statement.break_condition)
            tests.push_back(*statement.break_condition);
    std::erase_if(tests, [&](Site test) { return !measures_size(model.text(test)); });
    return tests;
}

class SolverReader {
  public:
    SolverReader(const ModuleModel& model, CheckpointedLoops& loops, Index index)
        : model_(model), index_(index), loop_(model.loops[index]),
          function_(model.functions[loop_.function]), flow_(loops.flows().of(loop_.function)),
          place_(loops.place_of(index)) {}

    Result<SolverLoop> read() {
        statements_ = statements_of(model_, site(loop_.body));
        SolverLoop solver;
        solver.loop = index_;
        if (std::string why = find_unknown(solver); !why.empty())
            return fail(std::move(why), place_);
        if (std::string why = find_residual(solver); !why.empty())
            return fail(std::move(why), place_);
        if (!is_tested(solver))
            return fail("its test is not of the last step alone", place_);
        return solver;
    }

  private:
    Site site(ByteRange range) const { return {loop_.site.file, range}; }
    bool is_inside(Site code) const {
        return code.file == loop_.site.file && loop_.site.range.contains(code.range);
    }
    const LocalVariable* local_of(const Variable& variable) const {
        return variable.kind == VariableKind::local && variable.index != none
                   ? &model_.locals[variable.index]
                   : nullptr;
    }

    /// The one variable of the function that the loop sets and that is used behind it.
    std::string find_unknown(SolverLoop& solver) const {
        if (!flow_.incomplete.empty())
            return "what it sets is not known: " + flow_.incomplete;
        std::set<Index> set;
        for (const Definition& definition : flow_.definitions)
            if (definition.kind != DefinitionKind::entry && is_inside(definition.site)) {
                const LocalVariable* local = local_of(flow_.variables[definition.variable]);
                if (!local)
                    return fmt::format("it sets '{}'", flow_.variables[definition.variable].name);
                if (!is_inside(local->site))
                    set.insert(definition.variable);
            }
        std::vector<Index> used;
        for (Index variable : set)
            if (std::any_of(flow_.uses.begin(), flow_.uses.end(), [&](const Use& use) {
                    return use.variable == variable && !is_inside(use.site);
                }))
                used.push_back(variable);
        if (used.size() != 1)
            return "it does not give one variable alone";
        const Variable& variable = flow_.variables[used[0]];
        solver.unknown = variable.index;
        const LocalVariable& local = model_.locals[variable.index];
        if (!is_scalar(local.type))
            return fmt::format("'{}' is no number that is declared as one", local.name);
        for (const Definition& definition : flow_.definitions)
            if (definition.variable == used[0] && !is_inside(definition.site) &&
                definition.kind != DefinitionKind::declaration)
                return fmt::format("'{}' is set outside of it, too", local.name);
        for (const BlockStatement& statement : statements_of(model_, site(*function_.body)))
            if (statement.declared == local.site)
                solver.declaration = statement.site;
        if (solver.declaration.range.empty() || !local.initializer)
            return fmt::format("'{}' is not declared by a statement of the function's body",
                               local.name);
        return "";
    }

    /// The value of a local of the loop that is set where it is declared alone, or the expression.
    Site resolved(Site value, std::string& step) const {
        for (const LocalVariable& local : model_.locals)
            if (local.function == loop_.function && is_inside(local.site) &&
                local.name == model_.text(value) && local.initializer && !local.reassigned) {
                step = local.name;
                return *local.initializer;
            }
        return value;
    }

    std::string find_residual(SolverLoop& solver) {
        const std::string& name = model_.locals[solver.unknown].name;
        std::optional<Site> value;
        std::size_t writes = 0;
        bool is_added = false;
        for (const Definition& definition : flow_.definitions)
            writes +=
                local_of(flow_.variables[definition.variable]) == &model_.locals[solver.unknown] &&
                is_inside(definition.site);
        for (const BlockStatement& statement : statements_) {
            is_added |= statement.added_to && model_.text(*statement.added_to) == name;
            if (statement.added_to && model_.text(*statement.added_to) == name)
                value = statement.added;
            if (statement.set && model_.text(*statement.set) == name)
                value = statement.set_to;
        }
        if (!value || writes != 1)
            return fmt::format("'{}' is not set by one statement of its body", name);
        const Site residual = resolved(*value, step_);
        if (std::string why = why_not_of_parameters(residual, name); !why.empty())
            return why;
        solver.residual = std::string(model_.text(residual));
        if (!is_added)
            solver.residual += " - " + name;
        return "";
    }

    std::string why_not_of_parameters(Site residual, const std::string& unknown) const {
        bool reads_unknown = false;
        if (without_comments(model_.text(residual)) != model_.text(residual) ||
            model_.text(residual).find('\n') != std::string_view::npos || model_.is_macro(residual))
            return "its step is not one line of text";
        for (Site name : names_of(model_, residual)) {
            const std::string_view text = model_.text(name);
            reads_unknown |= text == unknown;
            for (const LocalVariable& local : model_.locals)
                if (local.function == loop_.function && local.name == text && text != unknown)
                    return fmt::format("its step reads '{}', which is no parameter", text);
        }
        for (const Access& access : model_.accesses)
            if (access.site.file == residual.file && residual.range.contains(access.site.range) &&
                access.kind != AccessKind::read)
                return "its step does more than to compute a value";
        return reads_unknown ? "" : fmt::format("its step does not depend on '{}'", unknown);
    }

    /// Whether a test reads only the step, or the unknown as it is and was.
    bool is_tested(const SolverLoop& solver) const {
        const std::string& unknown = model_.locals[solver.unknown].name;
        for (Site test : tests_of(model_, loop_)) {
            bool reads_step = false, reads_other = false;
            for (Site name : names_of(model_, test)) {
                const std::string_view text = model_.text(name);
                const bool is_step = text == unknown || text == step_ || is_before(text, unknown);
                reads_step |= is_step;
                reads_other |= !is_step && is_variable(text);
            }
            if (reads_step && !reads_other)
                return true;
        }
        return false;
    }

    bool is_variable(std::string_view name) const {
        return std::any_of(
            flow_.variables.begin(), flow_.variables.end(), [&](const Variable& variable) {
                return variable.name == name && variable.kind != VariableKind::global &&
                       variable.kind != VariableKind::other;
            });
    }

    /// Whether the name is a local that is set to the unknown, or to the size of the step.
    bool is_before(std::string_view name, const std::string& unknown) const {
        for (const BlockStatement& statement : statements_) {
            if (!statement.set || model_.text(*statement.set) != name)
                continue;
            const auto names = names_of(model_, *statement.set_to);
            return std::all_of(names.begin(), names.end(), [&](Site part) {
                const std::string_view text = model_.text(part);
                return text == unknown || text == step_ || text == "detach" || text == "abs";
            });
        }
        return false;
    }

    const ModuleModel& model_;
    const Index index_;
    const Loop& loop_;
    const Function& function_;
    const FunctionFlow& flow_;
    const Place place_;
    std::vector<BlockStatement> statements_;
    std::string step_;
};

} // namespace

bool may_be_solver(const ModuleModel& model, CheckpointedLoops& loops, Index index) {
    const Loop& loop = model.loops[index];
    const FunctionFlow& flow = loops.flows().of(loop.function);
    const DerivativeTypes types(model, loop.function);
    for (Site test : tests_of(model, loop))
        for (const Use& use : flow.uses)
            if (use.site.file == test.file && test.range.contains(use.site.range) &&
                types.of(flow.variables[use.variable].type).carries())
                return true;
    return false;
}

Result<SolverLoop> read_solver(const ModuleModel& model, CheckpointedLoops& loops, Index loop) {
    return SolverReader(model, loops, loop).read();
}

} // namespace slimgrad
