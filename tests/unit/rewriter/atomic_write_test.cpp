#include "rewriter/atomic_write.h"

#include "temporary_folder.h"

#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using slimgrad::read_file;
using slimgrad::replace_file;
using slimgrad::Result;
using slimgrad::TemporaryFolder;
using slimgrad::write_file;

namespace {

namespace fs = std::filesystem;

std::string message(const Result<void>& result) {
    return result ? "done" : result.error().message;
}

struct stat status(const std::string& path) {
    struct stat result{};
    REQUIRE(::lstat(path.c_str(), &result) == 0);
    return result;
}

std::size_t entries(const TemporaryFolder& folder) {
    return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

/// Sets a time stamp that no test reaches, to see whether a file is touched.
void make_old(const std::string& path) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
}

} // namespace

TEST_CASE("atomic_write: replaces the bytes and leaves nothing else") {
    const TemporaryFolder folder;
    const std::string path = folder.write("a.slang", "old\r\n");
    CHECK(message(replace_file(path, "old\r\n", "new")) == "done");
    CHECK(folder.read("a.slang") == "new");
    CHECK(entries(folder) == 1);
}

TEST_CASE("atomic_write: a reader sees the old file or the new one") {
    const TemporaryFolder folder;
    const std::string path = folder.write("a.slang", "old");
    const ino_t before = status(path).st_ino;
    CHECK(message(replace_file(path, "old", "new")) == "done");
    CHECK(status(path).st_ino != before); // renamed into place, not written over
}

TEST_CASE("atomic_write: equal text does not touch the file") {
    const TemporaryFolder folder;
    const std::string path = folder.write("a.slang", "same");
    make_old(path);
    const struct stat before = status(path);
    CHECK(message(replace_file(path, "same", "same")) == "done");
    CHECK(status(path).st_ino == before.st_ino);
    CHECK(status(path).st_mtime == before.st_mtime);
}

TEST_CASE("atomic_write: mode and owner are kept") {
    const TemporaryFolder folder;
    for (const mode_t mode : {0644, 0600, 0755, 0640, 0664, 0200 | 0444}) {
        const std::string path = folder.write("a.slang", "old");
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        if (::geteuid() == 0)
            REQUIRE(::chown(path.c_str(), 1234, 5678) == 0);
        const struct stat before = status(path);
        CHECK(message(replace_file(path, "old", "new")) == "done");
        CHECK((status(path).st_mode & 07777) == mode);
        CHECK(status(path).st_uid == before.st_uid);
        CHECK(status(path).st_gid == before.st_gid);
        fs::remove(path);
    }
}

TEST_CASE("atomic_write: a symbolic link stays one") {
    const TemporaryFolder folder;
    folder.write("real/a.slang", "old");
    fs::create_symlink("real/a.slang", folder.path() / "link.slang");
    fs::create_symlink("link.slang", folder.path() / "link-to-link.slang");
    CHECK(message(replace_file(folder / "link-to-link.slang", "old", "new")) == "done");
    CHECK(fs::is_symlink(folder.path() / "link.slang"));
    CHECK(fs::is_symlink(folder.path() / "link-to-link.slang"));
    CHECK_FALSE(fs::is_symlink(folder.path() / "real/a.slang"));
    CHECK(folder.read("real/a.slang") == "new");
    CHECK(entries(folder) == 3);
}

TEST_CASE("atomic_write: what is written through a link is the file behind it") {
    const TemporaryFolder folder;
    folder.write("real/lock", "old");
    fs::create_symlink("real/lock", folder.path() / "lock");
    CHECK(message(write_file(folder / "lock", "new")) == "done");
    CHECK(fs::is_symlink(folder.path() / "lock"));
    CHECK(folder.read("real/lock") == "new");
    fs::create_symlink("nowhere", folder.path() / "dangling");
    CHECK(message(write_file(folder / "dangling", "new")) ==
          "is a symbolic link to a file that is not there");
    CHECK(fs::is_symlink(folder.path() / "dangling"));
}

TEST_CASE("atomic_write: a file that changed in the meantime is left alone") {
    const TemporaryFolder folder;
    const std::string expected = "was changed by another program in the meantime; left as it is";
    for (const std::string_view now : {"Old", "older", "", "o"}) {
        const std::string path = folder.write("a.slang", now);
        CHECK(message(replace_file(path, "old", "new")) == expected);
        CHECK(message(replace_file(path, "old", "old")) == expected);
        CHECK(folder.read("a.slang") == now);
    }
    CHECK(entries(folder) == 1);
}

TEST_CASE("atomic_write: a read-only file is refused, for root too") {
    const TemporaryFolder folder;
    const std::string path = folder.write("a.slang", "old");
    REQUIRE(::chmod(path.c_str(), 0444) == 0);
    CHECK(message(replace_file(path, "old", "new")) == "is read-only; left as it is");
    CHECK(folder.read("a.slang") == "old");
    CHECK((status(path).st_mode & 07777) == 0444);
    CHECK(entries(folder) == 1);
}

TEST_CASE("atomic_write: what is not a regular file is refused") {
    const TemporaryFolder folder;
    CHECK(message(replace_file(folder / "none", "", "x")) ==
          "cannot be opened: No such file or directory");
    CHECK(message(replace_file(folder.path(), "", "x")) == "is a directory");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(message(replace_file(folder / "pipe", "", "x")) == "is not a regular file");
    fs::create_symlink("nowhere", folder.path() / "dangling");
    CHECK(message(replace_file(folder / "dangling", "", "x")) ==
          "cannot be opened: No such file or directory");
}

