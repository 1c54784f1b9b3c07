#include "plugin/cli/display.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <utility>

namespace slimgrad {

std::string display_path(const std::string& path, const std::string& directory) {
    namespace fs = std::filesystem;
    if (path.empty() || !fs::path(path).is_absolute())
        return path;
    const std::string relative = fs::path(path).lexically_relative(directory).string();
    return relative.empty() || relative == ".." || relative.starts_with("../") ? path : relative;
}

std::string current_directory() {
    std::error_code error;
    return std::filesystem::current_path(error).string();
}

Place display_place(Place place, const std::string& directory) {
    place.file = display_path(place.file, directory);
    return place;
}

std::string printable(std::string_view text) {
    std::string result;
    for (char c : text) {
        const unsigned char byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f)
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result;
}

std::string_view Style::severity(Severity severity) const {
    if (!color)
        return "";
    switch (severity) {
    case Severity::error:
        return "\033[1;31m";
    case Severity::cost:
        return "\033[1;35m";
    case Severity::note:
        return "\033[1;36m";
    }
    return "";
}

std::string_view name(Severity severity) {
    switch (severity) {
    case Severity::error:
        return "error";
    case Severity::cost:
        return "cost";
    case Severity::note:
        return "note";
    }
    return "";
}

} // namespace slimgrad
