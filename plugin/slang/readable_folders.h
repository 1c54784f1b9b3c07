#pragma once

#include "plugin/slang/compiler.h"

#include <string>
#include <vector>

namespace slimgrad::slang_plugin {

/// What a compilation may read: the project's folder, that of the module's own file, those of -I.
std::vector<std::string> readable_folders(const CompileRequest& request);

} // namespace slimgrad::slang_plugin
