#pragma once

#include "attributes/rule.h"
#include "rewriter/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What slimgrad.toml says. All keys are optional:
///
///     arguments = ["-Ilib", "-DN=4"]   # slangc's own, before those of the command line; -I from
///                                      # the file's folder
///     arch = "sm_89"
///     fast_math = true
///     noalias = true                   # two tensor, pointer or buffer parameters never overlap
///     gradient.gW = "gWG"              # custom derivatives add the gradient of gW to gWG
///     groups = 1                       # thread groups in x that verification runs; 3 else
///     [inputs]                         # what values the shader's inputs take
///     "outb[1]" = 12                   # one value
///     gIn = [-1, 1]                    # from, to
struct Configuration {
    std::string path; ///< of the file, "" if there is none
    std::vector<std::string> arguments;
    std::optional<std::string> arch;
    std::optional<bool> fast_math;
    std::optional<std::uint32_t> groups;
    std::map<std::string, std::string> gradients; ///< by buffer
    Promises promises;
};

/// Error, with its place: not TOML, an unknown key (with the nearest valid one), a value of the
/// wrong type, a range whose end lies before its start, an option in `arguments` that slimgrad does
/// not take.
Result<Configuration> parse_configuration(std::string_view text, const std::string& path);

/// Error: the file cannot be read, and those of `parse_configuration`.
Result<Configuration> read_configuration(const std::string& path);

} // namespace slimgrad
