#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/slang/file_access.h"

#include <slang.h>

namespace slimgrad::slang_plugin {

/// Compiles in this process, in a session of its own. A module that crashes the compiler, hangs it
/// or exhausts the memory takes the process with it. What it asks of the files is added to
/// `lookups`.
CompileResult compile_module(slang::IGlobalSession& global_session, const CompileRequest& request,
                             FileLookups& lookups);

/// Whether the module needs a global session with GLSL support.
bool needs_glsl(const CompileRequest& request);

} // namespace slimgrad::slang_plugin
