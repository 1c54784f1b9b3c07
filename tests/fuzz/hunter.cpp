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
        if (auto done = in_parallel(&Hunt::reduce_findings); !done)
            return tl::unexpected(done.error());
        std::sort(report_.findings.begin(), report_.findings.end(),
                  [](const HuntFinding& a, const HuntFinding& b) { return a.number < b.number; });
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
            if (auto done = reduce_at(laboratory, Moment::search); !done)
                return done;
        }
    }

    Result<void> reduce_findings(Laboratory& laboratory) {
        return reduce_at(laboratory, Moment::end);
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

    /// During the search only what has one known shape that was not shown yet: nothing that comes
    /// later can be plainer.
    enum class Moment { search, end };

    /// What is no different for the reader.
    using Sort = std::tuple<FindingKind, Fate, std::set<Known>, std::string>;
    static Sort sort_of(const HuntFinding& found) {
        // The names in what g++ says are numbered.
        return {found.finding.kind, found.finding.fate, found.shapes,
                found.finding.fate == Fate::rejected ? found.finding.detail : ""};
    }

    bool is_to_be_reduced(const HuntFinding& found, Moment moment) const {
        if (taken_.contains(found.number))
            return false;
        if (found.shapes.empty())
            return moment == Moment::end;
        return (moment == Moment::end || found.shapes.size() == 1) &&
               !std::includes(shown_.begin(), shown_.end(), found.shapes.begin(),
                              found.shapes.end());
    }

    /// A sort that was not reduced yet before others, few known shapes before many, a small program
    /// before a large one. Nothing: enough were reduced, or the others show nothing new.
    std::optional<std::size_t> take_for_reduction(Moment moment) {
        const std::lock_guard lock(mutex_);
        if (static_cast<int>(taken_.size()) >= options_.reductions)
            return std::nullopt;
        std::optional<std::size_t> best;
        std::tuple<bool, std::size_t, int, int> best_order;
        for (std::size_t i = 0; i < report_.findings.size(); ++i) {
            const HuntFinding& found = report_.findings[i];
            if (!is_to_be_reduced(found, moment))
                continue;
            const std::tuple order{sorts_.contains(sort_of(found)), found.shapes.size(),
                                   size_of(generate(found.seed)), found.number};
            if (!best || order < best_order) {
                best = i;
                best_order = order;
            }
        }
        if (best) {
            const HuntFinding& found = report_.findings[*best];
            taken_.insert(found.number);
            sorts_.insert(sort_of(found));
            show(found.shapes);
        }
        return best;
    }

    void show(const std::set<Known>& shapes) {
        if (shapes.size() == 1)
            shown_.insert(*shapes.begin());
    }

    Result<void> reduce_at(Laboratory& laboratory, Moment moment) {
        while (const std::optional<std::size_t> at = take_for_reduction(moment)) {
            std::unique_lock lock(mutex_);
            HuntFinding found = report_.findings[*at]; // others are added meanwhile
            lock.unlock();
            Result<std::optional<Reduced>> reduced =
                reduce(laboratory, generate(found.seed), found.finding);
            if (!reduced)
                return tl::unexpected(reduced.error());
            found.reduced = std::move(*reduced);
            lock.lock();
            report_.findings[*at].reduced = found.reduced;
            if (!found.reduced)
                continue;
            show(shapes_of(found.reduced->trial, found.reduced->finding));
            if (options_.reduced)
                options_.reduced(found);
        }
        return {};
    }

    const HuntOptions& options_;
    std::mutex mutex_;
    HuntReport report_;
    int done_ = 0;
    std::atomic<int> next_ = 0;
    std::set<int> taken_;   ///< numbers of the findings that are or were reduced
    std::set<Sort> sorts_;  ///< of those
    std::set<Known> shown_; ///< shapes that were alone in one of those
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
