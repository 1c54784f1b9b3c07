#pragma once

#include <string>
#include <vector>

namespace slimgrad {

/// The *.slang files under `root` that name the file in an #include, import or __include, be it
/// through others of them, without those in `known`. By the text alone: what macros choose and
/// where -I folders lead is not looked at, so one that finds another file of that name in such a
/// folder may be among them. Sorted. Paths are canonical.
std::vector<std::string> users_of(const std::string& file, const std::string& root,
                                  const std::vector<std::string>& known);

} // namespace slimgrad
