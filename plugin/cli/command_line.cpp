#include "plugin/cli/command_line.h"

#include "plugin/cli/slang_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

namespace slimgrad {
namespace {

constexpr const char* description =
    "Rewrites Slang shaders so that their generated backward kernels get cheaper, and proves that\n"
    "the gradients stay the same. slangc's own options (-I, -D, -entry, -stage, -profile, -O...) "
    "are\n"
    "taken as they are; what follows `--` goes to slangc untouched.";

constexpr const char* footer =
    "Exit codes: 0 nothing to report, or all of it applied; 1 findings (with --diff: a diff was\n"
    "printed); 2 usage, configuration, missing input; 3 a compiler or slimgrad failed; 4 `verify`\n"
    "cannot tell. Of several files the highest code counts. Notes never change it.";

/// "sm_89", "sm_90a", "sm_103f".
std::string check_arch(const std::string& arch) {
    std::string_view rest = arch;
    const bool prefix = rest.starts_with("sm_");
    if (prefix)
        rest.remove_prefix(3);
    if (rest.ends_with('a') || rest.ends_with('f'))
        rest.remove_suffix(1);
    const bool digits = rest.size() >= 2 && rest.size() <= 3 &&
                        rest.find_first_not_of("0123456789") == std::string_view::npos;
    return prefix && digits ? "" : "'" + arch + "' is no GPU architecture such as sm_89";
}

/// CLI11's own check of it prints the largest number there is.
std::string check_positive(const std::string& number) {
    double value = 0;
    return CLI::detail::lexical_cast(number, value) && value > 0 ? "" : "has to be more than 0";
}

std::string check_named(const std::string& path) {
    return path.empty() ? "has to name a folder" : "";
}

/// Declares the options; they are stored into a `CommandLine` as CLI11 parses.
class Grammar {
  public:
    Grammar() : app_(description, "slimgrad") {
        app_.set_version_flag("--version", "slimgrad " SLIMGRAD_VERSION);
        app_.require_subcommand(1);
        app_.footer(footer);

        CLI::App* check = command("check", Command::check,
                                  "Show findings, with the evidence of the fix each would get");
        add_paths(*check);
        add_findings_options(*check);

        CLI::App* fix =
            command("fix", Command::fix,
                    "Apply the safe fixes that make a kernel cheaper and keep its gradients");
        add_paths(*fix);
        add_findings_options(*fix);
        CLI::Option* diff = fix->add_flag("--diff", line.diff,
                                          "Print the changes as a unified diff and write nothing");
        CLI::Option* non_zero = fix->add_flag("--exit-non-zero-on-fix", line.exit_non_zero_on_fix,
                                              "Exit 1 if a file was changed");
        diff->excludes(non_zero);
        non_zero->excludes(fix->get_option("--exit-zero"));

        CLI::App* tune = command(
            "tune", Command::tune,
            "Search combinations of fixes, and take the best whose gradients stay the same");
        add_paths(*tune);
        add_findings_options(*tune);
        tune->remove_option(tune->get_option("--statistics"));
        tune->add_option("--time-limit", line.time_limit_seconds,
                         "Seconds of trials after which no new one begins, for each group of "
                         "shaders that share code (60)")
            ->check(CLI::Validator(check_positive, "", ""));
        tune->add_flag("--reconsider", line.reconsider,
                       "Also try to take away [PreferRecompute] and [PreferCheckpoint] that are "
                       "there");
        tune->add_option("--save-trials", line.save_trials,
                         "Write the files that each combination changes to DIR/NUMBER/, in the "
                         "order of --why")
            ->check(CLI::Validator(check_named, "", ""));
        CLI::Option* tune_diff = tune->add_flag(
            "--diff", line.diff, "Print the changes as a unified diff and write nothing");
        CLI::Option* lock = tune->add_flag(
            "--lock", line.lock,
            "Leave the shaders alone and write the choices to slimgrad.lock in the project's root, "
            "for `preprocess`");
        tune_diff->excludes(lock);
        CLI::Option* tune_non_zero = tune->add_flag(
            "--exit-non-zero-on-fix", line.exit_non_zero_on_fix, "Exit 1 if a file was changed");
        tune_diff->excludes(tune_non_zero);
        lock->excludes(tune_non_zero);
        tune_non_zero->excludes(tune->get_option("--exit-zero"));

        CLI::App* report =
            command("report", Command::report,
                    "Show what is stored and what each kernel costs, forward and backward");
        add_paths(*report);
        add_measuring_options(*report);
        add_cache_options(*report);
        add_output_options(*report, true);
        CLI::Option* model = report->add_flag(
            "--model", line.model,
            "Instead, show what slimgrad read: functions, loops and their trips, calls, variables, "
            "effects. A function is 'differentiated' if it runs with a derivative, or may: "
            "fwd_diff, "
            "bwd_diff or a differentiable kernel take it, or code that they take calls it where a "
            "derivative goes through. Runs no nvcc");
        for (const char* name : {"--arch", "--fast-math", "--no-fast-math", "--nvcc-arg"})
            model->excludes(report->get_option(name));

        CLI::App* verify =
            command("verify", Command::verify,
                    "Are the gradients of BEFORE right? With AFTER: are those of AFTER the same?");
        verify
            ->add_option("FILES", line.paths,
                         "BEFORE [AFTER]; AFTER may be CUDA made from BEFORE, NAME.cu: then every "
                         "bit of its results counts")
            ->expected(1, 2)
            ->required();
        add_verification_options(*verify);
        add_limits(*verify);
        add_cache_options(*verify);
        add_output_options(*verify);
        verify->add_option("--sample", line.sample, "Run this one of the samples only");
        verify
            ->add_option("--tolerance", line.tolerance,
                         "Largest relative difference in 32 bits that is none (1e-5; with CUDA as "
                         "AFTER none, if not given)")
            ->check(CLI::Range(0.0, 1.0));
        verify->add_flag("--sanitize", line.sanitize,
                         "Also run a build with AddressSanitizer and UBSan");
        verify->add_flag("--gpu", line.gpu,
                         "Also run the CUDA text on the first CUDA device, where there is one");
        add_arch(*verify, "GPU architecture to compile for with --gpu (sm_89)");

        CLI::App* explain =
            command("explain", Command::explain, "Print a rule's page, or the list of rules");
        explain->add_option("RULE", line.rule, "For example prefer-recompute");

        CLI::App* preprocess =
            command("preprocess", Command::preprocess,
                    "The build step: write the fixed module to OUT, leave IN alone");
        preprocess->add_option("IN", line.paths, "The shader")->expected(1)->required();
        preprocess->add_option("-o", line.output, "Where the fixed module goes")->required();
        preprocess->add_option("--depfile", line.depfile,
                               "Where the files it was made from are listed, for Ninja and Make");
        add_fix_choice(*preprocess);
        preprocess->add_flag("!--no-lock", line.use_lock,
                             "Search also where slimgrad.lock says what `tune --lock` chose");
        add_measuring_options(*preprocess);
        add_cache_options(*preprocess);
        add_verification_options(*preprocess);

        CLI::App* cuda = command("cuda", Command::cuda,
                                 "Rewrite CUDA that `slangc -target cuda` wrote: cheaper, same "
                                 "gradients. Takes -D as nvcc would");
        cuda->add_option("IN", line.paths, "The CUDA text; - for standard input")
            ->expected(1)
            ->required();
        cuda->add_option(
            "-o", line.output,
            "Where the result goes; else to standard output, unless the report goes there as JSON");
        cuda->add_option("--passes", line.passes,
                         "Of single-copy, repair-extents and heap, or none; the first two if not "
                         "given. heap needs slimgrad_checkpoint_heap.h on the host's side")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->check(CLI::IsMember({"single-copy", "repair-extents", "heap", "none"}));
        cuda->add_option("--heap-threshold", line.heap_threshold,
                         "Bytes below which an array stays out of the heap")
            ->check(CLI::NonNegativeNumber);
        cuda->add_option("--heap-layout", line.heap_layout, "thread, warp or grid (warp)")
            ->check(CLI::IsMember({"thread", "warp", "grid"}));
        CLI::Option* measure =
            cuda->add_flag("--measure", line.measure,
                           "Compile every variant and take the one that ptxas makes the least of");
        add_measuring_options(*cuda);
        for (const char* name : {"--arch", "--fast-math", "--no-fast-math", "--nvcc-arg"})
            cuda->get_option(name)->needs(measure);
        cuda->remove_option(cuda->get_option("--config"));
        add_output_options(*cuda);

        CLI::App* cache = command("cache", Command::cache,
                                  "Show or remove the results that are kept for later runs");
        cache->add_option("ACTION", line.cache_action, "info or clear")
            ->required()
            ->check(CLI::IsMember({"info", "clear"}));
        add_cache_folder(*cache);
    }

