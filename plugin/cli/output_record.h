#pragma once

#include "plugin/cli/folder_lock.h"

#include <map>
#include <optional>
#include <string>

namespace slimgrad {

/// What `preprocess` needs at one place beside an output: a header's copy, or nothing that differs
/// from the header itself.
struct NeededFile {
    std::string source;         ///< whose copy it is
    std::string original, text; ///< hashes: of the source, and of what has to be found at the place
};

/// By place, a canonical path.
using NeededFiles = std::map<std::string, NeededFile>;

/// Which files each output of `preprocess` in one folder needs there, in a file
/// `.slimgrad-outputs`: two shaders in one folder may share a header, and what one of them has
/// changed in its copy the other would include, unverified. Holds the folder's lock.
class OutputRecord {
  public:
    /// Of the output's folder, which is made if need be. A record that cannot be read counts as
    /// empty.
    explicit OutputRecord(const std::string& output);

    /// Why this output cannot stand there with what it needs: another one, which is still there,
    /// needs something else of the same source. One that was made of an older text is made again
    /// anyway, and says it then.
    std::optional<std::string> conflict(const NeededFiles& needed) const;

    /// Notes what this output needs. A folder that cannot be written to says so with the output.
    void write(const NeededFiles& needed);

  private:
    std::string output_, path_;
    FolderLock lock_;
    std::map<std::string, NeededFiles> outputs_;
};

} // namespace slimgrad
