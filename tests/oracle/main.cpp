// tests/call_oracle.sh: what calls mean, by the module model and by Slang's own language server.

#include "tests/oracle/call_check.h"
#include "tests/parse_rate/front_end.h"
#include "tests/parse_rate/shader_files.h"
#include "tests/parse_rate/test_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace slimgrad::oracle {
namespace {

constexpr int skipped = 77;

struct Module {
    ModuleModel model;
    CallPlaces places;
};

/// The model of a module that the compiler accepts; nothing for others.
std::optional<Module> read_module(parse_rate::FrontEnd& front_end, SlangCompiler& compiler,
                                  const std::string& file, const std::string& root) {
    const Result<std::string> text = parse_rate::read_file(file);
    if (!text)
        return std::nullopt;
    const Result<parse_rate::FrontEnd::Answer> answer =
        front_end.ask(compiler, file, *text, root);
    // Options of the file's own cannot be given to the language server.
    if (!answer || !answer->result.succeeded() ||
        !parse_rate::defines_of(answer->request.arguments).empty())
        return std::nullopt;
    std::vector<SourceFile> files;
    for (const std::string& path : answer->result.dependencies) {
        const Result<std::string> bytes = parse_rate::read_file(path);
        if (!bytes)
            return std::nullopt;
        files.emplace_back(path, *bytes);
    }
    Module module{build_module_model(std::move(files)), {}};
    module.places = places_of_calls(module.model);
    return module;
}

int run(int argc, char** argv) {
    CLI::App app("Compares what calls mean with what Slang's language server says of them");
    std::vector<std::string> folders, search_paths;
    std::string root = "/";
    bool show_missing = false;
    double floor = 0;
    app.add_option("DIR", folders)->required();
    app.add_option("-I", search_paths);
    app.add_option("--root", root);
    app.add_option("--floor", floor, "share of resolved calls that is an error to miss");
    app.add_flag("--missing", show_missing, "show the calls that are not resolved");
    CLI11_PARSE(app, argc, argv);

    const std::string bin = std::filesystem::canonical("/proc/self/exe").parent_path();
    const std::string worker = bin + "/slimgrad-slang";
    std::vector<std::string> options;
    for (const std::string& path : search_paths)
        options.insert(options.end(), {"-I", path});
    parse_rate::FrontEnd front_end(options, worker, false);
    SlangCompiler::Options compiler_options;
    compiler_options.worker = worker;
    SlangCompiler compiler(compiler_options);

    std::vector<std::string> files;
    for (const std::string& folder : folders) {
        Result<std::vector<std::string>> found =
            std::filesystem::is_directory(folder)
                ? parse_rate::find_shaders(folder)
                : Result<std::vector<std::string>>(std::vector{folder});
        if (!found) {
            fmt::print(stderr, "{}\n", found.error().message);
            return 2;
        }
        files.insert(files.end(), found->begin(), found->end());
    }

    CallFigures total;
    std::size_t modules = 0, lost = 0;
    std::optional<LanguageServer> server;
    for (const std::string& file : files) {
        std::optional<Module> module = read_module(front_end, compiler, file, root);
        if (!module)
            continue;
        if (!server) {
            Result<LanguageServer> started = LanguageServer::start(bin + "/slimgrad-slangd",
                                                                   search_paths);
            if (!started) {
                fmt::print(stderr, "{}\n", started.error().message);
                return started.error().message == missing_server ? skipped : 2;
            }
            server.emplace(std::move(*started));
        }
        server->find_definitions(module->places.query);
        if (!module->places.query.answered) {
            server.reset(); // a new one for the next file
            ++lost;
            continue;
        }
        ++modules;
        total += compare_calls(module->model, module->places);
    }
    for (const std::string& line : total.wrong)
        fmt::print("wrong: {}\n", line);
    if (show_missing) {
        for (const std::string& line : total.missing)
            fmt::print("unresolved: {}\n", line);
    }
    const std::uint32_t calls = total.resolved + total.unresolved;
    const double share = calls ? double(total.resolved) / calls : 0;
    fmt::print("{} modules, {} without an answer; {} calls: {} resolved ({:.1f} %), {} of them "
               "confirmed, {} not answered; {} wrong\n",
               modules, lost, calls, total.resolved, 100 * share, total.confirmed,
               total.unanswered, total.wrong.size());
    return total.wrong.empty() && share >= floor && modules > 0 ? 0 : 1;
}

} // namespace
} // namespace slimgrad::oracle

int main(int argc, char** argv) {
    return slimgrad::oracle::run(argc, argv);
}
