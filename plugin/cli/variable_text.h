#pragma once

#include "plugin/cli/placed_lines.h"
#include "rewriter/variable_flow.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// The reason for which none of the function's uses carries a derivative, where that is one and the
/// same: "'main' is not differentiable".
std::optional<std::string> common_reason(const FunctionFlow& flow);

/// Says for a person where the values of a function's variables come from and where they go.
class VariableText {
  public:
    /// `reasons`: whether to say what becomes of derivatives.
    VariableText(const ModuleModel& model, const FunctionFlow& flow, Index function, bool reasons)
        : model_(model), flow_(flow), file_(model.functions[function].site.file),
          reasons_(reasons) {}

    /// Adds one line, or one for the variable and one for each group of definitions and uses where
    /// there are many. Places in the function's file are given as `line:column`. Nothing is added
    /// for a variable that is neither set after its declaration nor used, nor for a name that the
    /// module does not declare.
    void add_to(PlacedLines& lines, Index variable, int depth) const;

  private:
    struct Group {
        Site first;
        std::string words;
    };

    std::string head(const Variable& variable) const;
    void add_definitions(Index variable, const PlacedLines& lines,
                         std::vector<Group>& groups) const;
    void add_uses(Index variable, const PlacedLines& lines, std::vector<Group>& groups) const;
    std::string shown(Site site, const PlacedLines& lines) const;

    const ModuleModel& model_;
    const FunctionFlow& flow_;
    std::uint32_t file_;
    bool reasons_;
};

} // namespace slimgrad
