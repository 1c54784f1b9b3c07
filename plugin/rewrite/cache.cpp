#include "plugin/rewrite/cache.h"

#include "plugin/rewrite/content_hash.h"
#include "rewriter/atomic_write.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

/// What stands before the value: it names the entry and vouches for its bytes.
std::string header(const std::string& key, std::string_view value) {
    return "slimgrad cache 1 " + key + ' ' + ContentHash().add_raw(value).hex() + '\n';
}

/// What the cache writes, and nothing else, is the cache's to remove.
bool is_key(std::string_view name) {
    return name.size() == 64 &&
           name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

} // namespace

std::string cache_folder() {
    if (std::string folder = variable("SLIMGRAD_CACHE_DIR"); !folder.empty())
        return folder;
    if (const std::string folder = variable("XDG_CACHE_HOME"); folder.starts_with('/'))
        return folder + "/slimgrad";
    if (const std::string home = variable("HOME"); home.starts_with('/'))
        return home + "/.cache/slimgrad";
    return "";
}

bool prepare_cache_folder(const std::string& folder) {
    std::error_code error;
    if (folder.empty())
        return false;
    if (fs::create_directories(folder, error))
        fs::permissions(folder, fs::perms::owner_all, error);
    struct stat status{};
    return stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0) && (status.st_mode & S_IWOTH) == 0;
}

Cache::Cache(std::string folder, std::uint64_t largest_bytes)
    : folder_(std::move(folder)), largest_bytes_(largest_bytes),
      usable_(prepare_cache_folder(folder_)) {}

std::optional<std::string> Cache::get(const std::string& key) const {
    if (!usable_)
        return std::nullopt;
    const std::string path = folder_ + '/' + key;
    const Result<std::string> entry = read_file(path, largest_bytes_);
    if (!entry)
        return std::nullopt;
    const std::size_t end = entry->find('\n');
    const std::string_view value =
        end == std::string::npos ? std::string_view() : std::string_view(*entry).substr(end + 1);
    if (end == std::string::npos || entry->substr(0, end + 1) != header(key, value)) {
        unlink(path.c_str());
        return std::nullopt;
    }
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // used now: the last to go
    return entry->substr(end + 1);
}

void Cache::put(const std::string& key, std::string_view value) const {
    if (!usable_)
        return;
    (void)write_file(folder_ + '/' + key, header(key, value).append(value));
    make_room();
}

void Cache::make_room() const {
    struct Entry {
        timespec used;
        std::uint64_t bytes;
        std::string path;
    };
    const std::time_t now = std::time(nullptr);
    std::vector<Entry> entries;
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator file(folder_, error), end; !error && file != end;
         file.increment(error)) {
        const std::string path = file->path().string(), name = file->path().filename().string();
        const bool temporary = name.starts_with(".slimgrad-") && name.ends_with(".tmp");
        struct stat status{};
        if ((!temporary && !is_key(name)) || lstat(path.c_str(), &status) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (temporary) {
            if (status.st_mtim.tv_sec < now - 3600) // of a process that was killed
                unlink(path.c_str());
            continue;
        }
        entries.push_back({status.st_mtim, static_cast<std::uint64_t>(status.st_size), path});
        bytes += entries.back().bytes;
    }
    if (bytes <= largest_bytes_)
        return;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
    });
    // A quarter more than needed, so that not every further entry has to make room.
    for (const Entry& entry : entries) {
        if (bytes <= largest_bytes_ / 4 * 3)
            break;
        unlink(entry.path.c_str());
        bytes -= entry.bytes;
    }
}

} // namespace slimgrad
