#pragma once

#include <tree_sitter/api.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace slimgrad::tests {

/// A text and its tree, as the grammar reads it.
struct Parsed {
    std::string source;
    std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree;

    TSNode root() const { return ts_tree_root_node(tree.get()); }
};

Parsed parse(std::string source);

/// The bytes of a file; throws std::runtime_error if it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// The files in this folder and below it whose name ends with one of these extensions, sorted.
/// Throws std::runtime_error if there is none: a test over no file would prove nothing.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::vector<std::string>& extensions);

} // namespace slimgrad::tests
