#include "plugin/cli/model_report.h"

#include "attributes/differentiated_functions.h"
#include "attributes/entry_point.h"
#include "attributes/global_writes.h"
#include "plugin/cli/slang_names.h"
#include "plugin/verify/module_variant.h"
#include "rewriter/atomic_write.h"
#include "rewriter/requirements.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace slimgrad {
namespace {

/// The compiler's first error, or no message.
Error problem_of(const CompileResult& compiled) {
    if (compiled.succeeded())
        return {};
    for (const Diagnostic& diagnostic : compiled.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return {diagnostic.message, diagnostic.place};
    return {compiled.detail};
}

Result<ModuleModel> read_model(const CompileResult& compiled, const ModuleSettings& settings) {
    std::vector<std::string> paths = compiled.dependencies;
    std::erase(paths, settings.file);
    paths.insert(paths.begin(), settings.file);
    std::vector<SourceFile> files;
    for (const std::string& path : paths) {
        Result<std::string> text = read_file(path);
        if (!text)
            return tl::unexpected(text.error());
        files.emplace_back(path, std::move(*text));
    }
    return build_module_model(std::move(files),
                              macro_definitions(settings.options.slang_arguments));
}

/// The innermost expression around an offset of which the model knows a type, or "".
std::string expression_at(const ModuleModel& model, std::uint32_t file, std::uint32_t offset) {
    const Site* innermost = nullptr;
    for (const ExpressionType& expression : model.expression_types) {
        const Site& site = expression.site;
        if (site.file == file && site.range.contains(offset) &&
            (!innermost || innermost->range.contains(site.range)))
            innermost = &site;
    }
    return innermost ? std::string(model.text(*innermost)) : "";
}

/// Whether a row points there because of what stands there: a call, a loop, an element, the name of
/// a variable or function.
bool is_answered(const ModuleModel& model, std::uint32_t file, std::uint32_t offset) {
    const auto is_at = [&](const Site& site) {
        return site.file == file && site.range.begin == offset;
    };
    return model.call_at(file, offset) != none || model.loop_at(file, offset) != none ||
           model.access_at(file, offset) != none ||
           std::any_of(model.locals.begin(), model.locals.end(),
                       [&](const LocalVariable& local) { return is_at(local.site); }) ||
           std::any_of(model.functions.begin(), model.functions.end(),
                       [&](const Function& function) { return is_at(function.name_site); });
}

/// Whether the report shows something at this offset, below which the row can stand.
bool has_line(const ModuleModel& model, std::uint32_t file, std::uint32_t offset) {
    const Index call = model.call_at(file, offset);
    if (call != none)
        return model.calls[call].callee_kind != CalleeKind::builtin &&
               model.calls[call].callee_kind != CalleeKind::construction;
    return model.access_at(file, offset) == none && is_answered(model, file, offset);
}

/// Fills what rows say of specialisations. `contexts`: which one each row is of.
void compare_specialisations(std::vector<ModelReport::Row>& rows,
                             const std::vector<std::size_t>& contexts,
                             const CompileResult& compiled) {
    const SlangNames names(compiled);
    std::map<std::string, std::size_t> count;
    for (const CheckpointContext& context : compiled.contexts) {
        if (names.place(context.function)) // overloads have none together
            ++count[context.function];
    }
    using Key = std::tuple<std::string, std::string, std::uint64_t, Place, std::size_t>;
    std::map<Key, std::vector<std::size_t>> same;
    std::map<std::pair<std::size_t, Key>, std::size_t> occurrences; // within a context
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ModelReport::Row& row = rows[i];
        if (count[row.context] < 2)
            continue;
        Key key{row.context, row.type, row.bytes, row.place, 0};
        std::get<4>(key) = occurrences[{contexts[i], key}]++;
        same[key].push_back(i);
    }
    for (const auto& [key, group] : same) {
        for (const std::size_t i : group) {
            rows[i].specialisations = count[rows[i].context];
            rows[i].in = group.size();
            rows[i].repeats = i != group.front();
        }
    }
}

std::vector<ModelReport::Row> rows_of(const CompileResult& compiled, const ModuleModel& model) {
    std::vector<ModelReport::Row> rows;
    std::vector<std::size_t> contexts;
    for (const CheckpointContext& context : compiled.contexts) {
        for (const CheckpointValue& value : context.values) {
            ModelReport::Row& row = rows.emplace_back();
            contexts.push_back(std::size_t(&context - compiled.contexts.data()));
            row.context = context.function;
            row.type = value.type;
            row.bytes = value.bytes;
            row.place = value.place;
            row.file = model.find_file(value.place.file);
            if (row.file == none || value.place.line == 0)
                continue;
            row.offset = model.files[row.file].offset(value.place.line, value.place.column);
            row.function = model.function_at(row.file, row.offset);
            row.answered = is_answered(model, row.file, row.offset);
            row.is_of_expression = row.function != none && !has_line(model, row.file, row.offset);
            if (row.is_of_expression)
                row.expression = expression_at(model, row.file, row.offset);
        }
    }
    compare_specialisations(rows, contexts, compiled);
    return rows;
}

} // namespace

