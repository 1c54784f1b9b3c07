#pragma once

#include <string>

namespace slimgrad::slang_plugin {

/// -dump-ast writes a file into the working directory: as long as this lives, that is a folder of
/// its own, which goes with all that is in it.
class SyntaxDump {
  public:
    SyntaxDump();
    ~SyntaxDump();
    SyntaxDump(const SyntaxDump&) = delete;
    SyntaxDump& operator=(const SyntaxDump&) = delete;

    /// What has been written of the module of this file; "" where nothing has. Modules that it
    /// imports have files of their own.
    std::string text(const std::string& file) const;

  private:
    std::string before_; ///< the working directory
    std::string folder_; ///< "": there is none, and the working directory is as it was
};

} // namespace slimgrad::slang_plugin
