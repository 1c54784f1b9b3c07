#include "attributes/detach.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/gradient_paths.h"
#include "attributes/uncarried_variable.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

bool is_test(const Use& use) {
    return use.reason == "condition" || use.reason == "comparison";
}

class TestedValues {
  public:
    explicit TestedValues(const RuleInput& input)
        : input_(input), model_(input.model), loops_(input), paths_(model_, loops_.flows()) {}

    std::vector<Finding> run() {
        for (Index loop : loops_.loops())
            for (Index local = 0; local < model_.locals.size(); ++local)
                if (const std::uint64_t bytes = stored_for_tests(loop, local); bytes > 0)
                    add_carried(loop, local, bytes);
        std::set<Index> functions;
        for (Index loop : loops_.loops())
            if (functions.insert(model_.loops[loop].function).second)
                add_tests(model_.loops[loop].function);
        return std::move(findings_);
    }

  private:
    Finding& add(Place place, std::string message) {
        Finding finding;
        finding.rule = "detach";
        finding.place = std::move(place);
        finding.message = std::move(message);
        findings_.push_back(std::move(finding));
        return findings_.back();
    }

    // ---- Variables that are carried

    /// What is stored of a variable that the loop carries and of which no derivative is used.
    std::uint64_t stored_for_tests(Index loop, Index index) {
        const LocalVariable& local = model_.locals[index];
        const Loop& around = model_.loops[loop];
        if (local.function != around.function || local.is_static ||
            around.site.range.contains(local.site.range))
            return 0;
        std::uint64_t bytes = 0;
        const Place place = model_.place(local.site);
        for (const CheckpointContext& context : input_.compiled.contexts)
            for (const CheckpointValue& value : context.values)
                if (value.place == place && value.type.starts_with("FixedArray<"))
                    bytes = std::max(bytes, value.bytes);
        return bytes > 0 && is_read_by_tests_alone(loop, index) ? bytes : 0;
    }

    bool is_read_by_tests_alone(Index loop, Index local) {
        const Index function = model_.loops[loop].function;
        const FunctionFlow& flow = loops_.flows().of(function);
        const std::vector<bool>& open = paths_.open_uses(function);
        bool is_read = false;
        for (Index i = 0; i < flow.uses.size(); ++i) {
            const Variable& variable = flow.variables[flow.uses[i].variable];
            if (variable.kind != VariableKind::local || variable.index != local)
                continue;
            if (open[i] || !(is_test(flow.uses[i]) || ends_loop(loop, flow.uses[i].site)))
                return false;
            is_read |= flow.uses[i].loop == loop;
        }
        return is_read;
    }

    /// Whether the code is part of a test that ends the loop: `all(abs(v - old) < eps)`.
    bool ends_loop(Index index, Site code) const {
        const Loop& loop = model_.loops[index];
        const auto holds = [&](const std::optional<Site>& test) {
            return test && test->file == code.file && test->range.contains(code.range);
        };
        const auto statements = statements_of(model_, {loop.site.file, loop.body});
        return (loop.condition && holds(Site{loop.site.file, *loop.condition})) ||
               std::any_of(statements.begin(), statements.end(),
                           [&](const BlockStatement& s) { return holds(s.break_condition); });
    }

    void add_carried(Index loop, Index local, std::uint64_t bytes) {
        const std::string& name = model_.locals[local].name;
        Finding& finding =
            add(model_.place(model_.locals[local].site),
                fmt::format("{} B are stored of '{}', which {} carries for its tests alone", bytes,
                            name, loops_.name_of(loop)));
        finding.bytes = bytes;
        auto fix = without_carried(input_, loops_, loop, local);
        finding.severity = fix ? Severity::cost : Severity::note;
        if (fix)
            finding.fixes.push_back(std::move(*fix));
        else
            finding.why_not.push_back(fix.error().message);
    }

    // ---- Values that tests take

    bool is_test_of_derivative(Index function, const Use& use, const Variable& variable) const {
        if (use.loop == none || !is_test(use) ||
            (variable.kind != VariableKind::local && variable.kind != VariableKind::parameter) ||
            model_.is_macro(use.site) || model_.is_broken(use.site) ||
            !input_.editable(model_.files[use.site.file].path()))
            return false;
        const DerivativeTypes types(model_, function);
        const std::string_view type = model_.type_of(use.site);
        return types.of(variable.type).carries() && !type.empty() && types.of(type).carries();
    }

    void add_tests(Index function) {
        const FunctionFlow& flow = loops_.flows().of(function);
        const std::uint64_t bytes = loops_.carried_bytes(function);
        if (bytes == 0 || !flow.incomplete.empty())
            return;
        Fix fix;
        Place place;
        for (const Use& use : flow.uses) {
            if (!is_test_of_derivative(function, use, flow.variables[use.variable]))
                continue;
            if (fix.edits.empty())
                place = model_.place(use.site);
            fix.edits.push_back({model_.files[use.site.file].path(), use.site.range,
                                 fmt::format("detach({})", model_.text(use.site))});
        }
        if (fix.edits.empty())
            return;
        const std::string& name = model_.functions[function].name;
        Finding& finding =
            add(place, fmt::format("the loops of '{}' test values with their derivatives, which a "
                                   "test does not need; {} B are stored for its loops",
                                   name, bytes));
        finding.bytes = bytes;
        finding.severity = Severity::cost;
        fix.description = fmt::format("detach what the loops of '{}' test", name);
        finding.fixes.push_back(std::move(fix));
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    CheckpointedLoops loops_;
    GradientPaths paths_;
    std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> detach(const RuleInput& input) {
    return TestedValues(input).run();
}

} // namespace slimgrad
