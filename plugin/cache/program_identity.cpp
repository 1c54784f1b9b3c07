#include "plugin/cache/program_identity.h"

#include "rewriter/atomic_write.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_script = 64u << 10;
/// Of a launcher and what it leads to, other launchers included.
constexpr std::size_t most_programs = 64;

std::string real_path(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real.string();
}

std::string describe(const std::string& path, const struct stat& status) {
    return fmt::format("{} {} {}.{:09}\n", path, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
}

/// All that have the name: the first may be a wrapper that starts the next.
std::vector<std::string> on_path(std::string_view program) {
    std::vector<std::string> found;
    const char* variable = std::getenv("PATH");
    std::string_view folders = variable != nullptr ? variable : "";
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        const std::string candidate = fmt::format("{}/{}", folders.substr(0, end), program);
        std::error_code error;
        if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0)
            found.push_back(candidate);
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return found;
}

/// A name without a slash is looked up.
std::vector<std::string> paths_of(std::string_view program) {
    if (program.find('/') != std::string_view::npos)
        return {std::string(program)};
    return on_path(program);
}

/// "" where it is no script.
std::string script_text(const std::string& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        static_cast<std::uint64_t>(status.st_size) > longest_script)
        return "";
    Result<std::string> text = read_file(path, longest_script);
    return text && text->starts_with("#!") ? std::move(*text) : "";
}

/// The absolute paths in a script, as its quotes and blanks part them.
std::set<std::string> paths_in(std::string_view script) {
    constexpr std::string_view parts = " \t\n\"';|&()=";
    std::set<std::string> paths;
    while (!script.empty()) {
        const std::size_t end = std::min(script.find_first_of(parts), script.size());
        if (const std::string_view word = script.substr(0, end); word.starts_with('/'))
            paths.emplace(word);
        script.remove_prefix(std::min(end + 1, script.size()));
    }
    return paths;
}

} // namespace

std::string file_identity(const std::string& path) {
    const std::string real = real_path(path);
    struct stat status{};
    return stat(real.c_str(), &status) == 0 ? describe(real, status) : real + '\n';
}

std::vector<std::string> started_programs(std::string_view program) {
    std::vector<std::string> programs;
    for (const std::string& path : paths_of(program))
        programs.push_back(real_path(path));
    for (std::size_t i = 0; i < programs.size() && programs.size() < most_programs; ++i)
        for (const std::string& named : paths_in(script_text(programs[i])))
            if (std::string path = real_path(named);
                std::find(programs.begin(), programs.end(), path) == programs.end())
                programs.push_back(std::move(path));
    return programs;
}

std::string program_identity(std::string_view program) {
    std::string identity(program);
    for (const std::string& path : started_programs(program))
        identity += file_identity(path) + script_text(path);
    return identity;
}

std::string folder_identity(const std::string& folder, std::string_view prefix) {
    std::set<std::string> identities;
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error))
        if (file->path().filename().string().starts_with(prefix))
            identities.insert(file_identity(file->path().string()));
    std::string identity = folder + '\n';
    for (const std::string& one : identities)
        identity += one;
    return identity;
}

const std::string& own_identity() {
    // By the link of the kernel: it leads to the file that was started.
    static const std::string identity = [] {
        std::error_code error;
        struct stat status{};
        stat("/proc/self/exe", &status);
        return describe(fs::read_symlink("/proc/self/exe", error).string(), status);
    }();
    return identity;
}

std::string beside_this_program(std::string_view name) {
    std::error_code error;
    return (fs::read_symlink("/proc/self/exe", error).parent_path() / name).string();
}

std::string environment_identity(const std::vector<std::string_view>& names) {
    std::set<std::string> found;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view variable = *entry;
        const std::string_view own = variable.substr(0, variable.find('='));
        const bool wanted = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
            return name.ends_with('*') ? own.starts_with(name.substr(0, name.size() - 1))
                                       : own == name;
        });
        if (wanted)
            found.emplace(variable);
    }
    std::string identity;
    for (const std::string& variable : found)
        identity += variable + '\n';
    return identity;
}

} // namespace slimgrad
