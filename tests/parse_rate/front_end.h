#pragma once

#include "plugin/rewrite/cache.h"
#include "plugin/slang/compiler.h"
#include "rewriter/result.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace slimgrad::parse_rate {

/// What Slang's front end makes of files, remembered in the user's cache folder: an answer holds as
/// long as the compiler, its options and every file that it read are the same. Thread-safe; each
/// thread brings a compiler of its own.
class FrontEnd {
  public:
    /// `options` stand in front of each file's own. `worker`: slimgrad-slang, which is part of what
    /// an answer depends on. With `ir` the answers hold what lowered_loops reads of the IR.
    FrontEnd(std::vector<std::string> options, std::string worker, bool ir);

    struct Answer {
        CompileResult result;
        CompileRequest request; ///< with the file's own options
    };

    /// Asks without options first, then, as long as there are errors, with those that the text's
    /// `//TEST` lines give: the answer is the first one without errors, else the first one without
    /// errors of syntax, else the first. `root`: nothing outside it and the -I folders is read.
    /// Error: the worker cannot be started.
    Result<Answer> ask(SlangCompiler& compiler, const std::string& file, const std::string& text,
                       const std::string& root);

    /// The same with other texts in place of files.
    Result<CompileResult> ask_again(SlangCompiler& compiler, const Answer& answer,
                                    const FileTexts& overlay);

  private:
    Result<CompileResult> compile(SlangCompiler& compiler, const CompileRequest& request);
    std::string hash_of_file(const std::string& path);
    Cache cache_of(const std::string& key) const;
    std::optional<CompileResult> remembered(const std::string& key);
    void remember(const std::string& key, const CompileResult& result);

    std::vector<std::string> options_;
    bool ir_;
    std::string compiler_hash_;
    std::string cache_folder_;
    std::mutex mutex_;
    std::map<std::string, std::string> hashes_; ///< of files, as they were at first
};

/// Whether the compiler gave an answer: it did not crash, hang or run out of memory.
bool answered(const CompileResult& result);

/// Whether there is a diagnostic of the parser: E20000 to E29999.
bool has_syntax_error(const CompileResult& result);

} // namespace slimgrad::parse_rate