    Result<std::variant<CommandLine, HelpText>> parse(std::vector<std::string> arguments) {
        std::reverse(arguments.begin(), arguments.end()); // CLI11 takes them from the back
        try {
            app_.parse(std::move(arguments));
        } catch (const CLI::CallForHelp&) {
            const std::vector<CLI::App*> chosen = app_.get_subcommands();
            return HelpText{chosen.empty() ? app_.help() : chosen.front()->help()};
        } catch (const CLI::CallForVersion& call) {
            return HelpText{std::string(call.what()) + '\n'};
        } catch (const CLI::ParseError& error) {
            return fail(one_line(error.what()));
        }
        line.command = commands_.at(app_.get_subcommands().front());
        if ((line.heap_threshold || !line.heap_layout.empty()) &&
            std::find(line.passes.begin(), line.passes.end(), "heap") == line.passes.end())
            return fail("--heap-threshold and --heap-layout need heap among --passes");
        if (const auto none = std::find(line.passes.begin(), line.passes.end(), "none");
            none != line.passes.end()) {
            if (line.passes.size() > 1)
                return fail("--passes: none excludes the others");
            line.passes.clear();
        }
        line.jobs = jobs_;
        line.format = format_ == "json"   ? OutputFormat::json
                      : format_ == "html" ? OutputFormat::html
                                          : OutputFormat::text;
        if (line.model && line.format == OutputFormat::html)
            return fail("--model excludes --output-format html");
        line.color = color_ == "always"  ? ColorChoice::always
                     : color_ == "never" ? ColorChoice::never
                                         : ColorChoice::automatic;
        if (line.diff && line.format == OutputFormat::json)
            return fail("--diff excludes --output-format json: the diff and the report would share "
                        "standard output");
        if (budget_) {
            auto budget = parse_budget(*budget_);
            if (!budget)
                return fail("--budget: " + budget.error().message);
            line.objective.budget = std::move(*budget);
        }
        if (objective_) {
            auto order = parse_order(*objective_);
            if (!order)
                return fail("--objective: " + order.error().message);
            line.objective.order = std::move(*order);
        }
        if (fast_math_ || no_fast_math_)
            line.fast_math = fast_math_;
        return std::move(line);
    }

