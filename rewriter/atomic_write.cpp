#include "rewriter/atomic_write.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace slimgrad {

namespace {

namespace fs = std::filesystem;

std::string reason() {
    return std::strerror(errno);
}

class FileDescriptor {
  public:
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    ~FileDescriptor() {
        if (fd_ >= 0)
            ::close(fd_);
    }
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    /// Closes now, and says whether all that was written has been taken.
    bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

  private:
    int fd_;
};

/// A new file in `directory` that is gone again unless it has been renamed.
class TemporaryFile {
  public:
    static Result<TemporaryFile> create(const fs::path& directory) {
        for (int attempt = 0; attempt < 100; ++attempt) {
            std::string path = directory / fmt::format(".slimgrad-{}-{}.tmp", ::getpid(), attempt);
            // Not mkstemp: the mode of a new file is the user's umask's business.
            FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
            if (fd)
                return TemporaryFile(std::move(path), std::move(fd));
            if (errno != EEXIST)
                return fail("cannot create a file in this directory: " + reason(), {directory});
        }
        return fail("is full of files .slimgrad-*.tmp that were left behind; remove them",
                    {directory});
    }
    TemporaryFile(TemporaryFile&& other) noexcept
        : path_(std::exchange(other.path_, {})), fd_(std::move(other.fd_)) {}
    ~TemporaryFile() {
        if (!path_.empty())
            ::unlink(path_.c_str());
    }

    /// Gives it the owner (where permitted) and the mode of another file.
    bool copy_permissions(const struct stat& original) {
        mode_t mode = original.st_mode & 07777;
        const bool owned = ::fchown(fd_.get(), original.st_uid, original.st_gid) == 0 ||
                           ::fchown(fd_.get(), -1, original.st_gid) == 0;
        if (!owned)
            mode &= 0777; // set-group-ID for a group of its own would be a new right
        return ::fchmod(fd_.get(), mode) == 0;
    }

    bool write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = ::write(fd_.get(), text.data(), text.size());
            if (count < 0 && errno != EINTR)
                return false;
            if (count > 0)
                text.remove_prefix(static_cast<std::size_t>(count));
        }
        // Some file systems report a full disk only here.
        return ::fsync(fd_.get()) == 0 && fd_.close();
    }

    bool rename_to(const fs::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0)
            return false;
        path_.clear();
        return true;
    }

  private:
    TemporaryFile(std::string path, FileDescriptor fd)
        : path_(std::move(path)), fd_(std::move(fd)) {}

    std::string path_;
    FileDescriptor fd_;
};

/// Makes a rename in `directory` last. The file is whole with either text, so a failure is not one
/// of the write.
void sync_directory(const fs::path& directory) {
    const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd)
        ::fsync(fd.get());
}

/// Error: the file does not hold `expected`. Messages name the file as the user does, by `path`.
Result<void> check_unchanged(const fs::path& target, std::string_view expected,
                             const std::string& path) {
    struct stat status;
    if (::stat(target.c_str(), &status) != 0)
        return fail("cannot be opened: " + reason(), {path});
    bool same = static_cast<std::uint64_t>(status.st_size) == expected.size();
    if (same) {
        Result<std::string> current = read_file(target, expected.size());
        if (!current)
            return fail(std::move(current.error().message), {path});
        same = *current == expected;
    }
    if (!same)
        return fail("was changed by another program in the meantime; left as it is", {path});
    return {};
}

/// Replaces or creates `target`. `expected` is what it must hold at the last moment before that, if
/// given.
Result<void> write_whole(const fs::path& target, const std::optional<struct stat>& original,
                         std::optional<std::string_view> expected, std::string_view text,
                         const std::string& path) {
    Result<TemporaryFile> temporary = TemporaryFile::create(target.parent_path());
    if (!temporary)
        return tl::unexpected(std::move(temporary.error()));
    if (original && !temporary->copy_permissions(*original))
        return fail("cannot be replaced with the same mode: " + reason(), {path});
    if (!temporary->write(text))
        return fail("cannot be written: " + reason(), {path});
    if (expected)
        if (Result<void> unchanged = check_unchanged(target, *expected, path); !unchanged)
            return unchanged;
    if (!temporary->rename_to(target))
        return fail("cannot be replaced: " + reason(), {path});
    sync_directory(target.parent_path());
    return {};
}

/// The file itself behind symbolic links. Error: missing, or not a regular file.
struct Target {
    fs::path path;
    struct stat status;
};

Result<Target> resolve(const std::string& path) {
    std::error_code error;
    Target target{fs::canonical(path, error), {}};
    if (error)
        return fail("cannot be opened: " + error.message(), {path});
    if (::stat(target.path.c_str(), &target.status) != 0)
        return fail("cannot be opened: " + reason(), {path});
    if (!S_ISREG(target.status.st_mode))
        return fail(S_ISDIR(target.status.st_mode) ? "is a directory" : "is not a regular file",
                    {path});
    return target;
}

} // namespace

Result<void> replace_file(const std::string& path, std::string_view expected,
                          std::string_view text) {
    const Result<Target> target = resolve(path);
    if (!target)
        return tl::unexpected(target.error());
    if (Result<void> unchanged = check_unchanged(target->path, expected, path); !unchanged)
        return unchanged;
    if (text == expected)
        return {};
    // A rename needs no permission of the file itself, and root none at all: ask the file all the
    // same.
    if ((target->status.st_mode & S_IWUSR) == 0 || ::access(target->path.c_str(), W_OK) != 0)
        return fail("is read-only; left as it is", {path});
    return write_whole(target->path, target->status, expected, text, path);
}

Result<void> write_file(const std::string& path, std::string_view text) {
    std::error_code error;
    fs::path wanted = fs::absolute(path, error);
    if (wanted.filename().empty() || fs::is_directory(wanted, error))
        return fail("is a directory", {path});
    if (!fs::exists(wanted, error)) {
        if (fs::is_symlink(wanted, error)) // a rename would put a file in place of the link
            return fail("is a symbolic link to a file that is not there", {path});
        fs::create_directories(wanted.parent_path(), error);
        if (error)
            return fail("cannot create its directory: " + error.message(), {path});
        return write_whole(wanted, std::nullopt, std::nullopt, text, path);
    }
    const Result<Target> target = resolve(path);
    if (!target)
        return tl::unexpected(target.error());
    const Result<std::string> current = read_file(target->path, text.size());
    if (current && *current == text)
        return {};
    return write_whole(target->path, target->status, std::nullopt, text, path);
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
    // Non-blocking: opening a pipe would wait for its writer.
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status;
    if (!fd || ::fstat(fd.get(), &status) != 0)
        return fail("cannot be opened: " + reason(), {path});
    if (S_ISDIR(status.st_mode))
        return fail("is a directory", {path});
    if (!S_ISREG(status.st_mode))
        return fail("is not a regular file", {path});
    const auto too_large = [&](std::uint64_t size) {
        return fail(fmt::format("has {} bytes, more than the limit of {}", size, limit), {path});
    };
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > limit)
        return too_large(size);
    // One byte more than there should be tells a file that grows from one that is read whole.
    std::string text(size + 1, '\0');
    std::size_t used = 0;
    for (;;) {
        const ssize_t count = ::read(fd.get(), text.data() + used, text.size() - used);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail("cannot be read: " + reason(), {path});
        if (count == 0)
            break;
        used += static_cast<std::size_t>(count);
        if (used > limit)
            return too_large(used);
        if (used == text.size())
            text.resize(text.size() * 2);
    }
    text.resize(used);
    return text;
}

} // namespace slimgrad
