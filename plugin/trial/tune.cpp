#include "plugin/trial/tune.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace slimgrad {
namespace {

bool holds_differentiable_code(const ModuleModel& model, std::uint32_t file) {
    return std::any_of(
        model.functions.begin(), model.functions.end(), [&](const Function& function) {
            return function.site.file == file && function.is_differentiable() && function.body;
        });
}

Result<std::vector<TrialModule>> all_canonical(const std::vector<TrialModule>& modules) {
    std::vector<TrialModule> real;
    for (const TrialModule& module : modules) {
        Result<TrialModule> resolved = canonical(module);
        if (!resolved)
            return tl::unexpected(resolved.error());
        real.push_back(std::move(*resolved));
    }
    return real;
}

/// The texts that differ from the disk's.
FileTexts changed_texts(const ModuleReport& report, const Trial& final) {
    FileTexts changed;
    for (const auto& [path, text] : final.texts)
        if (const auto before = report.original.find(path);
            before != report.original.end() && before->second != text)
            changed.emplace(path, text);
    return changed;
}

} // namespace

Result<std::vector<std::vector<std::size_t>>>
module_groups(TrialPool& pool, const std::vector<TrialModule>& modules) {
    auto real = all_canonical(modules);
    if (!real)
        return tl::unexpected(real.error());
    TrialLab lab(pool, std::move(*real));
    const auto compiled = lab.compile({FileTexts{}});
    if (!compiled)
        return tl::unexpected(compiled.error());

    std::vector<std::size_t> group(modules.size()); // by module, the first of its group
    std::iota(group.begin(), group.end(), 0);
    std::map<std::string, std::size_t> first_reader;
    for (std::size_t i = 0; i < modules.size(); ++i) {
        const Variant& variant = *compiled->front()->variants[i];
        for (std::uint32_t file = 0; variant.cuda.succeeded() && file < variant.model.files.size();
             ++file) {
            const std::string& path = variant.model.files[file].path();
            if (!lab.module(i).editable(path) || !holds_differentiable_code(variant.model, file))
                continue;
            const auto [reader, is_first] = first_reader.emplace(path, i);
            const std::size_t from = group[i], to = group[reader->second];
            if (!is_first)
                std::replace(group.begin(), group.end(), std::max(from, to), std::min(from, to));
        }
    }
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < modules.size(); ++i)
        groups[group[i]].push_back(i);
    std::vector<std::vector<std::size_t>> list;
    for (auto& [first, members] : groups)
        list.push_back(std::move(members));
    return list;
}

Result<TuneReport> tune_modules(TrialPool& pool, const std::vector<TrialModule>& modules) {
    auto real = all_canonical(modules);
    if (!real)
        return tl::unexpected(real.error());
    TrialLab lab(pool, std::move(*real));
    const auto original = lab.examine(modules.front().options.overlay);
    if (!original)
        return tl::unexpected(original.error());
    auto outcomes = Tuner(lab, modules.front().options).run(**original);
    if (!outcomes)
        return tl::unexpected(outcomes.error());

    TuneReport report;
    report.before = (*original)->figures();
    for (std::size_t i = 0; i < modules.size(); ++i) {
        ModuleReport module = report_of(*(*original)->variants[i], modules[i].file);
        module.changed = changed_texts(module, *outcomes->final);
        for (const TriedFix& tried : outcomes->tried)
            if (module.original.contains(tried.finding.place.file))
                module.tried.push_back(tried);
        if (!module.changed.empty()) {
            module.after = outcomes->final->variants[i]->figures();
            module.left = outcomes->final->variants[i]->findings;
            module.verified = outcomes->verified;
            report.changed.insert(module.changed.begin(), module.changed.end());
        }
        report.modules.push_back(std::move(module));
    }
    if (!report.changed.empty()) {
        report.after = outcomes->final->figures();
        report.verified = std::move(outcomes->verified);
        report.kept = std::move(outcomes->kept);
    }
    report.tried = std::move(outcomes->tried);
    report.combinations = std::move(outcomes->combinations);
    report.spent = outcomes->spent;
    report.verifying = outcomes->verifying;
    report.out_of_time = outcomes->out_of_time;
    return report;
}

} // namespace slimgrad
