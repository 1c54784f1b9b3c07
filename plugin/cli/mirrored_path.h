#pragma once

#include <optional>
#include <string>

namespace slimgrad {

/// Where `file` has to lie so that it stands to `out` as it stands to `in`: then `#include "..."`
/// between them resolves as before. Nothing if that would be outside the tree that is built for
/// `out`: a file above the folder of `in` has a place only where the folders of `out` are named
/// like those of `in` up to the common one. All paths are absolute. Examples, for in
/// /p/shaders/a.slang: /p/shaders/lib/h.slang with out /b/a.slang is /b/lib/h.slang;
/// /p/common/h.slang is /b/common/h.slang with out /b/shaders/a.slang, and nothing with out
/// /b/a.slang.
std::optional<std::string> mirrored_path(const std::string& file, const std::string& in,
                                         const std::string& out);

} // namespace slimgrad
