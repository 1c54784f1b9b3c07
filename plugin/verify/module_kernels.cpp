#include "plugin/verify/module_kernels.h"

#include "attributes/effects.h"
#include "plugin/cuda/cuda_text.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/derivative_sites.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

using verify::Machine;

namespace {

/// What makes two compilations the same.
std::string key_of(const ModuleVariant& variant) {
    std::string key = variant.file;
    for (const std::string& argument : variant.slang_arguments)
        key += '\0' + argument;
    for (const auto& [path, text] : variant.overlay)
        key += '\0' + path + '\0' + text;
    return key;
}

} // namespace

std::string first_error(const CompileResult& compiled) {
    for (const Diagnostic& diagnostic : compiled.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return diagnostic.message;
    return compiled.detail;
}

CpuVariant kernel_of(const ModuleView& module, const CompileResult& compiled, Machine machine) {
    CpuVariant kernel;
    kernel.machine = machine;
    kernel.code = compiled.code;
    kernel.reflection = compiled.reflection;
    for (const SourceFile& file : module.model->files) {
        // The CUDA text holds the branch that ships.
        kernel.target_switch |=
            machine == Machine::cpp && file.text().find("__target_switch") != std::string::npos;
    }
    kernel.target_code =
        holds_target_code(target_text_sources(*module.model, module.source.slang_arguments));
    return kernel;
}

bool has_entry_point(const CpuVariant& kernel, const std::string& entry_point) {
    const auto& entries = kernel.reflection.entry_points;
    return std::any_of(entries.begin(), entries.end(), [&](const EntryPoint& entry) {
        return entry.name == entry_point &&
               (kernel.machine == Machine::cuda || !entry.stage.empty());
    });
}

std::string target_text_sources(const ModuleModel& model,
                                const std::vector<std::string>& slang_arguments) {
    std::string text;
    for (const SourceFile& file : model.files) {
        text += file.text();
        // Emitted in #line directives.
        text += "\n#line 1 \"" + file.path() + "\"\n";
    }
    for (const std::string& argument : slang_arguments)
        text += argument + '\n';
    return text;
}

std::vector<std::string> backward_entry_points(const ModuleView& module) {
    const EffectAnalysis effects(*module.model);
    std::vector<std::string> names;
    for (const CudaFunction& function : read_cuda_text(module.cuda->code).functions) {
        if (!function.kernel)
            continue;
        const auto& entries = module.cuda->reflection.entry_points;
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const EntryPoint& e) {
            return e.code_name == function.name;
        });
        const std::string name = entry == entries.end() ? shader_name(function.name) : entry->name;
        if (function.backward || verify::differentiates_by_hand(*module.model, effects, name))
            names.push_back(name);
    }
    return names;
}

std::set<std::string> backward_exports(const ModuleView& module) {
    const EffectAnalysis effects(*module.model);
    std::set<std::string> names;
    for (const CudaFunction& function : read_cuda_text(module.cuda->code).functions)
        if (function.exported && (function.backward || verify::differentiates_by_hand(
                                                           *module.model, effects, function.name)))
            names.insert(function.name);
    return names;
}

Result<const ModuleKernel*> ModuleKernels::get(const ModuleView& module, Machine machine) {
    const auto [known, added] = kernels_.try_emplace({key_of(module.source), machine});
    ModuleKernel& result = known->second;
    if (!added) {
        accidents_ += result.accident ? 1 : 0;
        return &result;
    }
    if (machine == Machine::cuda) {
        if (module.cuda->succeeded())
            result.kernel = kernel_of(module, *module.cuda, machine);
        else
            result.problem = first_error(*module.cuda);
        return &result;
    }
    const std::uint64_t accidents = compiler_.accidents();
    const Result<CompileResult> compiled = compile(module.source, machine);
    if (!compiled) {
        kernels_.erase(known);
        return tl::unexpected(compiled.error());
    }
    result.accident = compiler_.accidents() != accidents;
    if (compiled->succeeded())
        result.kernel = kernel_of(module, *compiled, machine);
    else
        result.problem = first_error(*compiled);
    return &result;
}

Result<std::vector<Machine>> ModuleKernels::machines(const ModuleView& module,
                                                     const std::string& entry_point) {
    std::vector<Machine> result;
    bool target_switch = false;
    for (const Machine machine : {Machine::cpp, Machine::cuda}) {
        const Result<const ModuleKernel*> compiled = get(module, machine);
        if (!compiled)
            return tl::unexpected(compiled.error());
        if (!(*compiled)->problem.empty() || !has_entry_point((*compiled)->kernel, entry_point))
            continue;
        target_switch |= (*compiled)->kernel.target_switch;
        result.push_back(machine);
    }
    if (target_switch) // the branch that ships counts
        std::reverse(result.begin(), result.end());
    return result;
}

Result<void> ModuleKernels::compile_ahead(verify::CpuLibraries& libraries,
                                          const std::vector<Machine>& machines,
                                          const ModuleView& original, const ModuleView& rewritten,
                                          const ProcessLimits& limits) {
    std::vector<std::string> texts;
    for (const Machine machine : machines)
        for (const ModuleView* module : {&original, &rewritten}) {
            const Result<const ModuleKernel*> compiled = get(*module, machine);
            if (!compiled)
                return tl::unexpected(compiled.error());
            const CpuVariant& kernel = (*compiled)->kernel;
            if ((*compiled)->problem.empty() && !kernel.target_code)
                texts.push_back(verify::instrument(kernel.code, "", machine).code);
        }
    const auto compiled = libraries.compile(texts, limits);
    if (!compiled)
        return tl::unexpected(compiled.error());
    return {};
}

Result<CompileResult> ModuleKernels::compile(const ModuleVariant& variant, Machine machine) {
    CompileRequest request;
    request.file = variant.file;
    request.arguments = variant.slang_arguments;
    request.target = machine == Machine::cpp ? SlangTarget::cpp : SlangTarget::cuda;
    request.overlay = variant.overlay;
    request.project_root = variant.root;
    request.checkpoint_report = false;
    return compiler_.compile(request);
}

} // namespace slimgrad
