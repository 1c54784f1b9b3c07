#pragma once

#include "attributes/finding.h"

#include <string>
#include <string_view>

namespace slimgrad {

/// The path as a person at `directory` would write it: relative if the file lies below, else
/// absolute. Both paths are absolute.
std::string display_path(const std::string& path, const std::string& directory);

/// The one this runs in; "" where it is gone.
std::string current_directory();

/// The place with its file as `display_path` shows it.
Place display_place(Place place, const std::string& directory);

/// Text of an untrusted source (file names, compiler messages) for a terminal: control characters
/// other than tab and newline are written as `\x1b`.
std::string printable(std::string_view text);

/// ANSI styles; all are "" where colour is off.
struct Style {
    bool color = false;

    std::string_view bold() const { return color ? "\033[1m" : ""; }
    std::string_view dim() const { return color ? "\033[2m" : ""; }
    std::string_view good() const { return color ? "\033[32m" : ""; }
    std::string_view bad() const { return color ? "\033[31m" : ""; }
    std::string_view reset() const { return color ? "\033[0m" : ""; }
    /// Of the word `error`, `cost` or `note`.
    std::string_view severity(Severity severity) const;
};

std::string_view name(Severity severity);

} // namespace slimgrad
