#include "plugin/slangc/find_slangc.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace slimgrad::slangc {
namespace {

namespace fs = std::filesystem;

/// Set for those below; nobody else's to set.
constexpr const char* marker = "SLIMGRAD_SLANGC_STARTED";

} // namespace

std::string own_path() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).string();
}

Result<std::string> find_slangc() {
    const char* variable = std::getenv("SLIMGRAD_SLANGC");
    const bool named = variable != nullptr && *variable != '\0';
    const std::string path = named ? variable : SLIMGRAD_BUILT_WITH_SLANGC;
    const std::string from = named ? "SLIMGRAD_SLANGC=" : "";
    std::error_code error;
    if (!fs::is_regular_file(path, error) || access(path.c_str(), X_OK) != 0)
        return fail(
            fmt::format("{}{} is not a program; set SLIMGRAD_SLANGC to slangc", from, path));
    if (std::getenv(marker) != nullptr || fs::equivalent(path, "/proc/self/exe", error))
        return fail(fmt::format(
            "{}{} starts slimgrad-slangc again; set SLIMGRAD_SLANGC to slangc itself", from, path));
    return path;
}

void mark_as_started() {
    setenv(marker, "1", 1);
}

} // namespace slimgrad::slangc
