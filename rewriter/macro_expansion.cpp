#include "rewriter/macro_expansion.h"

#include "rewriter/words.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace slimgrad {

namespace {

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at]))
        ++at;
    return at;
}

/// Names between the parentheses of `#define NAME(a, b) ..`; "__VA_ARGS__" for `...`.
std::vector<std::string> parameter_names(std::string_view directive, const MacroDefinition& macro) {
    std::vector<std::string> names;
    const auto name = directive.find(macro.name, directive.find("define") + 6);
    const auto open = directive.find('(', name);
    const auto close = directive.find(')', open);
    if (name == std::string_view::npos || open == std::string_view::npos ||
        close == std::string_view::npos)
        return names;
    for (std::size_t at = open + 1; at < close;) {
        const std::size_t end = token_end(directive, at);
        if (is_name(directive[at]))
            names.emplace_back(directive.substr(at, end - at));
        else if (directive.substr(at, 3) == "...") {
            names.emplace_back("__VA_ARGS__");
            break;
        }
        at = end;
    }
    return names;
}

} // namespace

std::size_t token_end(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (is_name(c)) {
        while (at < text.size() && is_name(text[at]))
            ++at;
        return at;
    }
    if (c == '"' || c == '\'') {
        for (++at; at < text.size() && text[at] != c && text[at] != '\n'; ++at)
            at += text[at] == '\\';
        return std::min(at + 1, text.size());
    }
    if (text.substr(at, 2) == "//")
        return std::min(text.find('\n', at), text.size());
    if (text.substr(at, 2) == "/*") {
        const auto end = text.find("*/", at + 2);
        return end == std::string_view::npos ? text.size() : end + 2;
    }
    return at + 1;
}

std::optional<std::string>
expand_macro(const std::vector<SourceFile>& files, const MacroDefinition& macro,
             const std::vector<std::string>& given,
             const std::function<std::optional<std::string>(const std::string&)>& expand) {
    if (!macro.function_like)
        return macro.body;
    if (macro.file >= files.size())
        return std::nullopt;
    const auto names = parameter_names(files[macro.file].slice(macro.range), macro);
    std::vector<std::string> arguments = given;
    if (!names.empty() && names.back() == "__VA_ARGS__") {
        while (arguments.size() > names.size()) {
            arguments[names.size() - 1] += ", " + arguments[names.size()];
            arguments.erase(arguments.begin() + std::ptrdiff_t(names.size()));
        }
        if (arguments.size() + 1 == names.size())
            arguments.emplace_back();
    }
    if (names.size() != arguments.size())
        return std::nullopt;
    std::string result;
    const std::string_view body = macro.body;
    bool joined = false;
    for (std::size_t at = 0; at < body.size();) {
        if (body.substr(at, 2) == "##") {
            while (!result.empty() && result.back() == ' ')
                result.pop_back();
            at = skip_space(body, at + 2);
            joined = true;
            continue;
        }
        const std::size_t end = token_end(body, at);
        const std::string_view token = body.substr(at, end - at);
        const auto name = std::find(names.begin(), names.end(), token);
        if (name == names.end()) {
            result += token;
        } else {
            std::string& argument = arguments[std::size_t(name - names.begin())];
            joined = joined || body.substr(skip_space(body, end), 2) == "##";
            const auto meant = expand && !joined ? expand(argument) : argument;
            if (!meant)
                return std::nullopt;
            result += *meant;
        }
        joined = false;
        at = end;
    }
    return result;
}

std::optional<std::size_t> end_of_arguments(std::string_view text, std::size_t name_end) {
    std::size_t at = skip_space(text, name_end), depth = 0;
    if (at == text.size() || text[at] != '(')
        return std::nullopt;
    do {
        depth += text[at] == '(';
        depth -= text[at] == ')';
        at = token_end(text, at);
    } while (depth > 0 && at < text.size());
    return at;
}

std::vector<std::string> macro_arguments(std::string_view list) {
    std::vector<std::string> arguments;
    const auto add = [&](std::string_view text) {
        constexpr std::string_view space = " \t\r\n\f\v";
        const auto begin = std::min(text.find_first_not_of(space), text.size());
        text.remove_prefix(begin);
        arguments.emplace_back(text.substr(0, text.find_last_not_of(space) + 1));
    };
    list = list.substr(1, list.size() - 1 - list.ends_with(')'));
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < list.size(); at = token_end(list, at)) {
        depth += list[at] == '(';
        depth -= list[at] == ')';
        if (list[at] == ',' && depth == 0) {
            add(list.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    add(list.substr(begin));
    if (arguments.size() == 1 && arguments[0].empty())
        arguments.clear();
    return arguments;
}

std::vector<ByteRange> find_macro_uses(std::string_view text,
                                       const std::vector<MacroDefinition>& macros,
                                       bool with_names) {
    std::set<std::string, std::less<>> names, lone_names;
    for (const MacroDefinition& macro : macros)
        (macro.function_like ? names : lone_names).insert(macro.name);
    if (!with_names)
        lone_names.clear();
    std::vector<ByteRange> uses;
    if (names.empty() && lone_names.empty())
        return uses;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = token_end(text, at);
        const std::string_view word = text.substr(at, end - at);
        const bool takes_arguments = is_name(text[at]) && names.contains(word);
        const auto close = takes_arguments ? end_of_arguments(text, end) : std::nullopt;
        // Uses among the arguments lie in the range already.
        end = close.value_or(end);
        if (close || (is_name(text[at]) && lone_names.contains(word)))
            uses.push_back({std::uint32_t(at), std::uint32_t(end)});
        at = end;
    }
    return uses;
}

} // namespace slimgrad
