#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Where a module's text may be another one in another build: what stands between #if and #endif,
/// in the branches that are not taken, too, and files that are included there. The macro that keeps
/// a header from being read twice is no such condition.
class ConditionalText {
  public:
    /// The model has to outlive it.
    explicit ConditionalText(const ModuleModel& model);

    /// The directive of an #if or #include that decides what a reader at `reader` finds at `site`;
    /// nothing where no build that has the reader has another text there. What stands in one branch
    /// with its reader is the same for it.
    std::optional<Site> deciding(Site site, Site reader) const;

    /// The same for all that the trips of a loop may rest on in its function: heads of loops, what
    /// may set a variable that these rest on up to the end of the loops around it, and functions
    /// that are called there with a variable that they might set.
    std::optional<Site> deciding(Index loop) const;

    /// The same for which calls of the call's function there are, and for what its arguments rest
    /// on in the function around it.
    std::optional<Site> deciding_call(Index call, Site reader) const;

    /// The same for the declaration of a file-level constant: "K", "S.N", "Mode.Fast".
    std::optional<Site> deciding(const std::string& constant, Site reader) const;

  private:
    /// From #if to #endif.
    struct Group {
        ByteRange range;
        ByteRange directive; ///< the #if
    };
    struct Include {
        std::uint32_t from = 0, to = 0;
        Site directive;
        bool is_conditional = false;
        bool by_macro = false; ///< its name is a macro's value
    };
    class Reader;

    void read_file(std::uint32_t file);
    void follow_includes();
    bool chooses_attributes(Index loop, Site group) const;
    std::optional<Site> deciding_statements(Index loop, Site text, Site reader) const;
    std::optional<Site> enumeration(std::string_view constant, Site reader) const;

    const ModuleModel& model_;
    std::vector<std::vector<Group>> groups_; ///< per file
    std::vector<Include> includes_;
    std::vector<std::optional<Site>> included_by_; ///< per file: the directive of a condition
};

} // namespace slimgrad
