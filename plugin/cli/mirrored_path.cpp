#include "plugin/cli/mirrored_path.h"

#include <filesystem>

namespace slimgrad {

std::optional<std::string> mirrored_path(const std::string& file, const std::string& in,
                                         const std::string& out) {
    namespace fs = std::filesystem;
    fs::path in_folder = fs::path(in).parent_path();
    fs::path out_folder = fs::path(out).parent_path();
    // Climbs on both sides at once, for as long as the folders have the same names.
    for (;;) {
        const fs::path relative = fs::path(file).lexically_relative(in_folder);
        if (relative.empty())
            return std::nullopt;
        if (*relative.begin() != "..")
            return (out_folder / relative).lexically_normal().string();
        if (in_folder.filename() != out_folder.filename() || in_folder == in_folder.parent_path())
            return std::nullopt;
        in_folder = in_folder.parent_path();
        out_folder = out_folder.parent_path();
    }
}

} // namespace slimgrad
