#pragma once

#include "plugin/nvrtc/nvrtc_api.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace slimgrad::nvrtc {

/// What a program was made of, so that one with another source can be made like it.
struct ProgramRecord {
    struct Header {
        std::string text;
        std::string include_name;
    };

    std::string source;
    std::optional<std::string> name; ///< none: NULL was given
    std::vector<Header> headers;
    std::vector<std::string> name_expressions;
    FlowCallback flow_callback = nullptr;
    void* flow_payload = nullptr;

    /// The program with the rewritten source, once that is what was compiled.
    Program replacement = nullptr;
};

/// The programs whose source slangc wrote, by the handle that the caller has. Other programs are
/// not in it. Thread-safe; a record itself belongs to the threads that use its program, which NVRTC
/// wants to be one at a time.
class ProgramTable {
  public:
    void add(Program program, ProgramRecord record);
    std::shared_ptr<ProgramRecord> find(Program program) const;
    std::shared_ptr<ProgramRecord> remove(Program program);

    /// The program that holds the results of `program`: its replacement, or itself.
    Program compiled(Program program) const;

  private:
    mutable std::mutex mutex_;
    std::unordered_map<Program, std::shared_ptr<ProgramRecord>> records_;
};

/// The process's. Never destroyed: other threads may still compile when it ends.
ProgramTable& program_table();

} // namespace slimgrad::nvrtc
