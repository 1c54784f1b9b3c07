#include "tests/fuzz/rewriting_hunt.h"

#include "tests/fuzz/generator.h"
#include "tests/fuzz/printer.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/simplify.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <future>
#include <mutex>
#include <set>

namespace slimgrad::hunt {
namespace {

constexpr int candidates_together = 24, most_modules = 60;

bool is_finding(Rewritten what) {
    return what != Rewritten::same && what != Rewritten::unchanged &&
           what != Rewritten::original_fails;
}

class RewritingHunt {
  public:
    using Show = std::function<void(const RewritingFinding&)>;

    RewritingHunt(const HuntOptions& options, const Show& found, const Show& reduced)
        : options_(options), found_(found), reduced_(reduced) {}

    Result<RewritingReport> run() {
        const auto start = std::chrono::steady_clock::now();
        std::vector<std::future<Result<void>>> jobs;
        for (int i = 0; i < std::max(options_.jobs, 1); ++i)
            jobs.push_back(std::async(std::launch::async, [this] {
                RewritingLaboratory laboratory(
                    {options_.worker, options_.runner, "", 4, options_.seed});
                return look_for_findings(laboratory);
            }));
        Result<void> result;
        for (auto& job : jobs)
            if (Result<void> done = job.get(); !done)
                result = done;
        if (!result)
            return tl::unexpected(result.error());
        std::sort(report_.findings.begin(), report_.findings.end(),
                  [](const auto& a, const auto& b) { return a.seed < b.seed; });
        report_.programs = options_.programs;
        report_.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - start);
        return std::move(report_);
    }

  private:
    Result<void> look_for_findings(RewritingLaboratory& laboratory) {
        for (;;) {
            const int first = next_.fetch_add(options_.together);
            if (first >= options_.programs)
                return {};
            const int end = std::min(first + options_.together, options_.programs);
            std::vector<RewritingFinding> findings;
            if (auto done = examine(laboratory, first, end, findings); !done)
                return done;
            for (RewritingFinding& finding : findings)
                if (auto done = reduce(laboratory, finding); !done)
                    return done;
        }
    }

    Result<void> examine(RewritingLaboratory& laboratory, int first, int end,
                         std::vector<RewritingFinding>& findings) {
        std::vector<Variant> variants;
        std::vector<std::uint64_t> seeds;
        for (int number = first; number < end; ++number) {
            const std::uint64_t seed = program_seed(options_.seed, options_.first + number);
            for (Variant& variant : picked(seed)) {
                variants.push_back(std::move(variant));
                seeds.push_back(seed);
            }
        }
        const std::vector<Rewriting>& all = all_rewritings();
        const auto layouts = static_cast<int>(all.size()) - 1;
        const std::vector<Rewriting> rewritings{
            all.front(), all[static_cast<std::size_t>(1 + first / options_.together % layouts)]};
        const auto results = laboratory.run(variants, rewritings);
        if (!results)
            return tl::unexpected(results.error());
        const std::lock_guard lock(mutex_);
        report_.variants += static_cast<int>(variants.size());
        for (std::size_t i = 0; i < variants.size(); ++i)
            for (std::size_t r = 0; r < rewritings.size(); ++r) {
                const RewrittenResult& result = (*results)[i][r];
                ++report_.counts[{rewritings[r].name, result.what}];
                if (!is_finding(result.what))
                    continue;
                findings.push_back(
                    {seeds[i], variants[i].name, rewritings[r], result, variants[i].program});
                report_.findings.push_back(findings.back());
                found_(findings.back());
            }
        done_ += end - first;
        if (options_.progress)
            options_.progress(done_, report_.findings.size());
        return {};
    }

    /// The variants of a program that a hunt runs: those without known shapes, some of them.
    std::vector<Variant> picked(std::uint64_t seed) const {
        std::vector<Variant> variants = variants_of(generate(seed));
        std::erase_if(variants, [&](const Variant& variant) {
            const std::set<Known> shapes = known_shapes(variant.program);
            return std::any_of(shapes.begin(), shapes.end(),
                               [&](Known shape) { return !options_.known.contains(shape); });
        });
        Random random(seed);
        while (variants.size() > static_cast<std::size_t>(std::max(options_.variants, 1)))
            variants.erase(variants.begin() + random.below(static_cast<int>(variants.size())));
        return variants;
    }

    /// Makes the program smaller for as long as it shows the same; some findings only, of each kind
    /// and message one.
    Result<void> reduce(RewritingLaboratory& laboratory, RewritingFinding finding) {
        {
            const std::lock_guard lock(mutex_);
            const std::string sort = fmt::format(
                "{} {} {}", finding.rewriting.name, to_string(finding.result.what),
                finding.result.what == Rewritten::different ? "" : finding.result.message);
            if (reductions_ >= options_.reductions || !sorts_.insert(sort).second)
                return {};
            ++reductions_;
        }
        std::vector<Program> candidates = simplifications(finding.program);
        std::size_t next = 0;
        for (int modules = 0; next < candidates.size() && modules < most_modules; ++modules) {
            std::vector<Variant> tried;
            for (; next < candidates.size() && tried.size() < candidates_together; ++next)
                if (known_shapes(candidates[next]).empty())
                    tried.push_back({finding.variant, candidates[next]});
            const auto results = laboratory.run(tried, {finding.rewriting});
            if (!results)
                return tl::unexpected(results.error());
            std::optional<std::size_t> best;
            for (std::size_t i = 0; i < tried.size(); ++i)
                if ((*results)[i].front().what == finding.result.what &&
                    (!best || size_of(tried[i].program) < size_of(tried[*best].program)))
                    best = i;
            if (!best)
                continue;
            finding.program = tried[*best].program;
            finding.result = (*results)[*best].front();
            candidates = simplifications(finding.program);
            next = 0;
        }
        finding.reduced = true;
        const std::lock_guard lock(mutex_);
        for (RewritingFinding& each : report_.findings)
            if (each.seed == finding.seed && each.variant == finding.variant &&
                each.rewriting.name == finding.rewriting.name)
                each = finding;
        reduced_(finding);
        return {};
    }

    const HuntOptions& options_;
    const Show &found_, &reduced_;
    std::mutex mutex_;
    RewritingReport report_;
    int done_ = 0, reductions_ = 0;
    std::atomic<int> next_ = 0;
    std::set<std::string> sorts_; ///< of what was reduced
};

} // namespace

Result<RewritingReport>
hunt_rewriting(const HuntOptions& options,
               const std::function<void(const RewritingFinding&)>& found,
               const std::function<void(const RewritingFinding&)>& reduced) {
    return RewritingHunt(options, found, reduced).run();
}

std::string describe(const RewritingFinding& finding) {
    return fmt::format("// {}: {}\n// {}\n// program {}, {}{}\n{}", finding.rewriting.name,
                       to_string(finding.result.what), finding.result.message, finding.seed,
                       finding.variant, finding.reduced ? ", reduced" : "",
                       print_module(finding.program, Precision::single));
}

} // namespace slimgrad::hunt
