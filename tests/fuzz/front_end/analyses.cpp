#include "tests/fuzz/front_end/analyses.h"

#include "attributes/constants.h"
#include "attributes/effects.h"
#include "attributes/input_expression.h"
#include "attributes/recompute_safety.h"
#include "attributes/trip_count.h"
#include "rewriter/branches.h"
#include "tests/fuzz/front_end/property.h"

#include <fmt/format.h>

namespace slimgrad::front_end {

namespace {

// Effects are found anew for each function: a text of thousands of them would only be slow.
constexpr Index most_functions = 200;

void run_loop_analyses(const ModuleModel& model, const Promises& promises) {
    for (Index i = 0; i < model.loops.size(); ++i) {
        const Loop& loop = model.loops[i];
        const TripCount count = trip_count(model, i, promises);
        require(!count.exact || *count.exact >= 0,
                [&] { return fmt::format("a loop runs {} times", *count.exact); });
        require(!count.exact || !count.upper || *count.exact <= *count.upper,
                [] { return "a loop runs more often than its upper bound"; });
        for (const std::string& expression : {loop.start, loop.end, loop.step}) {
            constant_value(model, loop.function, expression);
            is_constant_expression(model, loop.function, expression);
            is_computed(model, expression, loop.function);
            input_of(model, expression, loop.function);
        }
    }
}

void run_function_analyses(const ModuleModel& model, const RuleInput& input) {
    const EffectAnalysis effects(model);
    for (Index i = 0; i < model.functions.size() && i < most_functions; ++i) {
        effects.of_function(i);
        effects.is_run_backwards(i);
        recompute_safety(input, effects, i);
        for (const Branch& branch : branches_of(model, i))
            require(branch.condition.end <= model.files[branch.file].text().size(),
                    [] { return "a branch's condition is not in the file"; });
    }
    for (const Access& access : model.accesses) {
        if (access.function < most_functions)
            effects.tracer().trace(access.function, access.name, access.members, access.local);
    }
}

} // namespace

CompileResult report_of_everything(const ModuleModel& model) {
    CompileResult result;
    std::vector<CheckpointContext> contexts(model.functions.size());
    const auto store = [&](Index function, std::uint32_t file, std::uint32_t offset,
                           const char* type, std::uint64_t bytes) {
        if (function >= contexts.size())
            return;
        contexts[function].bytes += bytes;
        contexts[function].values.push_back({model.place(file, offset), type, bytes, 1});
    };
    for (const Call& call : model.calls)
        store(call.function, call.site.file, call.open_parenthesis, "float", 4);
    for (const Access& access : model.accesses) {
        if (access.subscript)
            store(access.function, access.site.file, access.subscript->range.begin, "float", 4);
    }
    for (const LocalVariable& local : model.locals)
        store(local.function, local.site.file, local.site.range.begin,
              "FixedArray<FixedArray<float, 14>, 5>", 280);
    for (const Loop& loop : model.loops) {
        store(loop.function, loop.site.file, loop.keyword, "FixedArray<int, 34>", 136);
        for (const char* code : {"E30510", "E30519"})
            result.diagnostics.push_back({DiagnosticSeverity::error, code, "a loop",
                                          model.place(loop.site.file, loop.keyword)});
    }
    for (Index i = 0; i < contexts.size(); ++i) {
        contexts[i].function = model.functions[i].name;
        contexts[i].place = model.place(model.functions[i].name_site);
        result.contexts.push_back(std::move(contexts[i]));
    }
    return result;
}

std::vector<std::vector<SourceEdit>> run_analyses(const ModuleModel& model) {
    const CompileResult compiled = report_of_everything(model);
    const Promises promises;
    const RuleInput input{model, compiled, promises,
                          {},    {},       [](const std::string&) {
                              return true; }};
    run_loop_analyses(model, promises);
    run_function_analyses(model, input);
    std::vector<std::vector<SourceEdit>> fixes;
    for (const Finding& finding : run_rules(input)) {
        for (const Fix& fix : finding.fixes) {
            fixes.push_back(fix.edits);
            if (!fix.probe.empty())
                fixes.push_back(fix.probe);
        }
    }
    return fixes;
}

} // namespace slimgrad::front_end
