#include "plugin/trial/trial_lab.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace slimgrad {
namespace {

std::size_t occurrences(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = 0; !part.empty() && (at = text.find(part, at)) != text.npos;
         at += part.size())
        ++count;
    return count;
}

bool same_fixes(const Finding& a, const Finding& b) {
    return std::equal(a.fixes.begin(), a.fixes.end(), b.fixes.begin(), b.fixes.end(),
                      [](const Fix& x, const Fix& y) { return x.description == y.description; });
}

/// A finding in a shared file is one, whichever module it was seen in. What one of the modules
/// refuses, none is offered.
void add_finding(const Finding& finding, std::vector<Finding>& findings) {
    const auto known = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
        return f.rule == finding.rule && f.place == finding.place &&
               (f.fixes.empty() || finding.fixes.empty() || same_fixes(f, finding));
    });
    if (known == findings.end()) {
        findings.push_back(finding);
        return;
    }
    const std::uint64_t bytes = std::max(known->bytes, finding.bytes);
    if (finding.fixes.empty() && finding.severity >= known->severity)
        *known = finding;
    known->bytes = bytes;
    for (const std::string& why : finding.why_not)
        if (std::find(known->why_not.begin(), known->why_not.end(), why) == known->why_not.end())
            known->why_not.push_back(why);
    for (std::size_t i = 0; i < std::min(known->fixes.size(), finding.fixes.size()); ++i)
        if (finding.fixes[i].applicability == Applicability::unsafe)
            known->fixes[i] = finding.fixes[i];
}

} // namespace

bool Trial::compiled() const {
    return std::all_of(variants.begin(), variants.end(),
                       [](const Variant* variant) { return variant->cuda.succeeded(); });
}

bool Trial::measured() const {
    return std::all_of(variants.begin(), variants.end(), [&](const Variant* variant) {
        // One of several may have no kernel at all.
        return variant->measured() ||
               (variants.size() > 1 && variant->cuda.succeeded() && variant->cuda.code.empty());
    });
}

Figures Trial::figures() const {
    Figures all;
    for (const Variant* variant : variants) {
        Figures own = variant->figures();
        all.checkpoint_bytes += own.checkpoint_bytes;
        for (KernelFigures& kernel : own.kernels) {
            if (variants.size() > 1 && !variant->model.files.empty())
                kernel.name = fmt::format(
                    "{}: {}",
                    std::filesystem::path(variant->model.files.front().path()).filename().string(),
                    kernel.name);
            all.kernels.push_back(std::move(kernel));
        }
    }
    return all;
}

TrialLab::TrialLab(TrialPool& pool, std::vector<TrialModule> modules)
    : pool_(pool), modules_(std::move(modules)) {
    for (const TrialModule& module : modules_)
        labs_.push_back(std::make_unique<VariantLab>(pool, module));
}

Trial& TrialLab::trial(const FileTexts& texts) {
    // Edits may take each other back: what is as at the start is no change.
    FileTexts changed;
    for (const auto& [path, text] : texts)
        if (const auto start = at_start_.find(path);
            start == at_start_.end() || start->second != text)
            changed.emplace(path, text);
    std::unique_ptr<Trial>& trial = trials_[changed];
    if (!trial) {
        trial = std::make_unique<Trial>();
        trial->texts = std::move(changed);
    }
    return *trial;
}

void TrialLab::remember_start(const Trial& first) {
    for (const Variant* variant : first.variants)
        for (const SourceFile& file : variant->model.files)
            if (!first.texts.contains(file.path()))
                at_start_.emplace(file.path(), file.text());
}

Result<std::vector<const Trial*>> TrialLab::compile(const std::vector<FileTexts>& texts) {
    std::vector<const Trial*> trials;
    std::vector<std::pair<VariantLab*, Variant*>> work;
    std::set<const Variant*> planned;
    for (const FileTexts& each : texts) {
        Trial& trial = this->trial(each);
        trials.push_back(&trial);
        if (!trial.variants.empty())
            continue;
        for (const auto& lab : labs_) {
            Variant& variant = lab->variant(trial.texts);
            trial.variants.push_back(&variant);
            if (variant.state == Variant::State::new_text && planned.insert(&variant).second)
                work.emplace_back(lab.get(), &variant);
        }
    }
    std::vector<Result<void>> done(work.size());
    std::atomic<bool> is_running = false;
    pool_.run(work.size(), [&](std::size_t i, TrialTools& tools) {
        done[i] = work[i].first->compile(*work[i].second, tools.compiler);
        is_running = is_running || tools.compiler.is_running();
    });
    if (is_running) // others will be needed soon, while nvcc is at work
        pool_.prepare_compilers();
    for (const Result<void>& result : done)
        if (!result)
            return tl::unexpected(result.error());
    std::vector<std::chrono::milliseconds> durations;
    for (const auto& [lab, variant] : work) {
        lab->remember_files(*variant);
        durations.push_back(variant->cuda.duration);
    }
    add_batch(durations);
    if (at_start_.empty() && !trials.empty())
        remember_start(*trials.front());
    return trials;
}

