#include "plugin/slang/file_access.h"
#include "plugin/process/unique_fd.h"
#include "plugin/rewrite/content_hash.h"
#include "plugin/slang/byte_column.h"
#include "plugin/slang/paths.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slimgrad::slang_plugin {
namespace {

ReadResult read_open_file(int fd) {
    struct stat info{};
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

std::string FileAccess::canonical(std::string_view path) {
    std::string canonical = canonical_path(path);
    lookups_.insert({FileLookup::Question::path, std::string(path), canonical});
    return canonical;
}

FileAccess::Kind FileAccess::kind(std::string_view path) {
    const std::string canonical = canonical_path(path);
    const Kind kind = find_kind(path, canonical);
    lookups_.insert({FileLookup::Question::kind, std::string(path),
                     std::to_string(static_cast<int>(kind)) + ' ' + canonical});
    return kind;
}

FileAccess::Kind FileAccess::find_kind(std::string_view path, const std::string& canonical) {
    if (overlay_.contains(canonical))
        return Kind::file;
    if (!allowed(canonical)) {
        refused_.emplace(path);
        return Kind::refused;
    }
    struct stat info{};
    if (stat(canonical.c_str(), &info) != 0)
        return Kind::missing;
    return S_ISDIR(info.st_mode) ? Kind::folder : Kind::file;
}

ReadResult FileAccess::read(std::string_view path) {
    const std::string canonical = canonical_path(path);
    ReadResult result = find_text(path, canonical);
    lookups_.insert({FileLookup::Question::content, std::string(path),
                     std::to_string(static_cast<int>(result.status)) + ' ' +
                         ContentHash().add(canonical).add(result.text).hex()});
    return result;
}

bool FileAccess::still_holds(const FileLookup& lookup) {
    switch (lookup.question) {
    case FileLookup::Question::path:
        canonical(lookup.path);
        break;
    case FileLookup::Question::kind:
        kind(lookup.path);
        break;
    case FileLookup::Question::content:
        read(lookup.path);
        break;
    }
    return lookups_.contains(lookup);
}

ReadResult FileAccess::find_text(std::string_view path, const std::string& canonical) {
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
            return errno == ENOENT || errno == ENOTDIR
                       ? ReadResult{ReadStatus::missing, {}, 0}
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

} // namespace slimgrad::slang_plugin
