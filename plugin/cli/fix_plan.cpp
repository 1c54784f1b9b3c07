#include "plugin/cli/fix_plan.h"

#include "plugin/cli/loaded_module.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

namespace slimgrad {
namespace {

/// All changes so far, with who made them.
struct Changes {
    FileTexts originals, texts;
    std::map<std::string, std::set<std::size_t>> makers; ///< indices into the runs, by file

    void add(const ModuleReport& report, std::size_t maker) {
        for (const auto& [path, text] : report.changed) {
            // The text on disk stays the original, also where a second module changes the file
            // further.
            originals.try_emplace(path, report.original.at(path));
            texts[path] = text;
            makers[path].insert(maker);
        }
    }

    /// Those of the module's files that somebody changed.
    std::vector<std::string> changed_files_of(const ModuleReport& report) const {
        std::vector<std::string> paths;
        for (const auto& [path, text] : report.original)
            if (texts.count(path) != 0 && texts.at(path) != text)
                paths.push_back(path);
        return paths;
    }

    /// Modules behind this one that changed a file of it: it was worked on without that.
    std::set<std::size_t> later_makers(const ModuleReport& report, std::size_t index) const {
        std::set<std::size_t> later;
        for (const std::string& path : changed_files_of(report)) {
            const auto made = makers.find(path);
            if (made != makers.end())
                later.insert(made->second.upper_bound(index), made->second.end());
        }
        return later;
    }
};

/// Why the changes do harm to a module that did not ask for them; "" if they do not.
Result<std::string> harm(const CommandLine& line, const ModuleRun& run, const ModuleReport& again,
                         const FileTexts& texts) {
    if (!again.compiled.succeeded())
        return again.compiled.detail.empty() ? "it no longer compiles" : again.compiled.detail;
    const Comparison comparison = compare(run.report->before, again.before);
    if (comparison.change == Change::worse)
        return fmt::format("more {}", name(comparison.decided_by));
    return gradient_harm(line, run.settings, texts);
}

std::string harm_text(const ModuleRun& user, const std::string& why) {
    return fmt::format("bad for {}, which uses the same file: {}",
                       std::filesystem::path(user.settings.file).filename().string(), why);
}

} // namespace

Result<std::string> gradient_harm(const CommandLine& line, const ModuleSettings& settings,
                                  const FileTexts& texts) {
    SlangCompiler compiler(compiler_options(line));
    const ModuleVariant before{settings.file, settings.root, settings.options.slang_arguments,
                               settings.options.overlay};
    ModuleVariant after = before;
    after.overlay = texts;
    const Result<LoadedModule> original = load_module(compiler, before);
    if (!original) // nothing that could be harmed: a header, a shader that needs other options
        return std::string();
    const Result<LoadedModule> rewritten = load_module(compiler, after);
    if (!rewritten)
        return rewritten.error().message;
    Result<Verifier> verifier = Verifier::create();
    if (!verifier)
        return tl::unexpected(verifier.error());
    VerifyOptions options = settings.options.verify;
    options.derivatives = false;
    const Result<std::vector<VerifyResult>> results =
        ModuleVerifier(compiler, *verifier, line.cache)
            .compare(original->view(), rewritten->view(), options, settings.options.promises);
    if (!results)
        return tl::unexpected(results.error());
    for (const VerifyResult& result : *results)
        if (result.verdict == Verdict::different || result.verdict == Verdict::rewritten_wrong)
            return verdict_text(result);
    return std::string();
}

void withdraw_fixes(ModuleReport& report, const std::string& why) {
    report.changed.clear();
    report.after.reset();
    report.verified.reset();
    for (TriedFix& tried : report.tried)
        if (tried.outcome == Outcome::applied) {
            tried.outcome = Outcome::withdrawn;
            tried.why = why;
        }
}

Result<std::vector<FileChange>> plan_fixes(const CommandLine& line, std::vector<ModuleRun>& runs) {
    const std::vector<ModuleRun> alone = runs;
    std::map<std::size_t, std::string> withdrawn;
    // Each round withdraws at least one module, so there are at most as many rounds as modules.
    for (bool settled = false; !settled;) {
        settled = true;
        runs = alone;
        for (const auto& [index, why] : withdrawn)
            withdraw_fixes(*runs[index].report, why);

        Changes changes;
        for (std::size_t i = 0; i < runs.size() && settled; ++i) {
            ModuleRun& run = runs[i];
            if (!run.report)
                continue;
            const std::vector<std::string> shared = changes.changed_files_of(*run.report);
            if (!shared.empty() && run.report->compiled.succeeded()) {
                Result<ModuleReport> again =
                    run_module_again(line, run.settings, changes.texts, Depth::improve);
                if (!again)
                    return tl::unexpected(again.error());
                const Result<std::string> why = harm(line, alone[i], *again, changes.texts);
                if (!why)
                    return tl::unexpected(why.error());
                if (!why->empty()) {
                    for (const std::string& path : shared)
                        for (std::size_t maker : changes.makers[path])
                            withdrawn.emplace(maker, harm_text(run, *why));
                    settled = false;
                    continue;
                }
                if (withdrawn.count(i) != 0)
                    withdraw_fixes(*again, withdrawn[i]);
                run.before_shared = alone[i].report->before;
                run.report = std::move(*again);
            }
            changes.add(*run.report, i);
        }
        for (std::size_t i = 0; i < runs.size() && settled; ++i) {
            const auto later = alone[i].report ? changes.later_makers(*alone[i].report, i)
                                               : std::set<std::size_t>{};
            if (later.empty() || !alone[i].report->compiled.succeeded())
                continue;
            const auto again =
                run_module_again(line, alone[i].settings, changes.texts, Depth::examine);
            if (!again)
                return tl::unexpected(again.error());
            const Result<std::string> why = harm(line, alone[i], *again, changes.texts);
            if (!why)
                return tl::unexpected(why.error());
            for (const std::size_t maker : why->empty() ? std::set<std::size_t>{} : later) {
                withdrawn.emplace(maker, harm_text(alone[i], *why));
                settled = false;
            }
        }
        if (!settled)
            continue;
        std::vector<FileChange> plan;
        for (const auto& [path, text] : changes.texts)
            if (text != changes.originals.at(path))
                plan.push_back({path, changes.originals.at(path), text});
        return plan;
    }
    return std::vector<FileChange>{};
}

} // namespace slimgrad
