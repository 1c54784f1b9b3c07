#include "plugin/verify/replay_module.h"

#include "attributes/memory_roots.h"
#include "plugin/verify/derivative_facts.h"
#include "plugin/verify/derivative_members.h"
#include "plugin/verify/gradient_pairs.h"

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
                    shape.problem =
                        "is [NoDiffThis]: bwd_diff takes a pair for the object all the same";
            known_.push_back(std::move(shape));
        }
        for (const FunctionShape& shape : known_)
            differentials_.insert(shape.differentials.begin(), shape.differentials.end());
        shapes_.resize(module_.sites.size());
        for (std::size_t i = 0; i < module_.sites.size(); ++i)
            if (ReplaySite& site = module_.sites[i]; site.problem.empty())
                site.problem = compiled->succeeded() ? find_shape(i) : first_error(*compiled);
        return {};
    }

    std::size_t argument_count(const DerivativeSite& site) const {
        return site.derivative != none ? model_.functions[site.derivative].parameters.size()
                                       : model_.calls[site.call].arguments.size();
    }

    /// Picks the function that a site means. Returns why there is none.
    std::string find_shape(std::size_t index) {
        const ReplaySite& site = module_.sites[index];
        const ValueText values(differentials_, members_);
        const std::size_t arguments = argument_count(site.site);
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
            shapes_[index] = found;
            return "";
        }
        return site.site.function + " is not known outside the function that names it";
    }

    /// The expression of an argument that means the same outside the function: a global, a
    /// parameter of the kernel, or a variable that is made of these, whose declaration goes to
    /// `variables`.
    std::string passed_expression(const DerivativeSite& site, std::uint32_t argument,
                                  std::string& variables) const {
        if (site.derivative != none)
            return traced_expression(site.derivative, argument);
        const Call& call = model_.calls[site.call];
        for (const Access& access : model_.accesses) {
            if (access.argument_of == none || &model_.calls[access.argument_of] != &call ||
                access.argument_index != argument || access.subscript)
                continue;
            const std::string text(model_.text(call.arguments[argument]));
            if (access.local == none)
                return is_known_outside(model_.functions[call.function], access.name) ? text : "";
            const LocalVariable& local = model_.locals[access.local];
            if (text != local.name || !local.initializer ||
                !is_made_of_known(model_.functions[call.function], local))
                return "";
            const std::string name = fmt::format("slimgrad_passed_{}", argument);
            variables +=
                fmt::format("    {} {} = {};\n", local.type, name, model_.text(*local.initializer));
            return name;
        }
        return "";
    }

    /// The memory behind a parameter, where all calls agree on it.
    std::string traced_expression(Index function, std::uint32_t parameter) const {
        const Roots roots = MemoryTracer(model_).trace(
            function, model_.functions[function].parameters[parameter].name, {});
        if (roots.roots.size() != 1 || !roots.unknown.empty())
            return "";
        const std::string name = buffer_name(model_, *roots.roots.begin());
        return name.find('.') == std::string::npos ? name : "";
    }

    bool is_known_outside(const Function& caller, const std::string& name) const {
        const bool parameter = std::any_of(caller.parameters.begin(), caller.parameters.end(),
                                           [&](const Parameter& p) { return p.name == name; });
        return parameter ? caller.name == source_entry_point(request_.entry_point)
                         : model_.find_global(name) != nullptr;
    }

    /// Whether all that the variable ever holds is its initializer, and that means the same
    /// outside: handles and constants. What is read or computed may move in the replay.
    bool is_made_of_known(const Function& caller, const LocalVariable& local) const {
        const auto inside = [&](const Site& site) {
            return site.file == local.initializer->file &&
                   local.initializer->range.contains(site.range);
        };
        for (const Access& access : model_.accesses) {
            const bool own = access.local != none && &model_.locals[access.local] == &local;
            const bool differentiated =
                access.argument_of != none &&
                model_.calls[access.argument_of].kind == CallKind::backward_derivative;
            if (own && access.kind != AccessKind::read && !differentiated)
                return false;
            if (inside(access.site) && (access.local != none || access.subscript ||
                                        !is_known_outside(caller, access.name)))
                return false;
        }
        return std::none_of(model_.calls.begin(), model_.calls.end(), [&](const Call& call) {
            return inside(call.site) && !model_.find_type(call.callee);
        });
    }

    std::string entry_parameters() const {
        for (const Index index : model_.find_functions(source_entry_point(request_.entry_point))) {
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
        const FunctionShape& shape = *shapes_[index];
        ReplayRequest request;
        request.site = static_cast<std::uint32_t>(index);
        request.function = shape.name;
        request.shape = &shape;
        request.forward = forward;
        request.moves_buffers = site.site.moves_buffers;
        request.entry_parameters = entry_parameters();
        request.records_only = site.site.derivative != none;
        request.passed.resize(argument_count(site.site));
        std::size_t argument = 0;
        for (const FunctionShape::Value& value : shape.parameters) {
            const bool differentiated = !value.no_diff && values.differential(value.type);
            if (!value.is_in && !differentiated)
                continue;
            if (argument < request.passed.size() && !values.problem(value.type).empty())
                request.passed[argument] = passed_expression(
                    site.site, static_cast<std::uint32_t>(argument), request.passed_variables);
            ++argument;
        }
        return ReplayText::generate(request, values);
    }

    /// The capture function takes bwd_diff's place, or is called first by a custom derivative.
    SourceEdit capture(const DerivativeSite& site, std::size_t index) const {
        const std::string name = fmt::format("slimgrad_capture_{}", index);
        const std::string& path = model_.files[site.callee.file].path();
        if (site.derivative == none)
            return {path, site.callee.range, name};
        const Function& derivative = model_.functions[site.derivative];
        std::string arguments;
        for (const Parameter& parameter : derivative.parameters)
            arguments += (arguments.empty() ? "" : ", ") + parameter.name;
        const std::uint32_t after_brace = derivative.body->begin + 1;
        return {path, {after_brace, after_brace}, fmt::format(" {}({});", name, arguments)};
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
            edits.push_back(capture(site.site, i));
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
    std::vector<const FunctionShape*> shapes_;        ///< by site
};

} // namespace

Result<ReplayModule> compile_replay_module(SlangCompiler& compiler,
                                           const ReplayModuleRequest& request,
                                           std::vector<DerivativeSite> sites) {
    return ModuleBuilder(compiler, request, std::move(sites)).run();
}

} // namespace slimgrad::verify
