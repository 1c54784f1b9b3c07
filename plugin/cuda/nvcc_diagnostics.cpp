#include "plugin/cuda/nvcc_diagnostics.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace slimgrad {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// `file(12)`, `file:12:3`, `file:12`; the line is 0 where the text is none of them.
Place parse_place(std::string_view text) {
    if (text.ends_with(')')) {
        std::size_t open = text.rfind('(');
        if (open != text.npos)
            if (auto line = number(text.substr(open + 1, text.size() - open - 2)))
                return {std::string(text.substr(0, open)), *line, 0};
        return {};
    }
    std::uint32_t numbers[2] = {0, 0}; // from the right
    int found = 0;
    while (found < 2) {
        std::size_t colon = text.rfind(':');
        auto value = colon == text.npos ? std::nullopt : number(text.substr(colon + 1));
        if (!value)
            break;
        numbers[found++] = *value;
        text = text.substr(0, colon);
    }
    if (found == 0)
        return {};
    return {std::string(text), numbers[found - 1], found == 2 ? numbers[0] : 0};
}

/// `place: error: message`, `place: fatal error: message`, `place: catastrophic error: message`,
/// `place: error #123: ...`, `ptxas error   : message`.
std::optional<Error> parse_error(std::string_view line) {
    for (std::string_view tool : {"ptxas error", "ptxas fatal", "nvlink error", "nvcc error"})
        if (line.starts_with(tool)) {
            std::size_t colon = line.find(": ", tool.size());
            if (colon != line.npos)
                return Error{std::string(tool.substr(0, tool.find(' '))) + ": " +
                             std::string(line.substr(colon + 2))};
        }
    for (std::string_view kind : {": error", ": fatal error", ": catastrophic error"}) {
        std::size_t end_of_place = line.find(kind);
        if (end_of_place == line.npos)
            continue;
        std::size_t colon = line.find(": ", end_of_place + kind.size());
        if (colon == line.npos)
            continue;
        Place place = parse_place(line.substr(0, end_of_place));
        if (place.line != 0)
            return Error{std::string(line.substr(colon + 2)), std::move(place)};
    }
    return std::nullopt;
}

template <class Function> auto first_of_lines(std::string_view text, Function parse) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (auto found = parse(text.substr(0, end)))
            return found;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return decltype(parse(text)){};
}

} // namespace

std::optional<Error> first_nvcc_error(std::string_view messages) {
    return first_of_lines(messages, parse_error);
}

std::optional<std::string_view> nvcc_refusal(std::string_view messages) {
    return first_of_lines(messages, [](std::string_view line) -> std::optional<std::string_view> {
        std::size_t colon = line.find(": ");
        if (!line.starts_with("nvcc fatal") || colon == line.npos)
            return std::nullopt;
        return line.substr(colon + 2);
    });
}

std::optional<int> signal_of_subprocess(std::string_view messages) {
    return first_of_lines(messages, [](std::string_view line) -> std::optional<int> {
        constexpr std::string_view words = "died due to signal ";
        std::size_t start = line.find(words);
        if (start == line.npos)
            return std::nullopt;
        line.remove_prefix(start + words.size());
        auto signal = number(line.substr(0, line.find_first_not_of("0123456789")));
        return signal ? std::optional<int>(static_cast<int>(*signal)) : std::nullopt;
    });
}

} // namespace slimgrad
