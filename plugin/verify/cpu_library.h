#pragma once

#include "plugin/process/process.h"
#include "rewriter/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad::verify {

/// How a text is compiled.
enum class CpuBuild {
    plain,
    /// With AddressSanitizer and UndefinedBehaviorSanitizer, which end the run at the first report.
    /// Not reported: integers that overflow, and shifts of negative ones; shaders may do both.
    sanitized,
};

/// What the C++ compiler made of one text: a shared library, or its first error.
struct CpuLibrary {
    std::string path;
    Error rejection;       ///< where path is empty; the place is the shader's if the text says so
    bool accident = false; ///< the compiler hit a limit or crashed: another time it may not
};

/// Compiles emitted C++ texts to shared libraries and keeps them: the same text is compiled once.
class CpuLibraries {
  public:
    CpuLibraries(std::string compiler, std::string folder)
        : compiler_(std::move(compiler)), folder_(std::move(folder)) {}

    /// Compiles what is new, two at a time. Error: the compiler cannot be started.
    Result<std::vector<CpuLibrary>> compile(const std::vector<std::string>& texts,
                                            const ProcessLimits& limits,
                                            CpuBuild build = CpuBuild::plain);

    /// How many of the libraries it gave are not there by accident.
    std::uint64_t accidents() const { return accidents_; }
    const std::string& compiler() const { return compiler_; }

  private:
    Result<CpuLibrary> compile_one(const std::string& text, const std::string& stem,
                                   const ProcessLimits& limits, CpuBuild build) const;

    std::string compiler_, folder_;
    std::uint64_t compiled_ = 0, accidents_ = 0;
    std::map<std::pair<CpuBuild, std::string>, CpuLibrary> known_; ///< by text
};

} // namespace slimgrad::verify
