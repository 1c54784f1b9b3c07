#include "plugin/verify/export_module.h"

#include <algorithm>
#include <utility>

namespace slimgrad::verify {

Result<std::optional<ExportModule>> compile_export_module(SlangCompiler& compiler,
                                                          const ModuleVariant& variant,
                                                          const ModuleModel& model) {
    ExportCallers callers = export_callers(model);
    std::vector<SourceFile> files = model.files;
    const auto main = std::find_if(files.begin(), files.end(), [&](const SourceFile& file) {
        return file.path() == variant.file;
    });
    if (callers.functions.empty() || main == files.end())
        return std::nullopt;
    ExportModule result;
    result.source = variant;
    result.functions = std::move(callers.functions);
    const std::string text = main->text() + callers.text;
    *main = SourceFile(variant.file, text);
    result.source.overlay[variant.file] = text;
    result.model = build_module_model(std::move(files), macro_definitions(variant.slang_arguments));
    CompileRequest request;
    request.file = variant.file;
    request.arguments = variant.slang_arguments;
    request.overlay = result.source.overlay;
    request.project_root = variant.root;
    request.checkpoint_report = false;
    Result<CompileResult> compiled = compiler.compile(request);
    if (!compiled)
        return tl::unexpected(compiled.error());
    result.cuda = std::move(*compiled);
    return result;
}

} // namespace slimgrad::verify