Result<void> TrialLab::measure(const std::vector<const Trial*>& trials) {
    std::vector<std::pair<VariantLab*, Variant*>> work;
    std::set<const Variant*> planned;
    for (const Trial* trial : trials)
        for (std::size_t i = 0; i < labs_.size(); ++i) {
            Variant& variant = labs_[i]->variant(trial->variants[i]->texts);
            if (variant.state == Variant::State::compiled && planned.insert(&variant).second)
                work.emplace_back(labs_[i].get(), &variant);
        }
    std::vector<Result<void>> done(work.size());
    pool_.run(work.size(), [&](std::size_t i, TrialTools&) {
        done[i] = work[i].first->measure(*work[i].second);
    });
    for (const Result<void>& result : done)
        if (!result)
            return tl::unexpected(result.error());
    std::vector<std::chrono::milliseconds> durations;
    for (const auto& [lab, variant] : work)
        if (variant->nvcc)
            durations.push_back(variant->nvcc->duration);
    add_batch(durations);
    measured_ += work.size();
    for (const Trial* known : trials) {
        Trial& trial = this->trial(known->texts);
        if (!trial.findings.empty())
            continue;
        for (const Variant* variant : trial.variants) {
            if (trial.variants.size() == 1)
                trial.findings = variant->findings;
            else
                for (const Finding& finding : variant->findings)
                    add_finding(finding, trial.findings);
        }
    }
    return {};
}

Result<const Trial*> TrialLab::examine(const FileTexts& texts) {
    const auto compiled = compile({texts});
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (const auto measured = measure(*compiled); !measured)
        return tl::unexpected(measured.error());
    return compiled->front();
}

bool TrialLab::takes_back(const Trial& trial, const Fix& fix) const {
    const auto is_ours = [&](const SourceEdit& edit) {
        const auto start = at_start_.find(edit.path);
        if (!edit.text.empty() || start == at_start_.end())
            return false;
        for (const Variant* variant : trial.variants)
            if (const Index file = variant->model.find_file(edit.path); file != none) {
                const SourceFile& now = variant->model.files[file];
                const std::string_view gone = now.slice(edit.range);
                return occurrences(now.text(), gone) > occurrences(start->second, gone);
            }
        return false;
    };
    return !fix.edits.empty() && std::all_of(fix.edits.begin(), fix.edits.end(), is_ours);
}

void TrialLab::progress(const std::string& line) const {
    if (modules_.front().options.progress)
        modules_.front().options.progress(line, pool_.done(), pool_.submitted());
}

void TrialLab::add_batch(const std::vector<std::chrono::milliseconds>& durations) {
    std::chrono::milliseconds sum{0}, longest{0};
    for (const std::chrono::milliseconds duration : durations) {
        sum += duration;
        longest = std::max(longest, duration);
    }
    compiling_ += sum;
    batches_ += std::max(longest, sum / pool_.workers());
}

std::chrono::milliseconds TrialLab::spent() const {
    return batches_ + verifying();
}

std::size_t TrialLab::trials_before(std::chrono::milliseconds limit) const {
    const std::size_t workers = pool_.workers();
    const auto spent = this->spent();
    if (limit <= spent || measured_ == 0)
        return workers;
    // A text is one of every module.
    const double texts = double(measured_) / double(modules());
    const double cost = std::max(double(compiling_.count()) / texts, 1.0);
    return std::max(workers, std::size_t(double((limit - spent).count()) * double(workers) / cost));
}

std::chrono::milliseconds TrialLab::verifying() const {
    std::chrono::milliseconds sum{0};
    for (const auto& lab : labs_)
        sum += lab->verifying();
    return sum;
}

Result<VerifyResult> TrialLab::compare(const Trial& original, const Trial& rewritten,
                                       VerifyDepth depth) {
    std::vector<VerifyResult> results;
    for (std::size_t i = 0; i < labs_.size(); ++i) {
        if (labs_.size() > 1 && original.variants[i] == rewritten.variants[i])
            continue; // no file of this module differs
        // Modules without a backward pass have no say.
        Result<std::vector<VerifyResult>> own =
            labs_[i]->compare(*original.variants[i], *rewritten.variants[i], depth);
        if (!own)
            return tl::unexpected(own.error());
        const bool settled = std::any_of(own->begin(), own->end(), [](const VerifyResult& r) {
            return r.verdict != Verdict::equal;
        });
        std::move(own->begin(), own->end(), std::back_inserter(results));
        if (settled)
            break;
    }
    return combined(std::move(results));
}

Result<std::vector<VerifyResult>> TrialLab::check(const Trial& trial) {
    std::vector<VerifyResult> all;
    for (std::size_t i = 0; i < labs_.size(); ++i) {
        Result<std::vector<VerifyResult>> results = labs_[i]->check(*trial.variants[i]);
        if (!results)
            return results;
        std::move(results->begin(), results->end(), std::back_inserter(all));
    }
    return all;
}

} // namespace slimgrad
