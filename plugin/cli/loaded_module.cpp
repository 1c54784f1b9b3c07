#include "plugin/cli/loaded_module.h"

#include "rewriter/atomic_write.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace slimgrad {
namespace {

Error compile_error(const ModuleVariant& variant, const CompileResult& compiled) {
    for (const Diagnostic& diagnostic : compiled.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return {fmt::format("does not compile: {}", diagnostic.message),
                    diagnostic.place.file.empty() ? Place{variant.file} : diagnostic.place};
    return {compiled.detail, {variant.file}};
}

} // namespace

Result<LoadedModule> load_module(SlangCompiler& compiler, const ModuleVariant& variant) {
    CompileRequest request;
    request.file = variant.file;
    request.arguments = variant.slang_arguments;
    request.overlay = variant.overlay;
    request.project_root = variant.root;
    request.checkpoint_report = false;
    Result<CompileResult> compiled = compiler.compile(request);
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (!compiled->succeeded())
        return tl::unexpected(compile_error(variant, *compiled));
    std::vector<SourceFile> files;
    for (const std::string& path : compiled->dependencies) {
        const auto changed = variant.overlay.find(path);
        Result<std::string> text = changed != variant.overlay.end()
                                       ? Result<std::string>(changed->second)
                                       : read_file(path);
        if (!text)
            return tl::unexpected(text.error());
        files.emplace_back(path, std::move(*text));
    }
    ModuleModel model =
        build_module_model(std::move(files), macro_definitions(variant.slang_arguments));
    confirm_functions(model, compiled->reflection.functions);
    return LoadedModule{variant, std::move(*compiled), std::move(model)};
}

} // namespace slimgrad
