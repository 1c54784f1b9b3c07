// slimgrad-parse-rate: how much of the shaders in folders the grammar reads, and whether the module
// model says of them what the compiler says. See scripts/parse-rate, which builds and starts it.
//
// Exit: 0 counted, 1 the model differs from the compiler's, 2 usage, 3 the compiler could not be
// started.

#include "tests/parse_rate/front_end.h"
#include "tests/parse_rate/rate.h"
#include "tests/parse_rate/shader_files.h"
#include "tests/parse_rate/test_options.h"
#include "tests/unit/rewriter/model_comparison.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <thread>

namespace {

using namespace slimgrad;
using namespace slimgrad::parse_rate;

struct Options {
    std::vector<std::string> folders;
    std::vector<std::string> compiler; ///< slangc's options, after `--`
    std::string names;                 ///< the file that the paths of what was counted go to
    unsigned jobs = 2;
    bool slangc = false, model = false, list = false;
};

enum class Verdict { counted, syntax_error, no_answer };

struct Shader {
    std::string path, text;
    Verdict verdict = Verdict::counted;
    std::string reason; ///< why there is no answer, or why it was not compared
    Compared compared;
    std::vector<Error> mismatches;
};

int fail_with(int code, const std::string& message) {
    fmt::print(stderr, "parse-rate: error: {}\n", message);
    return code;
}

/// `recompile`: empty where nothing is compared.
void judge(Shader& shader, const FrontEnd::Answer& answer, const Recompile& recompile) {
    const CompileResult& result = answer.result;
    if (!answered(result)) {
        shader.verdict = Verdict::no_answer;
        shader.reason = result.detail;
    } else if (has_syntax_error(result)) {
        shader.verdict = Verdict::syntax_error;
    } else if (recompile && result.succeeded()) {
        shader.mismatches = compare_model({shader.path, defines_of(answer.request.arguments)},
                                          result, shader.compared, recompile);
    } else if (recompile) {
        shader.reason = result.detail;
    }
}

/// Asks the compiler about all files, several at a time. Error: it cannot be started.
Result<void> ask_compiler(std::vector<Shader>& shaders, const std::string& folder,
                          FrontEnd& front_end, const Options& options) {
    std::atomic<std::size_t> next = 0;
    std::vector<Result<void>> results(options.jobs);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options.jobs; ++i)
        threads.emplace_back([&, i] {
            SlangCompiler compiler{SlangCompiler::Options{}};
            for (std::size_t at; results[i] && (at = next++) < shaders.size();) {
                Shader& shader = shaders[at];
                const auto answer = front_end.ask(compiler, shader.path, shader.text, folder);
                const Recompile recompile = [&](const FileTexts& overlay) {
                    return front_end.ask_again(compiler, *answer, overlay);
                };
                if (answer)
                    judge(shader, *answer, options.model ? recompile : nullptr);
                else
                    results[i] = tl::unexpected(answer.error());
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const Result<void>& result : results)
        if (!result)
            return result;
    return {};
}

void print_left_out(const std::vector<Shader>& shaders, bool list) {
    std::size_t syntax_errors = 0, without_answer = 0;
    for (const Shader& shader : shaders) {
        syntax_errors += shader.verdict == Verdict::syntax_error;
        without_answer += shader.verdict == Verdict::no_answer;
        if (list && shader.verdict == Verdict::no_answer)
            fmt::print("{}: left out: {}\n", shader.path, shader.reason);
    }
    fmt::print("  left out: {} in which slangc finds a syntax error, {} on which it does not "
               "come back\n",
               syntax_errors, without_answer);
}

/// As with mismatches, what many modules read is one.
void print_not_compared(const std::vector<Error>& parts, std::size_t not_compiled, bool list) {
    std::map<std::string, std::set<std::string>> places_by_reason;
    for (const Error& part : parts)
        places_by_reason[part.message].insert(to_string(part));
    if (list)
        for (const auto& [reason, places] : places_by_reason)
            for (const std::string& place : places)
                fmt::print("{} (not compared)\n", place);
    const char* const hint = list ? "" : " (--list names them)";
    if (not_compiled != 0)
        fmt::print("  not compared: {} modules that slangc does not compile{}\n", not_compiled,
                   hint);
    for (const auto& [reason, places] : places_by_reason)
        fmt::print("  not compared: {} {}{}\n", places.size(), reason, hint);
}

/// A mismatch in a file that many modules read is one.
void print_comparison(const std::vector<Shader>& shaders, bool list, std::size_t& mismatches) {
    Compared sum;
    std::set<std::string> found;
    std::size_t not_compiled = 0;
    for (const Shader& shader : shaders) {
        sum += shader.compared;
        if (!shader.reason.empty() && shader.verdict == Verdict::counted) {
            ++not_compiled;
            if (list)
                fmt::print("{}: not compared: {}\n", shader.path, shader.reason);
        }
        for (const Error& mismatch : shader.mismatches)
            found.insert(to_string(mismatch));
    }
    for (const std::string& mismatch : found)
        fmt::print("{}\n", mismatch);
    fmt::print("  model of {} modules: {} functions, {} parameters, {} attributes, {} loops; {} "
               "mismatches\n",
               sum.modules, sum.functions, sum.parameters, sum.attributes, sum.lowered_loops,
               found.size());
    print_not_compared(sum.not_compared, not_compiled, list);
    mismatches += found.size();
}

/// One folder's files. Gives an exit code.
int count_folder(const std::string& folder, FrontEnd* front_end, const Options& options,
                 Rate& total, std::size_t& mismatches, std::ofstream& names) {
    const auto paths = find_shaders(folder);
    if (!paths)
        return fail_with(2, to_string(paths.error()));
    std::vector<Shader> shaders;
    for (const std::string& path : *paths) {
        Result<std::string> text = read_file(path);
        if (!text)
            return fail_with(3, to_string(text.error()));
        Shader& shader = shaders.emplace_back();
        shader.path = path;
        shader.text = std::move(*text);
    }
    if (front_end != nullptr)
        if (const auto asked = ask_compiler(shaders, folder, *front_end, options); !asked)
            return fail_with(3, to_string(asked.error()));

    Rate rate;
    for (const Shader& shader : shaders) {
        if (shader.verdict != Verdict::counted)
            continue;
        const ParsedFile file = parse_file(shader.path, shader.text);
        rate.add(file);
        total.add(file);
        if (names.is_open())
            names << shader.path << '\n';
        if (options.list && !file.clean())
            fmt::print("{}: {} error{}, {} byte{}\n", to_string(file.first_error), file.errors,
                       file.errors == 1 ? "" : "s", file.bytes_in_error,
                       file.bytes_in_error == 1 ? "" : "s");
    }
    fmt::print("{}: {}\n", folder, to_string(rate));
    if (front_end != nullptr)
        print_left_out(shaders, options.list);
    if (options.model)
        print_comparison(shaders, options.list, mismatches);
    std::fflush(stdout);
    return 0;
}

int run(const Options& options) {
    std::ofstream names;
    if (!options.names.empty()) {
        names.open(options.names);
        if (!names)
            return fail_with(2, options.names + " cannot be written");
    }
    std::error_code error;
    const std::string worker =
        std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "slimgrad-slang";
    FrontEnd front_end(options.compiler, worker, options.model);
    Rate total;
    std::size_t mismatches = 0;
    for (const std::string& folder : options.folders)
        if (const int code =
                count_folder(folder, options.slangc || options.model ? &front_end : nullptr,
                             options, total, mismatches, names);
            code != 0)
            return code;
    if (names.is_open() && !names.flush())
        return fail_with(3, options.names + " cannot be written");
    if (options.folders.size() > 1)
        fmt::print("all: {}\n", to_string(total));
    if (options.model)
        fmt::print("mismatches: {}\n", mismatches);
    fmt::print("total: {}/{}\n", total.clean, total.files);
    return mismatches == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    const auto own = std::find(argv, argv + argc, std::string_view("--"));
    if (own != argv + argc)
        options.compiler.assign(own + 1, argv + argc);
    CLI::App app{"Counts how many Slang files below the folders are parsed without an error",
                 "parse-rate"};
    app.add_option("DIR", options.folders, "folders; their .slang and .slangh files count")
        ->required();
    app.add_flag("--slangc", options.slangc,
                 "count only files in which slangc finds no syntax error (E2xxxx)");
    app.add_flag("--model", options.model,
                 "compare functions, parameters, attributes and loops of what compiles with "
                 "slangc's; as --slangc");
    app.add_flag("--list", options.list, "name the files that fail, with the first place");
    app.add_option("-j", options.jobs, "compilers at a time (2)")->check(CLI::Range(1, 256));
    app.add_option("--names", options.names, "write the paths of the files that count to this one");
    app.footer("What follows `--` are options of slangc: -- -I include -DNAME");
    try {
        app.parse(static_cast<int>(own - argv), argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return run(options);
}
