#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace slimgrad {

/// A position in a file. Lines and columns count from 1; columns count bytes.
/// Line 0 means the whole file, an empty file means nowhere in particular.
struct Place {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    friend bool operator==(const Place&, const Place&) = default;
    friend auto operator<=>(const Place&, const Place&) = default;
};

/// What went wrong, in one line that says what, where and what to do. Never ends with a full stop
/// or a newline.
struct Error {
    std::string message;
    Place place = {};
};

/// Errors are values; exceptions do not cross folders.
template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message, Place place = {}) {
    return tl::unexpected<Error>(Error{std::move(message), std::move(place)});
}

/// `file:line:column`, without the parts that are not known.
inline std::string to_string(const Place& place) {
    std::string text = place.file;
    if (place.line != 0) {
        text += ':' + std::to_string(place.line);
        if (place.column != 0)
            text += ':' + std::to_string(place.column);
    }
    return text;
}

/// `name.slang:line:column` without folders: for places inside messages, which are the same on
/// every machine.
inline std::string short_form(Place place) {
    place.file = place.file.substr(place.file.rfind('/') + 1);
    return to_string(place);
}

/// `file:line:column: message`.
inline std::string to_string(const Error& error) {
    std::string place = to_string(error.place);
    return place.empty() ? error.message : place + ": " + error.message;
}

} // namespace slimgrad
