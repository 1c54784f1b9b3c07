#include "plugin/process/temporary_directory.h"

#include "plugin/process/stop_signals.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace slimgrad {

namespace {

constexpr std::string_view prefix = "slimgrad-";

/// Removes folders of processes that are gone: SIGKILL leaves no time to do it oneself. The name
/// holds the process. Only after a day: a container that shares the folder has processes that
/// cannot be seen from here.
void sweep(const std::filesystem::path& parent) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(prefix))
            continue;
        pid_t owner = 0;
        const char* begin = name.data() + prefix.size();
        const auto [after, code] = std::from_chars(begin, name.data() + name.size(), owner);
        if (code != std::errc{} || after == begin || *after != '-' || owner <= 0 ||
            kill(owner, 0) == 0 || errno != ESRCH)
            continue;
        std::error_code ignored; // another user's
        const auto age =
            std::filesystem::file_time_type::clock::now() - entry->last_write_time(ignored);
        if (age > std::chrono::hours(24) && !entry->is_symlink(ignored))
            std::filesystem::remove_all(entry->path(), ignored);
    }
}

} // namespace

Result<TemporaryDirectory> TemporaryDirectory::create() {
    std::error_code error;
    std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error)
        return fail(fmt::format("no temporary directory: {}; set TMPDIR to a folder that can be "
                                "written",
                                error.message()));
    static std::once_flag swept;
    std::call_once(swept, sweep, parent);
    std::string path = (parent / fmt::format("{}{}-XXXXXX", prefix, getpid())).string();
    if (mkdtemp(path.data()) == nullptr)
        return fail(
            fmt::format("cannot create a folder in {}: {}", parent.string(), std::strerror(errno)));
    add_folder_to_clean_up(path);
    return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
    if (this != &other) {
        remove();
        path_ = std::exchange(other.path_, {});
    }
    return *this;
}

TemporaryDirectory::~TemporaryDirectory() {
    remove();
}

void TemporaryDirectory::remove() noexcept {
    std::error_code ignored; // what cannot be removed is left to the system's cleaning of /tmp
    if (path_.empty())
        return;
    std::filesystem::remove_all(path_, ignored);
    forget_folder(path_);
}

} // namespace slimgrad
