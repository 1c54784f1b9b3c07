#include "plugin/cli/model_report.h"

#include "attributes/differentiated_functions.h"
#include "attributes/entry_point.h"
#include "attributes/global_writes.h"
#include "plugin/verify/module_variant.h"
#include "rewriter/atomic_write.h"
#include "rewriter/requirements.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace slimgrad {
namespace {

/// "does not compile: syntax error at a.slang:3:5", or "".
std::string problem_of(const CompileResult& compiled) {
    if (compiled.succeeded())
        return "";
    for (const Diagnostic& diagnostic : compiled.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return fmt::format("{} at {}", diagnostic.message, short_form(diagnostic.place));
    return compiled.detail;
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

std::vector<ModelReport::Row> rows_of(const CompileResult& compiled, const ModuleModel& model) {
    std::vector<ModelReport::Row> rows;
    for (const CheckpointContext& context : compiled.contexts) {
        for (const CheckpointValue& value : context.values) {
            ModelReport::Row row{context.function, value.type, value.bytes, value.place, false};
            const Index file = model.find_file(value.place.file);
            if (file != none && value.place.line != 0) {
                const std::uint32_t at =
                    model.files[file].offset(value.place.line, value.place.column);
                const auto is_at = [&](const auto& items, auto site_of) {
                    return std::any_of(items.begin(), items.end(), [&](const auto& item) {
                        const Site site = site_of(item);
                        return site.file == file && site.range.begin == at;
                    });
                };
                const auto name_site = [](const auto& item) { return item.site; };
                row.answered =
                    model.call_at(file, at) != none || model.loop_at(file, at) != none ||
                    model.access_at(file, at) != none || is_at(model.locals, name_site) ||
                    is_at(model.functions, [](const Function& f) { return f.name_site; });
            }
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

} // namespace

std::vector<const ModelReport::Row*> ModelReport::rows_at(std::uint32_t index,
                                                          std::uint32_t offset) const {
    std::vector<const Row*> found;
    const Place place = model.place(index, offset);
    for (const Row& row : rows)
        if (row.place == place)
            found.push_back(&row);
    return found;
}

Result<ModelReport> read_model_report(SlangCompiler& compiler, const ModuleSettings& settings) {
    CompileRequest request;
    request.file = settings.file;
    request.arguments = settings.options.slang_arguments;
    request.project_root = settings.root;
    Result<CompileResult> compiled = compiler.compile(request);
    if (!compiled)
        return tl::unexpected(compiled.error());
    ModelReport report;
    report.file = settings.file;
    report.slang_version = compiler.version().value_or("");
    report.problem = problem_of(*compiled);
    Result<ModuleModel> model = read_model(*compiled, settings);
    if (!model)
        return tl::unexpected(model.error());
    report.compiled = std::move(*compiled);
    report.model = std::move(*model);
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
    for (Index i = 0; i < report.model.loops.size(); ++i) {
        TripCount trips = trip_count(report.model, i, settings.options.promises);
        auto specialised = specialised_trips(report.model, i, trips);
        report.loops.push_back({std::move(trips), std::move(specialised)});
    }
    report.macro_uses = read_macro_uses(report.model);
    for (const ConditionalBranch& branch : report.model.not_taken)
        report.inactive.push_back({branch, read_inactive(report.model, branch)});
    report.rows = rows_of(report.compiled, report.model);
    return report;
}

std::string trips_text(const TripCount& trips) {
    std::string text;
    if (trips.exact)
        text = fmt::format("{} trip{}", *trips.exact, *trips.exact == 1 ? "" : "s");
    else if (trips.expression_is_constant)
        text = fmt::format("{} trips", trips.exact_expression);
    else if (trips.upper)
        text = fmt::format("at most {} trip{}", *trips.upper, *trips.upper == 1 ? "" : "s");
    else
        return fmt::format("trips not known: {}", trips.why_unknown);
    if (trips.may_end_early)
        text += " unless it ends early";
    if (!trips.exact && trips.lowest > 0)
        text += fmt::format(", at least {}", trips.lowest);
    if (trips.upper && (!trips.exact || trips.from_callers))
        text += fmt::format(": {}", trips.upper_from);
    if (trips.upper_is_promised)
        text += " (promised, not proved)";
    if (trips.from_callers)
        text += " (by the calls in this module)";
    if (trips.uses_macro)
        text += " (rests on a macro's value)";
    return text;
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