std::vector<const ModelReport::Row*> ModelReport::rows_at(std::uint32_t index,
                                                          std::uint32_t offset) const {
    std::vector<const Row*> found;
    const Place place = model.place(index, offset);
    for (const Row& row : rows)
        if (row.file == index && row.place == place)
            found.push_back(&row);
    return found;
}

ModelReport describe_model(std::string file, CompileResult compiled, ModuleModel model,
                           const Promises& promises) {
    ModelReport report;
    report.file = std::move(file);
    report.problem = problem_of(compiled);
    report.compiled = std::move(compiled);
    report.model = std::move(model);
    confirm_functions(report.model, report.compiled.reflection.functions);

    const EffectAnalysis effects(report.model);
    GlobalWrites global_writes(report.model, effects);
    const FlowAnalysis flows(report.model, [&](const Call& call, Index global) {
        return global_writes.may_write(call, global);
    });
    for (Index i = 0; i < report.model.functions.size(); ++i) {
        const Function& function = report.model.functions[i];
        const auto& derivatives = effects.tracer().custom_derivatives().derivatives(i);
        report.functions.push_back({flows.of_function(i),
                                    effects.of_function(i),
                                    requirements_of(report.model, i),
                                    {derivatives.begin(), derivatives.end()},
                                    is_entry_point(function),
                                    false,
                                    report.model.is_broken(function.site),
                                    ""});
    }
    const std::vector<bool> differentiated = find_differentiated(
        report.model, effects.tracer(),
        [&](Index function) -> const FunctionFlow& { return report.functions[function].flow; });
    for (Index i = 0; i < report.functions.size(); ++i)
        report.functions[i].is_differentiated = differentiated[i];
    for (const Contradiction& contradiction : report.model.contradictions)
        report.functions[contradiction.function].contradiction = contradiction.what;
    TripCounts counts(report.model, promises);
    for (Index i = 0; i < report.model.loops.size(); ++i) {
        TripCount trips = counts.of(i);
        auto specialised = specialised_trips(report.model, i, trips);
        report.loops.push_back({std::move(trips), std::move(specialised)});
    }
    report.macro_uses = read_macro_uses(report.model);
    for (const ConditionalBranch& branch : report.model.not_taken)
        report.inactive.push_back({branch, read_inactive(report.model, branch)});
    report.rows = rows_of(report.compiled, report.model);
    return report;
}

Result<ModelReport> read_model_report(SlangCompiler& compiler, const ModuleSettings& settings) {
    CompileRequest request;
    request.file = settings.file;
    request.arguments = settings.options.slang_arguments;
    request.project_root = settings.root;
    Result<CompileResult> compiled = compiler.compile(request);
    if (!compiled)
        return tl::unexpected(compiled.error());
    Result<ModuleModel> model = read_model(*compiled, settings);
    if (!model)
        return tl::unexpected(model.error());
    ModelReport report = describe_model(settings.file, std::move(*compiled), std::move(*model),
                                        settings.options.promises);
    report.slang_version = compiler.version().value_or("");
    return report;
}

std::string_view name(CallKind kind) {
    switch (kind) {
    case CallKind::plain:
        return "plain";
    case CallKind::forward_derivative:
        return "forward_derivative";
    case CallKind::backward_derivative:
        return "backward_derivative";
    }
    return "";
}

std::string_view name(CalleeKind kind) {
    switch (kind) {
    case CalleeKind::unresolved:
        return "unresolved";
    case CalleeKind::function:
        return "function";
    case CalleeKind::method:
        return "method";
    case CalleeKind::static_method:
        return "static_method";
    case CalleeKind::constructor:
        return "constructor";
    case CalleeKind::construction:
        return "construction";
    case CalleeKind::builtin:
        return "builtin";
    case CalleeKind::macro:
        return "macro";
    case CalleeKind::requirement:
        return "requirement";
    case CalleeKind::value:
        return "value";
    }
    return "";
}

std::string_view name(LoopKind kind) {
    switch (kind) {
    case LoopKind::for_loop:
        return "for";
    case LoopKind::while_loop:
        return "while";
    case LoopKind::do_while_loop:
        return "do_while";
    case LoopKind::compile_time_for:
        return "compile_time_for";
    }
    return "";
}

std::string_view name(VariableKind kind) {
    switch (kind) {
    case VariableKind::parameter:
        return "parameter";
    case VariableKind::local:
        return "local";
    case VariableKind::global:
        return "global";
    case VariableKind::field:
        return "field";
    case VariableKind::object:
        return "object";
    case VariableKind::other:
        return "other";
    }
    return "";
}

std::string_view name(DefinitionKind kind) {
    switch (kind) {
    case DefinitionKind::entry:
        return "entry";
    case DefinitionKind::declaration:
        return "declaration";
    case DefinitionKind::assignment:
        return "assignment";
    case DefinitionKind::update:
        return "update";
    case DefinitionKind::argument:
        return "argument";
    case DefinitionKind::receiver:
        return "receiver";
    case DefinitionKind::call:
        return "call";
    }
    return "";
}

} // namespace slimgrad
