#pragma once

#include "attributes/rule.h"

#include <optional>
#include <string_view>
#include <vector>

namespace slimgrad {

/// One note for each file of the module with text that could not be parsed, at the first place of
/// it, and one for each place that nests too deep to be examined, and each comment without an end.
std::vector<Finding> syntax_error(const RuleInput& input);

/// What is wrong with a file whose tree has errors. Where slangc rejects the module, too, the place
/// is the brace that was not closed if there is one, else slangc's own on the same line.
Error first_syntax_error(const ModuleModel& model, const CompileResult& compiled,
                         std::uint32_t file);

/// Where a block comment begins that runs to the end of the file.
std::optional<Site> comment_to_the_end(const ModuleModel& model, std::uint32_t file);

inline constexpr std::string_view comment_not_closed =
    "this comment is not closed: it goes on to the end of the file";
inline constexpr std::string_view nests_too_deep =
    "nests too deep to be examined: nothing inside is examined or edited";

inline constexpr std::string_view included_inside =
    "the text that is included here is not read: nothing around it is examined or edited";

/// Whether some text of the module could not be read: what it calls and writes is not known then.
bool has_syntax_error(const ModuleModel& model);

/// Whether the site, or the function that it stands in, overlaps text that could not be read: the
/// model of it may be wrong, and nothing there is edited.
bool touches_syntax_error(const ModuleModel& model, Site site);

} // namespace slimgrad