    CommandLine line;

  private:
    CLI::App* command(const char* name, Command value, const char* what) {
        CLI::App* sub = app_.add_subcommand(name, what);
        commands_[sub] = value;
        return sub;
    }

    void add_paths(CLI::App& sub) {
        sub.add_option("FILES", line.paths,
                       "Shaders, or folders that are searched for *.slang and *.slang.md")
            ->required();
        sub.add_option("-j", jobs_, "Modules worked on at a time; one per processor if not given")
            ->check(CLI::Range(1u, 1024u));
    }

    void add_output_options(CLI::App& sub, bool has_page = false) {
        std::vector<std::string> formats{"text", "json"};
        if (has_page)
            formats.push_back("html");
        sub.add_option("--output-format", format_,
                       has_page ? "text, json, or html: one page with all of it, the diff included"
                                : "text or json")
            ->check(CLI::IsMember(formats));
        sub.add_option("--color", color_,
                       "auto (terminals, unless NO_COLOR is set), always or never")
            ->check(CLI::IsMember({"auto", "always", "never"}));
    }

    void add_fix_choice(CLI::App& sub) {
        sub.add_flag("--unsafe-fixes", line.unsafe_fixes,
                     "Also take fixes that are the same only under the condition they name");
        sub.add_flag(
            "--minor", line.minor_fixes,
            "Also take fixes that improve neither spills nor local memory nor warps per SM");
        sub.add_option(
            "--budget", budget_,
            "Instead of making it as cheap as can be, meet this with the fewest edits: "
            "regs=128,spills=0; also stack, local, warps (at least), code, ckpt; of each "
            "kernel");
        sub.add_option("--objective", objective_,
                       "Figures that decide before the others: spills,regs; named as for --budget, "
                       "and estimate: the cost by the machine code");
        sub.add_flag("--allow-forward-regression", line.objective.allow_forward_regression,
                     "Also take fixes that cost a forward kernel warps per SM");
    }

