#include "plugin/trial/trial.h"

#include "plugin/trial/gradient_facts.h"
#include "plugin/trial/search.h"
#include "plugin/trial/variant.h"

#include <filesystem>
#include <fmt/format.h>

namespace slimgrad {

Result<TrialModule> canonical(const TrialModule& module) {
    TrialModule real = module;
    for (std::string* path : {&real.file, &real.project_root}) {
        std::error_code error;
        const auto resolved = std::filesystem::canonical(*path, error);
        if (error)
            return fail(error.message(), {*path, 0, 0});
        *path = resolved.string();
    }
    return real;
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

Result<ModuleReport> examine_module(TrialPool& pool, const TrialModule& module) {
    const auto real = canonical(module);
    if (!real)
        return tl::unexpected(real.error());
    TrialLab lab(pool, {*real});
    const auto trial = lab.examine(module.options.overlay);
    if (!trial)
        return tl::unexpected(trial.error());
    return report_of(*(*trial)->variants.front(), module.file);
}

Result<ModuleReport> improve_module(TrialPool& pool, const TrialModule& module) {
    const auto real = canonical(module);
    if (!real)
        return tl::unexpected(real.error());
    TrialLab lab(pool, {*real});
    const auto original = lab.examine(module.options.overlay);
    if (!original)
        return tl::unexpected(original.error());
    const Variant& variant = *(*original)->variants.front();
    ModuleReport report = report_of(variant, module.file);
    if (module.options.check_gradients && (*original)->measured()) {
        auto facts = gradient_facts(lab.module(0), variant);
        if (!facts)
            return tl::unexpected(facts.error());
        report.findings = lab.module(0).findings(variant, std::move(*facts));
    }

    TrialJournal journal; // not looked at
    Search search(lab, module.options, journal);
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
        report.left = outcomes->final->findings;
        report.verified = std::move(outcomes->verified);
    }
    return report;
}

} // namespace slimgrad
