#pragma once

#include "plugin/process/child_process.h"
#include "plugin/process/unique_fd.h"
#include "rewriter/result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad::oracle {

/// Where a declaration's name stands.
struct Definition {
    std::string path; ///< the core module's own files have names without a folder
    std::uint32_t line = 0;   ///< from 0
    std::uint32_t column = 0; ///< from 0, in UTF-16 units
};

/// A file, and the places in it whose definitions are asked for.
struct DefinitionQuery {
    std::string path, text;
    struct Position {
        std::uint32_t line = 0, column = 0; ///< as above
    };
    std::vector<Position> positions;
    /// What the server answers, for each position: several where a name is not resolved yet; none
    /// where there is nothing to tell.
    std::vector<std::vector<Definition>> answers;
    bool answered = false; ///< false: the server ended before
};

/// Slang's language server in a process of its own, asked for one thing at a time.
class LanguageServer {
  public:
    /// `launcher`: path of slimgrad-slangd. Error: it cannot be started, or it says nothing;
    /// `missing_server` where this Slang has none.
    static Result<LanguageServer> start(const std::string& launcher,
                                        const std::vector<std::string>& search_paths);

    LanguageServer(LanguageServer&&) noexcept = default;
    LanguageServer& operator=(LanguageServer&&) = delete;
    ~LanguageServer();

    /// Fills the answers; `answered` stays false where the server ended, or took too long: then it
    /// answers nothing more.
    void find_definitions(DefinitionQuery& query);

  private:
    LanguageServer(ChildProcess child, UniqueFd input, UniqueFd output);
    bool notify(const char* method, nlohmann::json parameters);
    std::optional<nlohmann::json> request(const char* method, nlohmann::json parameters);
    bool write(const nlohmann::json& message);
    std::optional<nlohmann::json> read();

    ChildProcess child_;
    UniqueFd input_, output_;
    std::string read_ahead_;
    int last_id_ = 0;
};

/// The message of the error where the compiler's library has no language server.
inline constexpr const char* missing_server = "this Slang has no language server";

} // namespace slimgrad::oracle
