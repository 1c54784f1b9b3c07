#include "plugin/verify/sanitizer_report.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace slimgrad::verify {
namespace {

std::string_view line_at(std::string_view text, std::size_t at) {
    return text.substr(at, text.find('\n', at) - at);
}

/// "WRITE of size 4 at 0x... thread T0" -> "WRITE of size 4"
std::string_view access(std::string_view err) {
    for (const std::string_view word : {"\nREAD of size ", "\nWRITE of size "})
        if (const std::size_t at = err.find(word); at != std::string_view::npos) {
            const std::string_view line = line_at(err, at + 1);
            return line.substr(0, line.find(" at "));
        }
    return {};
}

/// "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x..."
std::string address_kind(std::string_view err, std::size_t at) {
    const std::string_view line = line_at(err, at);
    std::string kind(line.substr(0, std::min(line.find(" on "), line.find(" ("))));
    if (const std::string_view how = access(err.substr(at)); !how.empty())
        kind += ", " + std::string(how);
    return kind;
}

/// A frame as sanitizer_defaults.cpp has it written: "#1 |LIBRARY|FILE|LINE".
std::optional<Place> place_in(std::string_view frame, std::string_view library) {
    const std::size_t first = frame.find('|');
    if (first == std::string_view::npos || !frame.substr(first + 1).starts_with(library))
        return std::nullopt;
    const std::size_t file = first + 1 + library.size() + 1, last = frame.rfind('|');
    if (last <= file || frame[file - 1] != '|')
        return std::nullopt;
    Place place{std::string(frame.substr(file, last - file)), 0, 0};
    std::from_chars(frame.data() + last + 1, frame.data() + frame.size(), place.line);
    const std::filesystem::path folder = std::filesystem::path(library).parent_path();
    if (const std::string prefix = folder.string() + "/"; place.file.starts_with(prefix))
        place.file.erase(0, prefix.size()); // of a relative name
    // The emitted text itself where no #line applies: Slang's prelude. System headers. Slang's own
    // modules: "hlsl.meta.slang", "core".
    const std::filesystem::path path(place.file);
    const std::filesystem::path emitted =
        std::filesystem::path(library).filename().replace_extension(".cpp");
    if (place.line == 0 || path == emitted || place.file.starts_with("/usr/") ||
        place.file.ends_with(".meta.slang") || !path.has_extension())
        return std::nullopt;
    return place;
}

} // namespace

std::optional<SanitizerReport> read_sanitizer_report(std::string_view err,
                                                     std::string_view library) {
    constexpr std::string_view address = "AddressSanitizer: ", undefined = ": runtime error: ";
    const std::size_t a = err.find(std::string("ERROR: ") + std::string(address));
    const std::size_t u = err.find(undefined);
    if (a == std::string_view::npos && u == std::string_view::npos)
        return std::nullopt;
    SanitizerReport report;
    if (a < u)
        report.kind = address_kind(err, a + std::string_view("ERROR: ").size());
    else
        report.kind =
            "UndefinedBehaviorSanitizer: " + std::string(line_at(err, u + undefined.size()));
    for (std::size_t at = err.find("\n#", std::min(a, u)); at != std::string_view::npos;
         at = err.find("\n#", at + 1))
        if (const std::optional<Place> place = place_in(line_at(err, at + 1), library)) {
            report.place = *place;
            break;
        }
    return report;
}

} // namespace slimgrad::verify
