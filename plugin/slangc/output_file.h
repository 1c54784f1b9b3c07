#pragma once

#include "rewriter/result.h"

#include <ctime>
#include <string>
#include <string_view>

namespace slimgrad::slangc {

/// The file that slangc writes to. Constructed before slangc runs.
///
/// slangc leaves a file alone that holds already what it would write, so that nothing is built
/// again that depends on it. It never finds its own bytes in a file that was rewritten; hence
/// `replace` gives the file its old time back where, in the end, nothing has changed.
class OutputFile {
  public:
    explicit OutputFile(std::string path);

    const std::string& path() const { return path_; }
    /// Whether there is a regular file now.
    bool is_there() const;
    /// Replaces slangc's text, as `replace_file` does.
    Result<void> replace(std::string_view expected, std::string_view text) const;

    /// Gives it the time of now, whatever is in it: newer than all that it was made from.
    void touch() const;

  private:
    std::string path_;
    std::string before_; ///< "" where there was none
    std::timespec time_before_{};
};

} // namespace slimgrad::slangc
