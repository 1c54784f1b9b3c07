#pragma once

#include "rewriter/module_model.h"
#include "rewriter/source_edit.h"

#include <vector>

namespace slimgrad {

/// What the user keeps as it is: `// slimgrad: keep` behind a line of code, or above it. The line
/// is kept; where it belongs to the head of a function or a loop, so is all of that head,
/// attributes included, and where a call begins on it, all of the call. What stands in the braces
/// is not.
class Pins {
  public:
    /// The model has to outlive it.
    explicit Pins(const ModuleModel& model);

    /// Whether the edit would change something that is kept.
    bool keep(const SourceEdit& edit) const;

  private:
    void read_file(std::uint32_t file);
    void pin_line(std::uint32_t file, ByteRange line);

    const ModuleModel& model_;
    std::vector<std::vector<ByteRange>> kept_; ///< per file
};

} // namespace slimgrad
