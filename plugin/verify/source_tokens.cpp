#include "plugin/verify/source_tokens.h"

#include "rewriter/words.h"

#include <algorithm>

namespace slimgrad::verify {

namespace {

bool is_hexadecimal(std::string_view number) {
    return number.size() > 1 && number[0] == '0' && (number[1] == 'x' || number[1] == 'X');
}

/// Whether the letters after `1.` belong to the number: an exponent or a suffix, not a swizzle.
bool continues_number(std::string_view letters) {
    if (letters.empty())
        return true;
    if ((letters[0] == 'e' || letters[0] == 'E') && (letters.size() == 1 || is_digit(letters[1])))
        return true;
    return letters.find_first_not_of("fFhHlL") == std::string_view::npos;
}

/// Reads tokens one by one.
struct Reader {
    std::string_view text; ///< up to the end of the part
    std::size_t at = 0;

    char peek(std::size_t ahead = 0) const {
        return at + ahead < text.size() ? text[at + ahead] : '\0';
    }
    void skip_words() {
        while (is_name(peek()))
            ++at;
    }

    void skip_comment() {
        const bool line = peek(1) == '/';
        const std::size_t end = text.find(line ? "\n" : "*/", at + 2);
        at = end == std::string_view::npos ? text.size() : end + (line ? 0 : 2);
    }

    void skip_quoted(char quote) {
        for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
            at += text[at] == '\\';
        at = std::min(at + 1, text.size());
    }

    void skip_number() {
        const std::size_t start = at;
        skip_words();
        if (peek() == '.') {
            std::size_t end = at + 1;
            while (end < text.size() && is_name(text[end]))
                ++end;
            if (is_hexadecimal(text.substr(start)) ||
                continues_number(text.substr(at + 1, end - at - 1)) || is_digit(peek(1)))
                at = end;
        }
        const char last = at > start ? text[at - 1] : '\0';
        const bool exponent = is_hexadecimal(text.substr(start)) ? last == 'p' || last == 'P'
                                                                 : last == 'e' || last == 'E';
        if (exponent && (peek() == '-' || peek() == '+') && is_digit(peek(1))) {
            ++at;
            skip_words();
        }
    }
};

} // namespace

std::vector<SourceToken> source_tokens(std::string_view text, ByteRange part) {
    std::vector<SourceToken> tokens;
    Reader reader{text.substr(0, part.end), part.begin};
    while (reader.at < reader.text.size()) {
        const char c = reader.peek();
        if (c == '/' && (reader.peek(1) == '/' || reader.peek(1) == '*')) {
            reader.skip_comment();
            continue;
        }
        if (c == '"' || c == '\'') {
            reader.skip_quoted(c);
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\') {
            ++reader.at;
            continue;
        }
        SourceToken token;
        const std::size_t begin = reader.at;
        if (is_digit(c) || (c == '.' && is_digit(reader.peek(1)))) {
            token.kind = SourceToken::Kind::number;
            reader.skip_number();
        } else if (is_name(c)) {
            token.kind = SourceToken::Kind::word;
            reader.skip_words();
        } else {
            reader.at += c == '#' && reader.peek(1) == '#' ? 2 : 1;
        }
        token.range = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(reader.at)};
        token.text = text.substr(begin, reader.at - begin);
        tokens.push_back(token);
    }
    return tokens;
}

bool is_float_literal(std::string_view number) {
    if (is_hexadecimal(number))
        return number.find_first_of(".pP") != std::string_view::npos;
    return number.find_first_of(".eE") != std::string_view::npos;
}

} // namespace slimgrad::verify