    void add_findings_options(CLI::App& sub) {
        add_fix_choice(sub);
        add_measuring_options(sub);
        add_cache_options(sub);
        add_verification_options(sub);
        add_output_options(sub, true);
        sub.add_flag("--exit-zero", line.exit_zero, "Exit 0 also when there are findings");
        sub.add_flag("--why", line.why, "Show every rejected candidate and its reason");
        sub.add_flag("--statistics", line.statistics,
                     "Count findings per rule, and skipped files per reason");
    }

    void add_limits(CLI::App& sub) {
        sub.add_option("--timeout", line.timeout_seconds,
                       "Seconds that one compiler or verification run may take")
            ->check(CLI::Validator(check_positive, "", ""));
        sub.add_option("--memory", line.memory_mib,
                       "MiB that one compiler or verification run may take")
            ->check(CLI::Validator(check_positive, "", ""));
        sub.add_option(
            "--config", line.configuration,
            "Use this configuration; else the nearest slimgrad.toml upwards from each shader");
    }

    CLI::Option* add_cache_folder(CLI::App& sub) {
        return sub.add_option("--cache-dir", line.cache_folder,
                              "Folder of the results that are kept for later runs; "
                              "${SLIMGRAD_CACHE_DIR} or one in the user's cache if not given");
    }

    void add_cache_options(CLI::App& sub) {
        sub.add_flag("!--no-cache", line.cached, "Keep no results, and use none of earlier runs")
            ->excludes(add_cache_folder(sub));
    }

    void add_arch(CLI::App& sub, const char* what) {
        sub.add_option("--arch", line.arch, what)->check(CLI::Validator(check_arch, "", ""));
    }

    void add_measuring_options(CLI::App& sub) {
        add_arch(sub, "GPU architecture to measure for (sm_89)");
        CLI::Option* fast = sub.add_flag("--fast-math", fast_math_,
                                         "Measure with nvcc's --use_fast_math (the default)");
        sub.add_flag("--no-fast-math", no_fast_math_, "Measure without it")->excludes(fast);
        sub.add_option("--nvcc-arg", line.nvcc_arguments, "An argument for nvcc; may be repeated")
            ->expected(1)
            ->take_all();
        add_limits(sub);
    }

    void add_verification_options(CLI::App& sub) {
        sub.add_option("--samples", line.samples,
                       "Random inputs that gradients are compared on (32)")
            ->check(CLI::Range(1u, 100'000u));
        sub.add_option("--seed", line.seed, "Seed of those inputs (1)");
    }

    static std::string one_line(std::string text) {
        std::replace(text.begin(), text.end(), '\n', ' ');
        return text;
    }

    CLI::App app_;
    std::map<const CLI::App*, Command> commands_;
    std::string format_ = "text", color_ = "auto";
    std::optional<std::string> budget_, objective_; // an empty one is one
    unsigned jobs_ = 0;
    bool fast_math_ = false, no_fast_math_ = false;
};

} // namespace

Result<std::variant<CommandLine, HelpText>>
parse_command_line(const std::vector<std::string>& arguments) {
    Result<SplitArguments> split = split_slang_options(arguments);
    if (!split)
        return tl::unexpected(split.error());
    Grammar grammar;
    grammar.line.slang_arguments = std::move(split->slang);
    return grammar.parse(std::move(split->own));
}

} // namespace slimgrad
