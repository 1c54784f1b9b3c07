#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace slimgrad {

/// A new empty folder for one test case, gone with everything in it at the end. Cases that run at
/// the same time in several processes do not meet.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// Path of `name` in the folder, as a string.
    std::string operator/(std::string_view name) const { return (path_ / name).string(); }
    /// Writes a file, with the folders above it, and returns its path.
    std::string write(std::string_view name, std::string_view text) const;
    /// The bytes of a file; fails the test case if there is none.
    std::string read(std::string_view name) const;

  private:
    std::filesystem::path path_;
};

} // namespace slimgrad
