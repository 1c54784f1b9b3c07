#include "plugin/slang/file_access.h"
#include "plugin/process/unique_fd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slimgrad::slang_plugin {
namespace {

constexpr int most_links = 40; // as the kernel

std::string working_directory() {
    std::array<char, PATH_MAX> buffer;
    return getcwd(buffer.data(), buffer.size()) ? buffer.data() : "/";
}

/// The first component of `path`, which is shortened by it and by the slashes around it.
std::string_view take_component(std::string_view& path) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    std::string_view component = path.substr(0, path.find('/'));
    path.remove_prefix(component.size());
    return component;
}

bool is_link(const std::string& path, std::string& target) {
    std::array<char, PATH_MAX> buffer;
    ssize_t length = readlink(path.c_str(), buffer.data(), buffer.size());
    if (length < 0)
        return false;
    target.assign(buffer.data(), static_cast<std::size_t>(length));
    return true;
}

ReadResult read_open_file(int fd) {
    struct stat info {};
    if (fstat(fd, &info) != 0)
        return {ReadStatus::unreadable, {}, errno};
    if (!S_ISREG(info.st_mode))
        return {ReadStatus::not_a_file, {}, 0};
    if (static_cast<std::uint64_t>(info.st_size) > FileAccess::largest_file)
        return {ReadStatus::too_large, {}, 0};
    ReadResult result{ReadStatus::read, {}, 0};
    std::array<char, 65536> buffer;
    ssize_t got;
    while ((got = read(fd, buffer.data(), buffer.size())) != 0) {
        if (got < 0 && errno != EINTR)
            return {ReadStatus::unreadable, {}, errno};
        if (got > 0)
            result.text.append(buffer.data(), static_cast<std::size_t>(got));
        if (result.text.size() > FileAccess::largest_file) // it grew meanwhile
            return {ReadStatus::too_large, {}, 0};
    }
    return result;
}

} // namespace

std::string canonical_path(std::string_view path) {
    std::string pending(path);
    // As slangc does: shaders written elsewhere name their includes with backslashes.
    std::replace(pending.begin(), pending.end(), '\\', '/');
    std::string done = pending.starts_with('/') ? "" : working_directory();
    if (done == "/")
        done.clear();
    int links = 0;
    std::string_view rest = pending;
    for (std::string_view component; !(component = take_component(rest)).empty();) {
        if (component == ".")
            continue;
        if (component == "..") {
            done.erase(std::min(done.rfind('/'), done.size()));
            continue;
        }
        std::string next = done + '/' + std::string(component);
        std::string target;
        if (!is_link(next, target)) {
            done = std::move(next);
            continue;
        }
        if (++links > most_links)
            return {};
        if (target.starts_with('/'))
            done.clear();
        pending = target + std::string(rest);
        rest = pending;
    }
    return done.empty() ? "/" : done;
}

FileAccess::FileAccess(const FileTexts& overlay, const std::vector<std::string>& folders)
    : overlay_(overlay) {
    for (const std::string& folder : folders)
        if (std::string canonical = canonical_path(folder); !canonical.empty())
            folders_.push_back(std::move(canonical));
}

bool FileAccess::allowed(const std::string& canonical) const {
    return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
        return folder == "/" || canonical == folder ||
               (canonical.starts_with(folder) && canonical[folder.size()] == '/');
    });
}

FileAccess::Kind FileAccess::kind(std::string_view path) {
    const std::string canonical = canonical_path(path);
    if (overlay_.contains(canonical))
        return Kind::file;
    if (!allowed(canonical)) {
        refused_.emplace(path);
        return Kind::refused;
    }
    struct stat info {};
    if (stat(canonical.c_str(), &info) != 0)
        return Kind::missing;
    return S_ISDIR(info.st_mode) ? Kind::folder : Kind::file;
}

ReadResult FileAccess::read(std::string_view path) {
    const std::string canonical = canonical_path(path);
    ReadResult result;
    if (auto text = overlay_.find(canonical); text != overlay_.end()) {
        result = {ReadStatus::read, text->second, 0};
    } else if (!allowed(canonical)) {
        refused_.emplace(path);
        return {ReadStatus::refused, {}, 0};
    } else {
        // Not blocking: a pipe without a writer would hold us here.
        UniqueFd file(open(canonical.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
        if (!file)
            return errno == ENOENT || errno == ENOTDIR ? ReadResult{ReadStatus::missing, {}, 0}
                                                       : ReadResult{ReadStatus::unreadable, {}, errno};
        result = read_open_file(file.get());
    }
    if (result.status != ReadStatus::read)
        return result;
    spellings_.emplace(path, canonical);
    texts_.emplace(canonical, result.text);
    if (std::find(files_read_.begin(), files_read_.end(), canonical) == files_read_.end())
        files_read_.push_back(canonical);
    return result;
}

Place FileAccess::locate(Place place) const {
    if (place.line == 0)
        return {}; // "nowhere" has an empty file, or the name of a builtin one
    auto found = spellings_.find(place.file);
    if (found == spellings_.end())
        return place;
    place.file = found->second;
    place.column = byte_column(texts_.at(place.file), place.line, place.column);
    return place;
}

std::uint32_t byte_column(std::string_view text, std::uint32_t line, std::uint32_t column) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    for (; line > 1; --line) {
        const auto end = text.find_first_of("\r\n");
        if (end == std::string_view::npos)
            return column;
        const std::string_view both = text.substr(end, 2);
        text.remove_prefix(end + (both == "\r\n" || both == "\n\r" ? 2 : 1));
    }
    std::size_t at = 0;
    auto byte = [&] { return static_cast<unsigned char>(text[at]); };
    for (; column > 1 && at < text.size(); --column)
        if (bool several = byte() >= 0x80; ++at, several)
            while (at < text.size() && (byte() & 0xc0) == 0x80)
                ++at;
    return static_cast<std::uint32_t>(at) + column;
}

} // namespace slimgrad::slang_plugin
