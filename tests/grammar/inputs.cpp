#include "tests/grammar/inputs.h"

#include "rewriter/grammar/slang_language.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fs = std::filesystem;

namespace slimgrad::tests {

Parsed parse(std::string source) {
    std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                  ts_parser_delete);
    if (!ts_parser_set_language(parser.get(), tree_sitter_slang()))
        throw std::runtime_error("the installed tree-sitter does not read the grammar");
    TSTree* tree = ts_parser_parse_string(parser.get(), nullptr, source.data(),
                                          static_cast<std::uint32_t>(source.size()));
    return {std::move(source), {tree, ts_tree_delete}};
}

std::string read_text(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw std::runtime_error("cannot read " + path.string());
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<fs::path> files_below(const fs::path& folder,
                                  const std::vector<std::string>& extensions) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() &&
            std::count(extensions.begin(), extensions.end(), entry.path().extension().string()))
            files.push_back(entry.path());
    if (files.empty())
        throw std::runtime_error("no file for a test in " + folder.string());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace slimgrad::tests