TEST_CASE("atomic_write: an error names the file as the caller does") {
    const TemporaryFolder folder;
    folder.write("a.slang", "old");
    fs::create_symlink("a.slang", folder.path() / "link.slang");
    const auto result = replace_file(folder / "link.slang", "other", "new");
    REQUIRE_FALSE(result);
    CHECK(result.error().place.file == folder / "link.slang");
}

TEST_CASE("atomic_write: when the text cannot be written the original stays") {
    // A limit on the file size stops the write half way, as a full disk does. In a child, because
    // it cannot be raised again.
    const TemporaryFolder folder;
    const std::string path = folder.write("a.slang", "old");
    const std::string text(1 << 20, 'x');
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{4096, 4096};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
            ::_exit(2);
        const Result<void> replaced = replace_file(path, "old", text);
        const Result<void> written = write_file(folder / "b.slang", text);
        const std::string expected = "cannot be written: File too large";
        ::_exit(message(replaced) == expected && message(written) == expected ? 0 : 1);
    }
    int exit_status = -1;
    REQUIRE(::waitpid(child, &exit_status, 0) == child);
    CHECK(exit_status == 0);
    CHECK(folder.read("a.slang") == "old");
    CHECK(entries(folder) == 1); // no temporary, no b.slang
}

TEST_CASE("atomic_write: a folder that cannot be written is named") {
    const TemporaryFolder folder;
    const std::string path = folder.write("locked/a.slang", "old");
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    REQUIRE(::chmod((folder / "locked").c_str(), 0555) == 0);
    const uid_t user = ::geteuid() == 0 ? 1234 : ::geteuid(); // permissions do not hold for root
    if (::geteuid() == 0)
        REQUIRE(::chown(path.c_str(), user, -1) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (::geteuid() == 0 && ::setresuid(user, user, user) != 0)
            ::_exit(2);
        const Result<void> result = replace_file(path, "old", "new");
        const bool right =
            message(result) == "cannot create a file in this directory: Permission denied" &&
            result.error().place.file == folder / "locked";
        ::_exit(right ? 0 : 1);
    }
    int exit_status = -1;
    REQUIRE(::waitpid(child, &exit_status, 0) == child);
    CHECK(exit_status == 0);
    CHECK(folder.read("locked/a.slang") == "old");
    REQUIRE(::chmod((folder / "locked").c_str(), 0755) == 0);
}

TEST_CASE("atomic_write: write_file creates folders and replaces") {
    const TemporaryFolder folder;
    CHECK(message(write_file(folder / "x/y/a.txt", "1")) == "done");
    CHECK(folder.read("x/y/a.txt") == "1");
    CHECK(message(write_file(folder / "x/y/a.txt", "2")) == "done");
    CHECK(folder.read("x/y/a.txt") == "2");
    CHECK(message(write_file(folder / "empty", "")) == "done");
    CHECK(folder.read("empty").empty());
}

TEST_CASE("atomic_write: write_file gives a new file the user's mode") {
    const TemporaryFolder folder;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    CHECK(message(write_file(folder / "a", "1")) == "done");
    CHECK((status(folder / "a").st_mode & 07777) == (0666 & ~mask));
}

TEST_CASE("atomic_write: write_file keeps the time stamp of a file that has the bytes") {
    const TemporaryFolder folder;
    const std::string path = folder.write("a", "same");
    make_old(path);
    const struct stat before = status(path);
    CHECK(message(write_file(path, "same")) == "done");
    CHECK(status(path).st_mtime == before.st_mtime);
    CHECK(message(write_file(path, "else")) == "done");
    CHECK(status(path).st_mtime > before.st_mtime);
}

TEST_CASE("atomic_write: write_file refuses what it cannot replace") {
    const TemporaryFolder folder;
    folder.write("file", "x");
    CHECK(message(write_file(folder.path(), "x")) == "is a directory");
    CHECK(message(write_file(folder / "file/below", "x")) ==
          "cannot create its directory: Not a directory");
}

TEST_CASE("read_file: bytes as they are") {
    const TemporaryFolder folder;
    const std::string bytes("\xEF\xBB\xBF"
                            "a\r\n\0b\xFF",
                            9);
    CHECK(read_file(folder.write("a", bytes)) == bytes);
    CHECK(read_file(folder.write("empty", "")) == "");
    const std::string large(20'000'000, ' ');
    CHECK(read_file(folder.write("large", large)) == large);
}

TEST_CASE("read_file: errors") {
    const TemporaryFolder folder;
    const auto error = [](const std::string& path, std::uint64_t limit = 100) {
        const Result<std::string> result = read_file(path, limit);
        return result ? "read" : result.error().message;
    };
    CHECK(error(folder / "none") == "cannot be opened: No such file or directory");
    CHECK(error(folder.path()) == "is a directory");
    CHECK(error("/dev/null") == "is not a regular file");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(error(folder / "pipe") == "is not a regular file"); // and does not wait for a writer
    const std::string path = folder.write("a", "12345");
    CHECK(error(path, 5) == "read");
    CHECK(error(path, 4) == "has 5 bytes, more than the limit of 4");
    CHECK(read_file(folder / "none").error().place.file == folder / "none");
}

TEST_CASE("read_file: the limit holds for files that do not tell their size") {
    CHECK(read_file("/proc/self/status", 1 << 20)->starts_with("Name:"));
    CHECK_FALSE(read_file("/proc/self/status", 10));
}
