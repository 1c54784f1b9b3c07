#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/slang/file_access.h"
#include "rewriter/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::slang_plugin {

/// What goes to the worker: the request, and the folder that its relative paths start from.
struct WorkerRequest {
    CompileRequest compile;
    std::string working_directory;
};

/// What comes back.
struct WorkerReply {
    CompileResult result;
    FileLookups lookups; ///< all that the compilation asked of the files
};

/// Messages are JSON values in the CBOR encoding: texts are bytes there, and shaders need not be
/// UTF-8.
std::string encode(const WorkerRequest& request);
std::string encode(const WorkerReply& reply);
std::string encode(const CompileResult& result);
std::string encode(const std::vector<FileLookups>& lookups);

/// Error: not what `encode` writes.
Result<WorkerRequest> decode_request(std::string_view message);
Result<WorkerReply> decode_reply(std::string_view message);
Result<CompileResult> decode_result(std::string_view message);
Result<std::vector<FileLookups>> decode_lookups(std::string_view message);

} // namespace slimgrad::slang_plugin
