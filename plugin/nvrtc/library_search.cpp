#include "plugin/nvrtc/library_search.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <glob.h>
#include <set>
#include <sstream>
#include <system_error>

namespace slimgrad::nvrtc {
namespace {

namespace fs = std::filesystem;

/// No real configuration nests deeper; one that includes itself ends here.
constexpr int deepest_include = 8;

void read_ld_so_conf(const fs::path& file, int depth, std::vector<std::string>& folders) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        line.resize(std::min(line.size(), line.find('#')));
        std::istringstream words(line);
        std::string word;
        if (!(words >> word))
            continue;
        if (word == "include" && depth < deepest_include) {
            while (words >> word) {
                glob_t found{};
                const std::string pattern = (file.parent_path() / word).string();
                if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
                    for (std::size_t i = 0; i < found.gl_pathc; ++i)
                        read_ld_so_conf(found.gl_pathv[i], depth + 1, folders);
                globfree(&found);
            }
        } else if (word.starts_with('/')) {
            folders.push_back(word);
        }
    }
}

} // namespace

std::vector<std::string> folders_of_ld_so_conf(const std::string& file) {
    std::vector<std::string> folders;
    read_ld_so_conf(file, 0, folders);
    return folders;
}

std::vector<std::string> candidates(std::string_view own_path,
                                    const std::vector<std::string>& folders) {
    const fs::path own(own_path);
    std::vector<std::string> names{own.filename().string()};
    if (names.front() == "libnvrtc.so")
        names.insert(names.end(), {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"});
    std::error_code error;
    const fs::path own_folder = fs::weakly_canonical(own.parent_path(), error);
    std::vector<std::string> result;
    std::set<fs::path> seen;
    for (const fs::path folder : folders) {
        if (fs::weakly_canonical(folder, error) == own_folder)
            continue;
        for (const std::string& name : names) {
            const fs::path path = folder / name;
            if (!fs::is_regular_file(path, error))
                continue;
            const fs::path file = fs::canonical(path, error);
            if (file.parent_path() != own_folder && seen.insert(file).second)
                result.push_back(path.string());
        }
    }
    return result;
}

} // namespace slimgrad::nvrtc
