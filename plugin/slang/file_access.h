#pragma once

#include "rewriter/source_edit.h"

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::slang_plugin {

enum class ReadStatus { read, missing, refused, not_a_file, too_large, unreadable };

struct ReadResult {
    ReadStatus status = ReadStatus::missing;
    std::string text;
    int error = 0; ///< errno of unreadable
};

/// Something that was asked of the files, and the answer: what a result depends on.
struct FileLookup {
    enum class Question { path, kind, content };
    Question question = Question::path;
    std::string path;   ///< as it was asked for
    std::string answer; ///< the canonical path, and what is there
    auto operator<=>(const FileLookup&) const = default;
};
using FileLookups = std::set<FileLookup>;

/// The files that one compilation may read: overlay first, then the disk, and of the disk only
/// regular files of at most 64 MiB under the given folders once links are resolved. What it says of
/// a path outside them does not depend on what is there.
class FileAccess {
  public:
    static constexpr std::uint64_t largest_file = 64ull << 20;

    /// Keys of `overlay` are canonical paths; `folders` need not be.
    FileAccess(const FileTexts& overlay, const std::vector<std::string>& folders);

    enum class Kind { missing, file, folder, refused };
    Kind kind(std::string_view path);
    ReadResult read(std::string_view path);
    std::string canonical(std::string_view path);

    /// Everything that was asked so far.
    const FileLookups& lookups() const { return lookups_; }
    /// Asks the same again, here and now. False: the answer is another.
    bool still_holds(const FileLookup& lookup);

    /// Canonical paths of the files read, in the order of their first reading.
    const std::vector<std::string>& files_read() const { return files_read_; }
    /// Paths refused so far, spelled as they were asked for.
    const std::set<std::string>& refused() const { return refused_; }
    /// A position as Slang reports it, in our terms: the file's canonical path, where it was read
    /// under this spelling, and the column in bytes instead of characters.
    Place locate(Place place) const;

  private:
    bool allowed(const std::string& canonical) const;
    Kind find_kind(std::string_view path, const std::string& canonical);
    ReadResult find_text(std::string_view path, const std::string& canonical);

    const FileTexts& overlay_;
    std::vector<std::string> folders_;
    FileTexts texts_; ///< of what was read
    std::vector<std::string> files_read_;
    std::map<std::string, std::string> spellings_;
    std::set<std::string> refused_;
    FileLookups lookups_;
};

} // namespace slimgrad::slang_plugin
