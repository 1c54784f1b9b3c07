// slimgrad-hunt: looks for programs whose gradients Slang gets wrong. See tests/fuzz/README.md.
//
//   slimgrad-hunt N [--seed S] [--known] [--reduce N] [--out FOLDER]
//   slimgrad-hunt --program SEED | --show SEED
//   slimgrad-hunt N --cuda ...
//
// --cuda: looks for programs that slimgrad-clang gets wrong instead: their CUDA texts before and
// after it, bit by bit.
//
// Exit: 0 nothing was found, 1 something was, 2 usage, 3 a tool could not be started.

#include "tests/fuzz/generator.h"
#include "tests/fuzz/hunter.h"
#include "tests/fuzz/rewriting_hunt.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace {

using namespace slimgrad;
using namespace slimgrad::hunt;

bool write(const std::string& folder, const std::string& name, const std::string& text) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::ofstream file(fmt::format("{}/{}.slang", folder, name), std::ios::binary);
    return static_cast<bool>((file << text).flush());
}

void show(const HuntFinding& each) {
    fmt::print("program {}: {} in {}; known shape: {}\n  {}\n", each.seed, to_string(each.finding),
               each.finding.wrong, each.shapes.empty() ? "none" : to_string(each.shapes),
               each.finding.detail);
    std::fflush(stdout);
}

void show_reduced(const HuntFinding& each) {
    fmt::print("\n{}", summary(each));
    std::fflush(stdout);
}

void show(const HuntReport& report) {
    std::string excluded;
    for (const auto& [shape, count] : report.excluded)
        excluded += fmt::format("{}{} {}", excluded.empty() ? "" : ", ", count, to_string(shape));
    fmt::print("\n{} programs, {} variants; excluded as known: {}; fewer than two variants left: "
               "{} programs\n"
               "compared with central differences: {}; different by rounding: {}\n{} findings in "
               "{:.0f} s\n",
               report.programs, report.variants, excluded.empty() ? "none" : excluded,
               report.without, report.compared, report.rounding, report.findings.size(),
               static_cast<double>(report.duration.count()) / 1000);
}

/// The other hunt.
int run_cuda(const HuntOptions& options, const std::string& folder) {
    const auto print = [](const RewritingFinding& finding) {
        if (finding.reduced)
            fmt::print("\n{}\n", describe(finding));
        else
            fmt::print("program {}, {}: {}: {}: {}\n", finding.seed, finding.variant,
                       finding.rewriting.name, to_string(finding.result.what),
                       finding.result.message);
        std::fflush(stdout);
    };
    const Result<RewritingReport> report = hunt_rewriting(options, print, print);
    if (!report) {
        fmt::print(stderr, "slimgrad-hunt: {}\n", to_string(report.error()));
        return 3;
    }
    for (const RewritingFinding& finding : report->findings)
        if (!folder.empty() && !write(folder, fmt::format("{}-{}", finding.seed, finding.variant),
                                      describe(finding))) {
            fmt::print(stderr, "slimgrad-hunt: cannot write to {}\n", folder);
            return 3;
        }
    fmt::print("\n{} programs, {} variants\n", report->programs, report->variants);
    for (const auto& [key, count] : report->counts)
        fmt::print("{}: {} {}\n", key.first, count, to_string(key.second));
    fmt::print("{} findings in {:.0f} s\n", report->findings.size(),
               static_cast<double>(report->duration.count()) / 1000);
    return report->findings.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    HuntOptions options;
    std::string folder;
    std::optional<std::uint64_t> only, again;
    bool known = false, cuda = false;
    CLI::App app{"Looks for differentiable programs whose gradients Slang gets wrong",
                 "slimgrad-hunt"};
    app.add_option("N", options.programs, "how many random programs")->check(CLI::PositiveNumber);
    app.add_flag("--cuda", cuda, "compare CUDA texts before and after slimgrad-clang");
    app.add_option("--seed", options.seed, "of the first program and of its inputs");
    app.add_flag("--known", known, "also what has the shape of a known miscompile");
    app.add_option("--reduce", options.reductions, "how many findings to make small (6)");
    app.add_option("--together", options.together, "programs in one module (16)")
        ->check(CLI::PositiveNumber);
    app.add_option("--variants", options.variants, "of a program at most, picked at random (3)")
        ->check(CLI::PositiveNumber);
    app.add_option("--first", options.first,
                   "number of the first program, to go on with a hunt (0)")
        ->check(CLI::NonNegativeNumber);
    app.add_option("-j", options.jobs, "threads (2)")->check(CLI::PositiveNumber);
    app.add_option("--out", folder, "write every finding as SEED.slang into this folder");
    app.add_option("--program", again, "only the program of this seed, as a finding names it");
    app.add_option("--show", only, "print the program of this seed and stop");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    if (again) {
        options.programs = 1;
        options.variants = 100; // all
        options.seed = *again / programs_per_seed;
        options.first = static_cast<int>(*again % programs_per_seed);
    }
    if (known)
        options.known = all_known();
    if (only) {
        fmt::print("{}", print_module(variant_of(generate(*only), "inferred"), Precision::single));
        return 0;
    }
    options.found = [](const HuntFinding& finding) { show(finding); };
    options.reduced = show_reduced;
    options.progress = [&](int done, std::size_t findings) {
        fmt::print(stderr, "{} of {} programs, {} findings\n", done, options.programs, findings);
    };
    if (cuda)
        return run_cuda(options, folder);
    const Result<HuntReport> report = run_hunt(options);
    if (!report) {
        fmt::print(stderr, "slimgrad-hunt: {}\n", to_string(report.error()));
        return 3;
    }
    for (const HuntFinding& finding : report->findings)
        if (!folder.empty() && !write(folder, std::to_string(finding.seed), describe(finding))) {
            fmt::print(stderr, "slimgrad-hunt: cannot write to {}\n", folder);
            return 3;
        }
    show(*report);
    return report->findings.empty() ? 0 : 1;
}
