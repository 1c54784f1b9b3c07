#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::parse_rate {

/// slangc's options that decide what a text means, as the `//TEST` lines of the compiler's own
/// tests give them: defines, the language and its version, experimental features. One set per line
/// that gives any, in order, each once; what chooses a target, an entry point or an output is left
/// out.
std::vector<std::vector<std::string>> test_options(std::string_view text);

/// The macros of -D in slangc's arguments: "NAME=value".
std::vector<std::string> defines_of(const std::vector<std::string>& arguments);

} // namespace slimgrad::parse_rate
