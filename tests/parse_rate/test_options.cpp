#include "tests/parse_rate/test_options.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace slimgrad::parse_rate {
namespace {

constexpr std::array<std::string_view, 3> flags = {"-allow-glsl", "-experimental-feature",
                                                   "-disable-short-circuit"};
constexpr std::array<std::string_view, 3> with_value = {"-lang", "-std", "-D"};
// The test program's own options that hand the next word to slangc.
constexpr std::array<std::string_view, 3> forwarding = {"-xslang", "-Xslang", "-compile-arg"};

template <class List, class T> bool contains(const List& list, const T& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// `//TEST:SIMPLE(..): options`, `//TEST_INPUT` and disabled ones aside.
bool is_test_line(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with("//"))
        return false;
    line.remove_prefix(std::min(line.find_first_not_of("/ "), line.size()));
    return line.starts_with("TEST") && !line.starts_with("TEST_") &&
           line.find(':') != std::string_view::npos;
}

std::vector<std::string> options_in(std::string_view line) {
    std::istringstream stream{std::string(line)};
    std::vector<std::string> words, options;
    for (std::string word; stream >> word;)
        if (!contains(forwarding, word))
            words.push_back(word);
    for (std::size_t i = 0; i < words.size(); ++i) {
        // The first option may stand right behind the colon.
        const auto colon = words[i].rfind(":-");
        const std::string word = colon == std::string::npos ? words[i] : words[i].substr(colon + 1);
        if (contains(flags, word) || (word.starts_with("-D") && word.size() > 2)) {
            options.push_back(word);
        } else if (contains(with_value, word) && i + 1 < words.size()) {
            options.push_back(word);
            options.push_back(words[++i]);
        }
    }
    return options;
}

} // namespace

std::vector<std::vector<std::string>> test_options(std::string_view text) {
    std::vector<std::vector<std::string>> sets;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!is_test_line(line))
            continue;
        std::vector<std::string> options = options_in(line);
        if (!options.empty() && !contains(sets, options))
            sets.push_back(std::move(options));
    }
    return sets;
}

std::vector<std::string> defines_of(const std::vector<std::string>& arguments) {
    std::vector<std::string> defines;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "-D" && i + 1 < arguments.size())
            defines.push_back(arguments[++i]);
        else if (arguments[i].starts_with("-D"))
            defines.push_back(arguments[i].substr(2));
    }
    return defines;
}

} // namespace slimgrad::parse_rate
