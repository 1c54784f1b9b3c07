#include "attributes/expression_text.h"

namespace slimgrad {

std::string compact(std::string_view expression) {
    std::string result;
    for (char c : expression) {
        if (!is_space(c))
            result += c;
    }
    // "(a + b)" is "a + b"; "(a) + (b)" stays.
    while (result.size() >= 2 && result.front() == '(' && result.back() == ')') {
        int depth = 0;
        std::size_t i = 0;
        for (; i < result.size(); ++i) {
            depth += result[i] == '(' ? 1 : result[i] == ')' ? -1 : 0;
            if (depth == 0)
                break;
        }
        if (i + 1 != result.size())
            break;
        result = result.substr(1, result.size() - 2);
    }
    return result;
}

std::string first_name(std::string_view text) {
    text = trimmed(text);
    std::size_t length = 0;
    while (length < text.size() && is_name(text[length]))
        ++length;
    return length == 0 || !is_name_start(text[0]) ? "" : std::string(text.substr(0, length));
}

std::string last_name(std::string_view qualified) {
    std::string name;
    int depth = 0; // of generic arguments
    for (std::size_t i = 0; i < qualified.size();) {
        std::size_t end = i;
        while (end < qualified.size() && is_name(qualified[end]))
            ++end;
        if (end == i) {
            depth += qualified[i] == '<' ? 1 : qualified[i] == '>' && depth > 0 ? -1 : 0;
            ++i;
            continue;
        }
        if (depth == 0)
            name = qualified.substr(i, end - i);
        i = end;
    }
    return name;
}

std::vector<std::string> names_in(std::string_view expression) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < expression.size();) {
        if (!is_name_start(expression[i]) ||
            (i > 0 && (is_name(expression[i - 1]) || expression[i - 1] == '.'))) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < expression.size() && is_name(expression[end]))
            ++end;
        names.emplace_back(expression.substr(i, end - i));
        i = end;
    }
    return names;
}

std::optional<std::vector<std::string>> call_arguments(const std::string& expression,
                                                       std::string_view callee) {
    if (!expression.starts_with(callee) || expression.size() < callee.size() + 2 ||
        expression[callee.size()] != '(' || expression.back() != ')')
        return std::nullopt;
    std::vector<std::string> arguments(1);
    int depth = 0;
    for (std::size_t i = callee.size(); i < expression.size(); ++i) {
        const char c = expression[i];
        if (c == '(' || c == '[') {
            if (depth++ > 0)
                arguments.back() += c;
        } else if (c == ')' || c == ']') {
            if (--depth > 0)
                arguments.back() += c;
            else if (i + 1 != expression.size())
                return std::nullopt;
        } else if (c == ',' && depth == 1) {
            arguments.emplace_back();
        } else {
            arguments.back() += c;
        }
    }
    return arguments;
}

bool is_integer_text(std::string_view text) {
    std::vector<bool> is_list; // of each open parenthesis: what stands in it belongs to a name
    char before = ' ';
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (is_name(text[at]) || text[at] == '.') {
            while (end < text.size() && (is_name(text[end]) || text[end] == '.'))
                ++end;
            const std::string_view word = text.substr(at, end - at);
            const bool is_number =
                is_digit(word[0]) || (word[0] == '.' && word.size() > 1 && is_digit(word[1]));
            const bool is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
            if (is_number &&
                word.find_first_of(is_hexadecimal ? ".pP" : ".eEfFhH") != std::string_view::npos)
                return false;
        } else if (text[at] == '(') {
            is_list.push_back(is_name(before) || before == '>');
        } else if (text[at] == ')' && !is_list.empty()) {
            is_list.pop_back();
        } else if (text[at] == ',' && (is_list.empty() || !is_list.back())) {
            return false;
        }
        if (!is_space(text[at]))
            before = text[end - 1];
        at = end;
    }
    return true;
}

std::vector<std::string_view> type_arguments(std::string_view type) {
    std::vector<std::string_view> arguments;
    const auto open = type.find('<'), close = type.rfind('>');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return arguments;
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t i = open + 1; i <= close; ++i) {
        if (i == close || (type[i] == ',' && depth == 0)) {
            arguments.push_back(trimmed(type.substr(begin, i - begin)));
            begin = i + 1;
        } else {
            depth += type[i] == '<' ? 1 : type[i] == '>' ? -1 : 0;
        }
    }
    return arguments;
}

} // namespace slimgrad
