#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::nvrtc {

/// The folders that an ld.so.conf names, those of the files it includes too, in its order. No file,
/// no folders.
std::vector<std::string> folders_of_ld_so_conf(const std::string& file);

/// Where the real library may be that `own_path` (the shim, as it was loaded) stands for: in each
/// folder the file of the shim's own name; for the plain libnvrtc.so also libnvrtc.so.13, .12 and
/// .11.2. Only files that are there, each once, none from the shim's own folder. Whether they are
/// what they are called is not looked at.
std::vector<std::string> candidates(std::string_view own_path,
                                    const std::vector<std::string>& folders);

} // namespace slimgrad::nvrtc
