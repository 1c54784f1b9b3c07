#include "tests/fuzz/hunter.h"

#include "tests/fuzz/generator.h"
#include "tests/fuzz/random.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <future>
#include <mutex>
#include <set>
#include <tuple>

namespace slimgrad::hunt {
namespace {

/// What one thread does: it takes one part of the work after the other. A laboratory belongs to the
/// thread that made it.
class Hunt {
  public:
    explicit Hunt(const HuntOptions& options) : options_(options) {
        report_.programs = options.programs;
    }

    Result<HuntReport> run() {
        const auto start = std::chrono::steady_clock::now();
        if (auto done = in_parallel(&Hunt::look_for_findings); !done)
            return tl::unexpected(done.error());
        std::sort(report_.findings.begin(), report_.findings.end(),
                  [](const HuntFinding& a, const HuntFinding& b) { return a.number < b.number; });
        order_for_reduction();
        if (auto done = in_parallel(&Hunt::reduce_findings); !done)
            return tl::unexpected(done.error());
        report_.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - start);
        return std::move(report_);
    }

  private:
    using Work = Result<void> (Hunt::*)(Laboratory&);

    Result<void> in_parallel(Work work) {
        std::vector<std::future<Result<void>>> jobs;
        for (int i = 0; i < std::max(options_.jobs, 1); ++i)
            jobs.push_back(std::async(std::launch::async, [this, work] {
                Laboratory laboratory({options_.worker, options_.runner, 4, options_.seed});
                return (this->*work)(laboratory);
            }));
        Result<void> result;
        for (auto& job : jobs)
            if (Result<void> done = job.get(); !done)
                result = done;
        return result;
    }

    Result<void> look_for_findings(Laboratory& laboratory) {
        for (;;) {
            const int first = next_.fetch_add(options_.together);
            if (first >= options_.programs)
                return {};
            const int end = std::min(first + options_.together, options_.programs);
            if (auto done = examine(laboratory, options_.first + first, options_.first + end);
                !done)
                return done;
        }
    }

    Result<void> examine(Laboratory& laboratory, int first, int end) {
        std::vector<Trial> trials;
        std::vector<int> numbers;
        std::map<Known, int> excluded;
        int without = 0, variants = 0;
        for (int number = first; number < end; ++number) {
            const Program program = generate(program_seed(options_.seed, number));
            if (!is_well_formed(program))
                return fail(fmt::format("program {} is not well-formed: a fault of the generator",
                                        program_seed(options_.seed, number)));
            Trial trial{variants_of(program)};
            std::erase_if(trial.variants, [&](const Variant& variant) {
                std::set<Known> shapes = known_shapes(variant.program);
                std::erase_if(shapes, [&](Known shape) { return options_.known.contains(shape); });
                for (const Known shape : shapes)
                    ++excluded[shape];
                return !shapes.empty();
            });
            without += trial.variants.size() < 2;
            pick(trial.variants, number);
            if (trial.variants.empty())
                continue;
            variants += static_cast<int>(trial.variants.size());
            numbers.push_back(number);
            trials.push_back(std::move(trial));
        }
        const Result<std::vector<TrialResult>> results = run_trials(laboratory, trials);
        if (!results)
            return tl::unexpected(results.error());
        std::vector<Trial> suspicious;
        std::vector<int> suspicious_numbers;
        int compared = 0;
        for (std::size_t i = 0; i < trials.size(); ++i) {
            compared += has_judged_slope((*results)[i]);
            if (judge(trials[i], (*results)[i], Precision::single)) {
                suspicious.push_back(trials[i]);
                suspicious_numbers.push_back(numbers[i]);
            }
        }
        const Result<std::vector<TrialResult>> decided =
            laboratory.run(suspicious, Precision::twice);
        if (!decided)
            return tl::unexpected(decided.error());

        const std::lock_guard lock(mutex_);
        for (const auto& [shape, count] : excluded)
            report_.excluded[shape] += count;
        report_.without += without;
        report_.variants += variants;
        report_.compared += compared;
        for (std::size_t i = 0; i < suspicious.size(); ++i) {
            if (auto finding = judge(suspicious[i], (*decided)[i], Precision::twice))
                add(suspicious_numbers[i], std::move(*finding));
            else
                ++report_.rounding;
        }
        done_ += end - first;
        if (options_.progress)
            options_.progress(done_, report_.findings.size());
        return {};
    }

    /// In one module, but for those that are known not to compile: they would split it.
    static Result<std::vector<TrialResult>> run_trials(Laboratory& laboratory,
                                                       const std::vector<Trial>& trials) {
        std::vector<Trial> together;
        for (const Trial& trial : trials)
            if (!is_known_not_to_compile(trial))
                together.push_back(trial);
        Result<std::vector<TrialResult>> done = laboratory.run(together, Precision::single);
        if (!done)
            return done;
        std::vector<TrialResult> results;
        auto next = done->begin();
        for (const Trial& trial : trials) {
            if (!is_known_not_to_compile(trial)) {
                results.push_back(std::move(*next++));
                continue;
            }
            Result<std::vector<TrialResult>> alone = laboratory.run({trial}, Precision::single);
            if (!alone)
                return alone;
            results.push_back(std::move(alone->front()));
        }
        return results;
    }

    static bool is_known_not_to_compile(const Trial& trial) {
        return std::any_of(trial.variants.begin(), trial.variants.end(), [](const Variant& each) {
            const std::set<Known> shapes = known_shapes(each.program);
            return shapes.contains(Known::loop_in_while) ||
                   shapes.contains(Known::unrolled_break_read);
        });
    }

