#include "plugin/verify/replay_module.h"

#include "plugin/verify/derivative_facts.h"
#include "plugin/verify/derivative_members.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace slimgrad::verify {
namespace {

/// The compiler's first error, in one line. The shader itself compiles.
std::string first_error(const CompileResult& result) {
    if (result.status == CompileStatus::crashed || result.status == CompileStatus::timed_out)
        return fmt::format("{}: not on the shader, but with what is generated to record and replay "
                           "its calls",
                           result.detail);
    for (const Diagnostic& diagnostic : result.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return diagnostic.message.substr(0, diagnostic.message.find('\n'));
    return result.detail;
}

class ModuleBuilder {
  public:
    ModuleBuilder(SlangCompiler& compiler, const ReplayModuleRequest& request,
                  std::vector<DerivativeSite> sites)
        : compiler_(compiler), request_(request), model_(*request.model),
          members_(derivative_members(model_)) {
        for (DerivativeSite& site : sites) {
            ReplaySite& added = module_.sites.emplace_back();
            added.problem = site.problem;
            added.site = std::move(site);
        }
    }

    Result<ReplayModule> run() {
        if (const auto found = find_shapes(); !found)
            return tl::unexpected(found.error());
        std::vector<bool> forward;
        for (const ReplaySite& site : module_.sites)
            forward.push_back(!site.site.backward_only);
        if (const auto done = compile(forward, {}); !done)
            return tl::unexpected(done.error());
        if (module_.can_run() || !any_site())
            return std::move(module_);
        return compile_what_can_be();
    }

  private:
    bool any_site() const {
        return std::any_of(module_.sites.begin(), module_.sites.end(),
                           [](const ReplaySite& site) { return site.problem.empty(); });
    }

    CompileRequest base_request() const {
        CompileRequest compile;
        compile.file = request_.variant->file;
        compile.arguments = request_.variant->slang_arguments;
        compile.target = request_.target;
        compile.overlay = request_.variant->overlay;
        compile.project_root = request_.variant->root;
        compile.checkpoint_report = false;
        return compile;
    }

    /// Which function each site means, by the names that its scope allows.
    Result<void> find_shapes() {
        CompileRequest ask = base_request();
        for (const ReplaySite& site : module_.sites)
            if (site.problem.empty())
                for (const std::string& name : site.site.names)
                    if (std::find(ask.shapes.begin(), ask.shapes.end(), name) == ask.shapes.end())
                        ask.shapes.push_back(name);
        if (ask.shapes.empty())
            return {};
        Result<CompileResult> compiled = compiler_.compile(ask);
        if (!compiled)
            return tl::unexpected(compiled.error());
        for (FunctionShape& shape : compiled->reflection.shapes) {
            for (const Index function : functions_named(model_, shape.name))
                if (shape.has_this && model_.functions[function].has_attribute("NoDiffThis"))
                    shape.parameters.front().no_diff = true;
            known_.push_back(std::move(shape));
        }
        for (const FunctionShape& shape : known_)
            differentials_.insert(shape.differentials.begin(), shape.differentials.end());
        for (ReplaySite& site : module_.sites)
            if (site.problem.empty())
                site.problem = compiled->succeeded() ? find_shape(site) : first_error(*compiled);
        return {};
    }

    /// Picks the function that a site means. Returns why there is none.
    std::string find_shape(const ReplaySite& site) {
        const ValueText values(differentials_, members_);
        const std::size_t arguments = model_.calls[site.site.call].arguments.size();
        for (const std::string& name : site.site.names) {
            const FunctionShape* found = nullptr;
            std::size_t candidates = 0, fitting = 0;
            std::string problem;
            for (const FunctionShape& shape : known_) {
                if (shape.name != name || !shape.known)
                    continue;
                ++candidates;
                problem = shape.problem;
                if (shape.problem.empty() && backward_arity(shape, values) == arguments) {
                    found = &shape;
                    ++fitting;
                }
            }
            if (candidates == 0)
                continue;
            if (fitting > 1)
                return fmt::format("{} has overloads that only the compiler can tell apart",
                                   site.site.function);
            if (!found)
                return fmt::format("{} {}", site.site.function,
                                   problem.empty() ? fmt::format("has no form that bwd_diff takes "
                                                                 "{} arguments for",
                                                                 arguments)
                                                   : problem);
            shapes_[site.site.call] = found;
            return "";
        }
        return site.site.function + " is not known outside the function that names it";
    }

    /// The expression of an argument that means the same outside the function: a global, or a
    /// parameter of the kernel.
    std::string passed_expression(const Call& call, std::uint32_t argument) const {
        for (const Access& access : model_.accesses) {
            if (access.argument_of == none || &model_.calls[access.argument_of] != &call ||
                access.argument_index != argument || access.local != none || access.subscript)
                continue;
            const Function& caller = model_.functions[call.function];
            const bool parameter =
                std::any_of(caller.parameters.begin(), caller.parameters.end(),
                            [&](const Parameter& p) { return p.name == access.name; });
            if (parameter ? caller.name == source_entry_point(request_.entry_point)
                          : model_.find_global(access.name) != nullptr)
                return std::string(model_.text(call.arguments[argument]));
        }
        return "";
    }

    std::string entry_parameters() const {
        for (const Index index :
             model_.find_functions(source_entry_point(request_.entry_point))) {
            std::string text;
            for (const Parameter& parameter : model_.functions[index].parameters) {
                // What a [CUDAKernel] takes is uniform without the word.
                const bool says_so =
                    !parameter.semantic.empty() ||
                    std::find(parameter.modifiers.begin(), parameter.modifiers.end(), "uniform") !=
                        parameter.modifiers.end();
                text += fmt::format("{}{}{}", text.empty() ? "" : ", ", says_so ? "" : "uniform ",
                                    model_.text(parameter.site));
            }
            return text;
        }
        return "";
    }

    Result<ReplayText> text_of(std::size_t index, bool forward, ValueText& values) const {
        const ReplaySite& site = module_.sites[index];
        const Call& call = model_.calls[site.site.call];
        const FunctionShape& shape = *shapes_.at(site.site.call);
        ReplayRequest request;
        request.site = static_cast<std::uint32_t>(index);
        request.function = shape.name;
        request.shape = &shape;
        request.forward = forward;
        request.moves_buffers = site.site.moves_buffers;
        request.entry_parameters = entry_parameters();
        request.passed.resize(call.arguments.size());
        std::size_t argument = 0;
        for (const FunctionShape::Value& value : shape.parameters) {
            const bool differentiated = !value.no_diff && values.differential(value.type);
            if (!value.is_in && !differentiated)
                continue;
            if (argument < call.arguments.size() && !values.problem(value.type).empty())
                request.passed[argument] =
                    passed_expression(call, static_cast<std::uint32_t>(argument));
            ++argument;
        }
        return ReplayText::generate(request, values);
    }

    /// Compiles the module with every site that has no problem, or with one of them. `forward`: by
    /// site, whether fwd_diff is part of it. Sites that cannot be written get their problem.
    Result<void> compile(const std::vector<bool>& forward, std::optional<std::size_t> only) {
        ValueText values(differentials_, members_);
        std::vector<SourceEdit> edits;
        FileTexts texts;
        for (const SourceFile& file : model_.files)
            texts[file.path()] = file.text();
        std::string functions;
        CompileRequest request = base_request();
        const bool names_entries = std::find(request.arguments.begin(), request.arguments.end(),
                                             "-entry") != request.arguments.end();
        module_.record_words = 0;
        for (std::size_t i = 0; i < module_.sites.size(); ++i) {
            ReplaySite& site = module_.sites[i];
            if (!site.problem.empty() || (only && *only != i))
                continue;
            const Result<ReplayText> text = text_of(i, forward[i], values);
            if (!text) {
                site.problem = text.error().message;
                continue;
            }
            site.entry_point = fmt::format("slimgrad_replay_{}", i);
            site.base = module_.record_words;
            site.words = text->words;
            site.scalars = text->scalars;
            site.half = text->half;
            module_.record_words += text->region_words();
            functions += text->capture_at(site.base) + text->replay;
            edits.push_back({model_.files[site.site.callee.file].path(), site.site.callee.range,
                             fmt::format("slimgrad_capture_{}", i)});
            if (names_entries)
                request.arguments.insert(request.arguments.end(),
                                         {"-entry", site.entry_point, "-stage", "compute"});
        }
        module_.compiled = {};
        if (edits.empty())
            return {};
        const std::string& main = model_.files.front().path();
        const auto end = static_cast<std::uint32_t>(texts[main].size());
        edits.push_back({main, {end, end}, replay_prelude() + values.text() + functions});
        Result<FileTexts> changed = apply_edits(texts, edits);
        if (!changed)
            return tl::unexpected(changed.error());
        for (auto& [path, text] : *changed)
            request.overlay[path] = std::move(text);
        Result<CompileResult> compiled = compiler_.compile(request);
        if (!compiled)
            return tl::unexpected(compiled.error());
        module_.compiled = std::move(*compiled);
        return {};
    }

    /// The module as a whole does not compile: finds out site by site what does.
    Result<ReplayModule> compile_what_can_be() {
        std::vector<bool> forward(module_.sites.size(), false);
        for (std::size_t i = 0; i < module_.sites.size(); ++i) {
            ReplaySite& site = module_.sites[i];
            if (!site.problem.empty())
                continue;
            std::string why;
            if (!site.site.backward_only) {
                forward[i] = true;
                if (const auto done = compile(forward, i); !done)
                    return tl::unexpected(done.error());
                if (module_.can_run())
                    continue;
                why = first_error(module_.compiled);
                forward[i] = false;
            }
            if (const auto done = compile(forward, i); !done)
                return tl::unexpected(done.error());
            if (module_.can_run())
                site.forward_problem = why;
            else // what is appended to the module's own file is not known in others
                site.problem = site.site.callee.file != 0
                                   ? "the call stands in another file, which does not compile with "
                                     "what is generated"
                                   : first_error(module_.compiled);
        }
        if (const auto done = compile(forward, {}); !done)
            return tl::unexpected(done.error());
        return std::move(module_);
    }

    SlangCompiler& compiler_;
    const ReplayModuleRequest& request_;
    const ModuleModel& model_;
    DerivativeMembers members_;
    ReplayModule module_;
    std::vector<FunctionShape> known_;
    std::map<std::string, TypeLayout> differentials_; ///< of all of them
    std::map<Index, const FunctionShape*> shapes_;    ///< by call
};

} // namespace

Result<ReplayModule> compile_replay_module(SlangCompiler& compiler,
                                           const ReplayModuleRequest& request,
                                           std::vector<DerivativeSite> sites) {
    return ModuleBuilder(compiler, request, std::move(sites)).run();
}

} // namespace slimgrad::verify
