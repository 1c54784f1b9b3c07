#include "plugin/clang/rewrite.h"
#include "rewriter/atomic_write.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/core.h>
#include <iostream>
#include <iterator>
#include <map>

/// slimgrad-clang: rewrites the CUDA that slangc emits. Exit: 0 done, 2 wrong usage, 3 the text was
/// not understood or a file could not be read or written. One JSON object on standard output.
int main(int argc, char** argv) {
    using namespace slimgrad;
    RewriteOptions options;
    std::string input, output;
    std::vector<std::string> passes = {"repair-extents", "single-copy"};
    CLI::App app{"Rewrites the CUDA that slangc emits, and reports its checkpoint contexts"};
    app.add_option("input", input, "CUDA text; - for standard input")->required();
    app.add_option("-o", output, "where the rewritten text goes");
    app.add_option("--passes", passes, "repair-extents, single-copy, heap; or none")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"repair-extents", "single-copy", "heap", "none"}));
    app.add_option("--heap-threshold", options.heap_threshold,
                   "arrays of fewer bytes stay on the stack")
        ->check(CLI::NonNegativeNumber);
    const std::map<std::string, HeapLayout> layouts = {
        {"thread", HeapLayout::thread}, {"warp", HeapLayout::warp}, {"grid", HeapLayout::grid}};
    app.add_option("--heap-layout", options.heap_layout, "thread, warp or grid")
        ->transform(CLI::CheckedTransformer(layouts));
    app.add_option("-D", options.macros, "macro, as NAME or NAME=VALUE")->allow_extra_args(false);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    options.passes.clear();
    for (const Pass pass : {Pass::repair_extents, Pass::single_copy, Pass::heap})
        if (std::find(passes.begin(), passes.end(), name_of(pass)) != passes.end())
            options.passes.push_back(pass);

    const auto refuse = [](const std::string& line) {
        fmt::print(stderr, "slimgrad-clang: error: {}\n", line);
        return 3;
    };
    std::string text;
    if (input == "-") {
        text.assign(std::istreambuf_iterator<char>(std::cin), {});
    } else {
        Result<std::string> bytes = read_file(input);
        if (!bytes)
            return refuse(to_string(bytes.error()));
        text = std::move(*bytes);
    }
    const Result<RewriteResult> result = rewrite(text, options);
    if (!result)
        return refuse(to_string(result.error()));
    if (!output.empty()) {
        if (const Result<void> written = write_file(output, result->text); !written)
            return refuse(to_string(written.error()));
    }
    fmt::print("{}\n",
               result->report().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
}
