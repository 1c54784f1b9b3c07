#pragma once

#include <string>

namespace slimgrad {

/// The nearest folder upwards from `file` that holds slimgrad.toml or .git, else the file's own
/// folder. `file` need not exist; the result is absolute, with symbolic links resolved as far as
/// the path exists. Nothing outside it is edited.
std::string project_root(const std::string& file);

/// The nearest slimgrad.toml upwards from `file`, or "" if there is none.
std::string find_configuration(const std::string& file);

/// The absolute path of `path`, with symbolic links resolved as far as it exists.
std::string canonical_path(const std::string& path);

} // namespace slimgrad
