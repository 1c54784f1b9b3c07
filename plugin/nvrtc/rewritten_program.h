#pragma once

#include "plugin/nvrtc/program_table.h"
#include "plugin/rewrite/drop_in.h"

#include <optional>
#include <string>
#include <string_view>

namespace slimgrad::nvrtc {

/// Rewrites the program's source and compiles the result with the same options, headers, name
/// expressions and callback. Where that works, `record.replacement` holds what came of it; where
/// NVRTC does not compile it, `program` was compiled as it is. The status is that of the one that
/// counts. Nothing: there is nothing to rewrite, or no way to, and `program` is still to be
/// compiled. Says in the log what happened.
std::optional<Status> compile_rewritten(Program program, ProgramRecord& record, int option_count,
                                        const char* const* options, const DropInSettings& settings);

/// Ends the replacement, if there is one.
void destroy_replacement(ProgramRecord& record);

/// Says once per process, on stderr, that a program is compiled as it is, and why: whoever put the
/// shim there wants to know.
void announce_failure(const Error& error);

/// Writes the log's line about a program. `name`: the one it was given; "" for none, as Slang does
/// it: then it is known by its shader.
void log_program(const std::string& log, std::string_view name, std::string_view source,
                 std::string_view what);

} // namespace slimgrad::nvrtc
