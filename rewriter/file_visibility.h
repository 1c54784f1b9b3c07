#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad {

/// Which files' declarations a file sees: those of its own module, of the modules that any file of
/// it imports, and of what these export again. `#include` and `__include` make one module of
/// several files. A file that two modules include sees what either sees. Where it cannot be told
/// how a file comes into the model, every file sees all.
class FileVisibility {
  public:
    /// `texts` are what the trees of the model were parsed from.
    FileVisibility(const ModuleModel& model, const std::vector<std::string>& texts);

    bool sees(std::uint32_t file, std::uint32_t other) const {
        return everything_ || sees_[file][other];
    }
    /// Whether both may be files of one module.
    bool is_same_module(std::uint32_t file, std::uint32_t other) const {
        return everything_ || same_module_[file][other];
    }
    /// Whether the file's module shows others only what says `public`: that of a `module`
    /// declaration.
    bool hides_by_default(std::uint32_t file) const { return !everything_ && hides_[file]; }

  private:
    using Files = std::vector<bool>;

    bool everything_ = false;
    std::vector<Files> sees_, same_module_;
    Files hides_;
};

} // namespace slimgrad
