#include "attributes/split_phases.h"

#include "attributes/entry_point.h"
#include "attributes/outlined_function.h"
#include "attributes/solver_loop.h"
#include "attributes/text_layout.h"
#include "rewriter/call_derivative.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {
namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Why the function around a solver cannot be written in phases, or "".
std::string why_function_is_kept(const RuleInput& input, const Loop& loop, Site declaration) {
    const ModuleModel& model = input.model;
    const Function& function = model.functions[loop.function];
    if (!function.parent_type.empty() || !function.generics.empty() || function.from_macro)
        return "its function is a member, generic or a macro's";
    for (const Parameter& parameter : function.parameters)
        for (const std::string_view modifier : {"out", "inout", "ref", "__ref", "uniform"})
            if (has(parameter.modifiers, modifier))
                return fmt::format("its function has the {} parameter '{}'", modifier,
                                   parameter.name);
    const Site before{function.site.file, {function.body->begin + 1, loop.site.range.end}};
    if (model.is_macro(before) || model.is_broken(function.site) ||
        !input.editable(model.files[function.site.file].path()))
        return "a macro or broken text stands in it";
    const auto& inactive = model.inactive[function.site.file];
    if (std::any_of(inactive.begin(), inactive.end(),
                    [&](ByteRange range) { return function.site.range.contains(range); }))
        return "a preprocessor line stands in its function";
    const auto statements = statements_of(model, {function.site.file, *function.body});
    if (std::none_of(statements.begin(), statements.end(), [&](const BlockStatement& statement) {
            return statement.site.range == loop.with_attributes;
        }))
        return "it does not stand in the block of its function";
    if (declaration.range.end > loop.with_attributes.begin)
        return "its unknown is declared behind it";
    return why_bound_to_place(model, before);
}

/// The parts of one function, as text.
class Phases {
  public:
    Phases(const ModuleModel& model, const SolverLoop& solver)
        : model_(model), solver_(solver), loop_(model.loops[solver.loop]),
          function_(model.functions[loop_.function]), file_(model.files[function_.site.file]),
          unknown_(model.locals[solver.unknown]), line_(file_.line_ending()),
          indent_(indentation(file_, function_.site.range.begin)),
          unit_(indent_unit(file_, *function_.body, indent_)),
          solve_(free_name(model, function_.name + "Solve")),
          residual_(free_name(model, function_.name + "Residual")),
          slope_(free_name(model, function_.name + "Slope")) {
        for (const Parameter& parameter : function_.parameters) {
            const std::string separator = plain_.empty() ? "" : ", ";
            const bool is_plain =
                has(parameter.modifiers, "no_diff") ||
                !DerivativeTypes(model, loop_.function).of(parameter.type).carries();
            const std::string declared = parameter.type + " " + parameter.name;
            plain_ += separator + declared;
            differentiated_ +=
                separator + (has(parameter.modifiers, "no_diff") ? "no_diff " : "") + declared;
            names_ += separator + parameter.name;
            pairs_ += separator +
                      (is_plain ? parameter.name : fmt::format("diffPair({})", parameter.name));
        }
    }

    Fix fix(const std::string& loop_name) const {
        Fix fix;
        fix.description = fmt::format("solve {} without derivatives, and take them from one Newton "
                                      "step",
                                      loop_name);
        fix.applicability = Applicability::unsafe;
        fix.other_derivative = true;
        fix.condition = fmt::format("the loop ends at a root of {}, where the slope is not 0, and "
                                    "the derivative of that root is meant",
                                    solver_.residual);
        const std::string& path = file_.path();
        const std::uint32_t above =
            file_.line_start(above_comments(file_, function_.site.range.begin));
        fix.edits.push_back({path, {above, above}, residual() + slope() + solve()});
        fix.edits.push_back(
            {path, unknown_.initializer->range, fmt::format("no_diff {}({})", solve_, names_)});
        const std::string arguments = names_ + (names_.empty() ? "" : ", ") + unknown_.name;
        fix.edits.push_back({path, loop_.with_attributes,
                             fmt::format("{0} -= {1}({3}) / no_diff {2}({3});", unknown_.name,
                                         residual_, slope_, arguments)});
        return fix;
    }

  private:
    std::string declared(const std::string& head, const std::string& body) const {
        const std::string open = opens_on_line(model_, function_) ? " {" : line_ + indent_ + "{";
        return fmt::format("{1}{2}{3}{0}{4}{0}{1}}}{0}{0}", line_, indent_, head, open, body);
    }

    std::string with_unknown(const std::string& parameters) const {
        return fmt::format("{}{}{} {}", parameters, parameters.empty() ? "" : ", ", unknown_.type,
                           unknown_.name);
    }

    std::string residual() const {
        return indent_ + "[Differentiable]" + line_ +
               declared(fmt::format("{} {}({})", unknown_.type, residual_,
                                    with_unknown(differentiated_)),
                        fmt::format("{}{}return {};", indent_, unit_, solver_.residual));
    }

    std::string slope() const {
        return declared(fmt::format("{} {}({})", unknown_.type, slope_, with_unknown(plain_)),
                        fmt::format("{}{}return fwd_diff({})({}{}diffPair({}, {}(1))).d;", indent_,
                                    unit_, residual_, pairs_, pairs_.empty() ? "" : ", ",
                                    unknown_.name, unknown_.type));
    }

    /// What stands before the end of the loop.
    std::string solve() const {
        const auto statements = statements_of(model_, {function_.site.file, *function_.body});
        const std::uint32_t begin =
            file_.line_start(above_comments(file_, statements.front().site.range.begin));
        const bool is_line = begin > function_.body->begin;
        const std::string text(file_.slice(
            {is_line ? begin : statements.front().site.range.begin, loop_.with_attributes.end}));
        return declared(fmt::format("{} {}({})", unknown_.type, solve_, plain_),
                        fmt::format("{}{}{}{}{}return {};", is_line ? "" : indent_ + unit_, text,
                                    line_, indent_, unit_, unknown_.name));
    }

    const ModuleModel& model_;
    const SolverLoop& solver_;
    const Loop& loop_;
    const Function& function_;
    const SourceFile& file_;
    const LocalVariable& unknown_;
    const std::string line_, indent_, unit_;
    const std::string solve_, residual_, slope_;
    std::string plain_, differentiated_, names_, pairs_;
};

} // namespace

std::vector<Finding> split_phases(const RuleInput& input) {
    const ModuleModel& model = input.model;
    CheckpointedLoops loops(input);
    std::vector<Finding> findings;
    for (Index index : loops.loops()) {
        const Loop& loop = model.loops[index];
        const std::uint64_t bytes = loops.carried_bytes(loop.function);
        if (bytes == 0 || !may_be_solver(model, loops, index))
            continue;
        Finding finding;
        finding.rule = "split-phases";
        finding.place = loops.place_of(index);
        finding.bytes = bytes;
        const auto solver = read_solver(model, loops, index);
        finding.message = fmt::format(
            "'{}' stores {} B for the steps of a loop that runs until they are small; {} needs "
            "none of them",
            model.functions[loop.function].name, bytes,
            solver ? "the derivative of what it ends at"
                   : "if it ends at the root of an equation, the derivative of that");
        const std::string why = solver ? why_function_is_kept(input, loop, solver->declaration)
                                       : solver.error().message;
        if (why.empty())
            finding.fixes.push_back(Phases(model, *solver).fix(loops.name_of(index)));
        else
            finding.why_not.push_back(why);
        finding.severity = why.empty() ? Severity::cost : Severity::note;
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
