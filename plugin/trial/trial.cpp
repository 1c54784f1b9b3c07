#include "plugin/trial/trial.h"

#include "plugin/trial/gradient_facts.h"
#include "plugin/trial/search.h"
#include "plugin/trial/variant.h"

#include <filesystem>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// The file's real path, so that one file has one name everywhere.
Result<std::string> canonical(const std::string& path) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    if (error)
        return fail(error.message(), {path, 0, 0});
    return real.string();
}

ModuleReport report_of(const Variant& variant, const std::string& file) {
    ModuleReport report;
    report.file = file;
    report.compiled = variant.cuda;
    report.cuda = variant.nvcc;
    report.before = variant.figures();
    report.findings = variant.findings;
    for (const SourceFile& source : variant.model.files)
        report.original.emplace(source.path(), source.text());
    return report;
}

} // namespace

TrialEngine::TrialEngine(SlangCompiler& compiler, Verifier& verifier, CudaToolkit toolkit,
                         TrialOptions options)
    : compiler_(compiler), verifier_(verifier), toolkit_(std::move(toolkit)),
      options_(std::move(options)) {}

Result<ModuleReport> TrialEngine::examine(const std::string& file,
                                          const std::string& project_root) {
    const auto path = canonical(file);
    const auto root = canonical(project_root);
    if (!path || !root)
        return tl::unexpected(!path ? path.error() : root.error());
    VariantLab lab(compiler_, verifier_, toolkit_, options_, *path, *root);
    const auto variant = lab.examine(options_.overlay);
    if (!variant)
        return tl::unexpected(variant.error());
    return report_of(**variant, file);
}

Result<ModuleReport> TrialEngine::improve(const std::string& file,
                                          const std::string& project_root) {
    const auto path = canonical(file);
    const auto root = canonical(project_root);
    if (!path || !root)
        return tl::unexpected(!path ? path.error() : root.error());
    VariantLab lab(compiler_, verifier_, toolkit_, options_, *path, *root);
    const auto original = lab.examine(options_.overlay);
    if (!original)
        return tl::unexpected(original.error());
    ModuleReport report = report_of(**original, file);
    if (options_.check_gradients && (*original)->measured()) {
        auto facts = gradient_facts(lab, **original);
        if (!facts)
            return tl::unexpected(facts.error());
        report.findings = lab.findings(**original, std::move(*facts));
    }

    Search search(lab, options_);
    auto outcomes = search.run(**original);
    if (!outcomes)
        return tl::unexpected(outcomes.error());
    report.tried = std::move(outcomes->tried);
    for (const auto& [changed_path, text] : outcomes->final->texts) {
        const auto before =
            report.original.find(changed_path); // an overlay may hold files of other modules
        if (before != report.original.end() && before->second != text)
            report.changed.emplace(changed_path, text);
    }
    if (!report.changed.empty()) {
        report.after = outcomes->final->figures();
        report.verified = std::move(outcomes->verified);
    }
    return report;
}

} // namespace slimgrad
