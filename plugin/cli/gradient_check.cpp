#include "plugin/cli/gradient_check.h"

#include "plugin/cuda/cuda_text.h"
#include "plugin/trial/coverage.h"
#include "rewriter/atomic_write.h"
#include "rewriter/module_model.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {
namespace {

/// The values of -D options: "-DN=4" and "-D" "N=4" give "N=4".
std::vector<std::string> macro_definitions(const std::vector<std::string>& arguments) {
    std::vector<std::string> definitions;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "-D" && i + 1 < arguments.size())
            definitions.push_back(arguments[++i]);
        else if (arguments[i].starts_with("-D"))
            definitions.push_back(arguments[i].substr(2));
    }
    return definitions;
}

CompileRequest request_for(const ModuleVariant& variant, SlangTarget target) {
    CompileRequest request;
    request.file = variant.file;
    request.arguments = variant.slang_arguments;
    request.target = target;
    request.overlay = variant.overlay;
    request.project_root = variant.root;
    request.checkpoint_report = false;
    request.reflection = target == SlangTarget::cpp;
    return request;
}

Error compile_error(const ModuleVariant& variant, const CompileResult& compiled) {
    for (const Diagnostic& diagnostic : compiled.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return {fmt::format("does not compile: {}", diagnostic.message),
                    diagnostic.place.file.empty() ? Place{variant.file} : diagnostic.place};
    return {compiled.detail, {variant.file}};
}

struct CompiledVariant {
    CpuVariant cpu;
    std::vector<SourceFile> files;
};

Result<CompiledVariant> compile_for_cpu(SlangCompiler& compiler, const ModuleVariant& variant) {
    Result<CompileResult> compiled = compiler.compile(request_for(variant, SlangTarget::cpp));
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (!compiled->succeeded())
        return tl::unexpected(compile_error(variant, *compiled));
    CompiledVariant result;
    result.cpu.code = std::move(compiled->code);
    result.cpu.reflection = std::move(compiled->reflection);
    for (const std::string& path : compiled->dependencies) {
        const auto changed = variant.overlay.find(path);
        Result<std::string> text = changed != variant.overlay.end()
                                       ? Result<std::string>(changed->second)
                                       : read_file(path);
        if (!text)
            return tl::unexpected(text.error());
        result.cpu.target_code |= holds_target_code(*text);
        result.cpu.target_switch |= text->find("__target_switch") != std::string::npos;
        result.files.emplace_back(path, std::move(*text));
    }
    return result;
}

/// Names of the kernels that run a backward pass, as the shader has them. A module whose CUDA text
/// cannot be had has none that are known.
Result<std::vector<std::string>> backward_kernels(SlangCompiler& compiler,
                                                  const ModuleVariant& variant) {
    const Result<CompileResult> compiled =
        compiler.compile(request_for(variant, SlangTarget::cuda));
    if (!compiled)
        return tl::unexpected(compiled.error());
    std::vector<std::string> names;
    for (const CudaFunction& function : read_cuda_text(compiled->code).functions)
        if (function.kernel && function.backward)
            names.push_back(shader_name(function.name));
    return names;
}

} // namespace

Result<std::vector<VerifyResult>>
check_gradients(SlangCompiler& compiler, const ModuleVariant& before, const ModuleVariant& after,
                const VerifyOptions& options, const Promises& promises) {
    Result<CompiledVariant> original = compile_for_cpu(compiler, before);
    if (!original)
        return tl::unexpected(original.error());
    const Result<CompiledVariant> rewritten = compile_for_cpu(compiler, after);
    if (!rewritten)
        return tl::unexpected(rewritten.error());
    const Result<std::vector<std::string>> backward = backward_kernels(compiler, before);
    if (!backward)
        return tl::unexpected(backward.error());
    Result<Verifier> verifier = Verifier::create();
    if (!verifier)
        return tl::unexpected(verifier.error());

    const ModuleModel model =
        build_module_model(std::move(original->files), macro_definitions(before.slang_arguments));
    std::vector<VerifyResult> results;
    for (const EntryPoint& entry : original->cpu.reflection.entry_points) {
        const bool wanted = backward->empty() || std::find(backward->begin(), backward->end(),
                                                           entry.name) != backward->end();
        if (!wanted || entry.stage.empty())
            continue;
        VerifyOptions with_loops = options;
        with_loops.loops = loops_to_cover(model, entry.name, promises);
        Result<VerifyResult> result =
            verifier->compare(original->cpu, rewritten->cpu, entry.name, with_loops);
        if (!result)
            return tl::unexpected(result.error());
        results.push_back(std::move(*result));
    }
    return results;
}

} // namespace slimgrad
