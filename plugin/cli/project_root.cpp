#include "plugin/cli/project_root.h"

#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view configuration_name = "slimgrad.toml";

/// The nearest folder from that of `file` upwards that holds one of `names`, or an empty path.
fs::path nearest_with(const std::string& file, std::initializer_list<std::string_view> names) {
    for (fs::path folder = fs::path(canonical_path(file)).parent_path();;
         folder = folder.parent_path()) {
        std::error_code error;
        for (std::string_view name : names)
            if (fs::exists(folder / name, error))
                return folder;
        if (folder == folder.parent_path())
            return {};
    }
}

} // namespace

std::string canonical_path(const std::string& path) {
    std::error_code error;
    // Absolute first: of a relative path whose first folder is not there nothing would be resolved.
    const fs::path absolute = fs::absolute(path, error);
    fs::path canonical = fs::weakly_canonical(absolute, error);
    if (error)
        canonical = absolute.lexically_normal();
    return canonical.string();
}

std::string project_root(const std::string& file) {
    const fs::path root = nearest_with(file, {configuration_name, ".git"});
    return root.empty() ? fs::path(canonical_path(file)).parent_path().string() : root.string();
}

std::string find_configuration(const std::string& file) {
    const fs::path folder = nearest_with(file, {configuration_name});
    return folder.empty() ? "" : (folder / configuration_name).string();
}

} // namespace slimgrad