    /// Leaves some of the variants, in their order; the same ones for the same program.
    void pick(std::vector<Variant>& variants, int number) const {
        Random random(program_seed(options_.seed, number));
        while (variants.size() > static_cast<std::size_t>(std::max(options_.variants, 1)))
            variants.erase(variants.begin() + random.below(static_cast<int>(variants.size())));
    }

    void add(int number, Finding finding) {
        const std::uint64_t seed = program_seed(options_.seed, number);
        std::set<Known> shapes = shapes_of(trial_of(generate(seed), finding), finding);
        report_.findings.push_back(
            {number, seed, std::move(finding), std::move(shapes), std::nullopt});
        if (options_.found)
            options_.found(report_.findings.back());
    }

    /// Those with the fewest known shapes before others, small ones before large ones, and after all
    /// sorts those that are like one before.
    void order_for_reduction() {
        struct Candidate {
            std::size_t at = 0, shapes = 0;
            int size = 0;
        };
        std::vector<Candidate> candidates;
        for (std::size_t i = 0; i < report_.findings.size(); ++i)
            candidates.push_back({i, report_.findings[i].shapes.size(),
                                  size_of(generate(report_.findings[i].seed))});
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](const Candidate& a, const Candidate& b) {
                             return std::tie(a.shapes, a.size) < std::tie(b.shapes, b.size);
                         });
        std::set<std::tuple<FindingKind, Fate, std::set<Known>, std::string>> sorts;
        std::vector<std::size_t> others;
        for (const Candidate& candidate : candidates) {
            const HuntFinding& found = report_.findings[candidate.at];
            // The names in what g++ says are numbered.
            const std::string message =
                found.finding.fate == Fate::rejected ? found.finding.detail : "";
            (sorts.emplace(found.finding.kind, found.finding.fate, found.shapes, message).second
                 ? to_reduce_
                 : others)
                .push_back(candidate.at);
        }
        to_reduce_.insert(to_reduce_.end(), others.begin(), others.end());
    }

    /// Nothing: enough were reduced, or the others show nothing new.
    std::optional<std::size_t> take_for_reduction() {
        const std::lock_guard lock(mutex_);
        while (!to_reduce_.empty() && reductions_ < options_.reductions) {
            const std::size_t at = to_reduce_.front();
            to_reduce_.erase(to_reduce_.begin());
            const std::set<Known>& shapes = report_.findings[at].shapes;
            if (!shapes.empty() &&
                std::includes(shown_.begin(), shown_.end(), shapes.begin(), shapes.end()))
                continue;
            show(shapes);
            ++reductions_;
            return at;
        }
        return std::nullopt;
    }

    void show(const std::set<Known>& shapes) {
        if (shapes.size() == 1)
            shown_.insert(*shapes.begin());
    }

    Result<void> reduce_findings(Laboratory& laboratory) {
        while (const std::optional<std::size_t> at = take_for_reduction()) {
            HuntFinding& finding = report_.findings[*at];
            Result<std::optional<Reduced>> reduced =
                reduce(laboratory, generate(finding.seed), finding.finding);
            if (!reduced)
                return tl::unexpected(reduced.error());
            const std::lock_guard lock(mutex_);
            finding.reduced = std::move(*reduced);
            if (!finding.reduced)
                continue;
            show(shapes_of(finding.reduced->trial, finding.reduced->finding));
            if (options_.reduced)
                options_.reduced(finding);
        }
        return {};
    }

    const HuntOptions& options_;
    std::mutex mutex_;
    HuntReport report_;
    int done_ = 0;
    std::atomic<int> next_ = 0;
    std::vector<std::size_t> to_reduce_; ///< indices of findings, best first
    std::set<Known> shown_;              ///< shapes that were alone in what was reduced
    int reductions_ = 0;
};

Trial shown_trial(const HuntFinding& finding) {
    return finding.reduced ? finding.reduced->trial
                           : trial_of(generate(finding.seed), finding.finding);
}

/// The lines above the variants.
std::string heading(const HuntFinding& finding) {
    const Finding& found = finding.reduced ? finding.reduced->finding : finding.finding;
    const std::string shapes = to_string(shapes_of(shown_trial(finding), found));
    return fmt::format("// {}: {}{}\n// {}\n// program {}{}; known shape: {}\n", to_string(found),
                       found.wrong, found.right.empty() ? "" : ", compared with " + found.right,
                       found.detail, finding.seed, finding.reduced ? ", reduced" : "",
                       shapes.empty() ? "none" : shapes);
}

} // namespace

std::uint64_t program_seed(std::uint64_t hunt_seed, int number) {
    return hunt_seed * programs_per_seed + static_cast<std::uint64_t>(number);
}

Result<HuntReport> run_hunt(const HuntOptions& options) {
    return Hunt(options).run();
}

std::string summary(const HuntFinding& finding) {
    const Trial trial = shown_trial(finding);
    std::string text = heading(finding);
    for (const Variant& variant : trial.variants)
        text += fmt::format("// {}\n{}", variant.name,
                            print_functions(variant.program, {"", Precision::twice, false}));
    return text;
}

std::string describe(const HuntFinding& finding) {
    const Trial trial = shown_trial(finding);
    std::string text = heading(finding);
    for (const Variant& variant : trial.variants)
        text += fmt::format("#if {}({})\n// {}\n{}#endif\n",
                            &variant == &trial.variants.front() ? "" : "!", "defined RIGHT",
                            variant.name, print_module(variant.program, Precision::twice));
    return text;
}

} // namespace slimgrad::hunt
