#include "tests/parse_rate/shader_files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace slimgrad::parse_rate {

namespace fs = std::filesystem;

Result<std::vector<std::string>> find_shaders(const std::string& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return fail(fmt::format("{} is not a folder", folder));
    std::vector<std::string> files;
    fs::recursive_directory_iterator entry(folder, error), end;
    while (!error && entry != end) {
        const fs::path& path = entry->path();
        std::error_code unknown;
        if (entry->is_symlink(unknown) || path.filename().string().starts_with('.'))
            entry.disable_recursion_pending();
        else if (entry->is_regular_file(unknown) &&
                 (path.extension() == ".slang" || path.extension() == ".slangh"))
            files.push_back(path.string());
        entry.increment(error);
    }
    if (error)
        return fail(fmt::format("{} cannot be read: {}", folder, error.message()));
    std::sort(files.begin(), files.end());
    return files;
}

Result<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.good() && !file.eof())
        return fail("cannot be read", {path});
    return text;
}

} // namespace slimgrad::parse_rate
