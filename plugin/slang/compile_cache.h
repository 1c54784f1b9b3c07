#pragma once

#include "plugin/cache/result_cache.h"
#include "plugin/process/process.h"
#include "plugin/slang/compiler.h"
#include "plugin/slang/message.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad::slang_plugin {

/// Of the worker and the library that it loads, with the limits that they run under.
std::string compiler_identity(const std::string& worker, const ProcessLimits& limits);

/// Results of compilations that were done before. Which files a compilation reads is known only
/// after it; so a request has manifests: each names all that one compilation asked of the files,
/// be it for files that were not there, and the result where all of these answers are still the
/// same.
///
/// What hit a limit or crashed is not kept, nor what was compiled with options that may read or
/// write a file by themselves. Not thread-safe.
class CompileCache {
  public:
    CompileCache(std::shared_ptr<ResultCache> cache, const std::string& worker,
                 const ProcessLimits& limits);

    std::optional<CompileResult> get(const CompileRequest& request);
    void put(const CompileRequest& request, const WorkerReply& reply);

    /// Of Slang, as the worker said it when it was last started; "": not known.
    std::string version();
    void put_version(const std::string& version);

  private:
    std::string key_of(const CompileRequest& request) const;
    std::vector<FileLookups> manifests(const std::string& key);
    std::optional<CompileResult> read_result(const std::string& key);
    void write_result(const std::string& key, CompileResult result);

    std::shared_ptr<ResultCache> cache_;
    std::string compiler_;                     ///< identity of the programs, and their limits
    std::map<std::string, std::string> heads_; ///< of code, by key: Slang's preludes
};

} // namespace slimgrad::slang_plugin
