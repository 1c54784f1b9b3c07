#include "rewriter/condition.h"

#include "rewriter/integer_expression.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace slimgrad {

namespace {

constexpr std::size_t deepest_macro = 32;
constexpr std::size_t longest_condition = 1 << 16;

/// Names that slangc defines; "" where the value is not one for every line and version.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> predefined{{
    {"__SLANG__", "1"},
    {"__SLANG_COMPILER__", "1"},
    {"__HLSL_VERSION", "2018"},
    {"__HLSL__", ""},
    {"__FILE__", ""},
    {"__LINE__", ""},
}};

/// A condition with everything replaced that has a name.
class ConditionText {
  public:
    ConditionText(const std::vector<SourceFile>& files, const MacroTable& macros)
        : files_(files), macros_(macros) {}

    /// False where it is not known what the text stands for.
    bool add(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            if (result.size() > longest_condition)
                return false;
            std::size_t end = at + 1;
            while (is_name(text[at]) && end < text.size() &&
                   (is_name(text[end]) || (is_digit(text[at]) && text[end] == '.')))
                ++end;
            const std::string_view word = text.substr(at, end - at);
            const bool known = is_digit(text[at])  ? number(word)
                               : word == "defined" ? is_defined(text, end)
                               : is_name(text[at]) ? name(text, word, end)
                                                   : other(text[at]);
            if (!known)
                return false;
            at = end;
        }
        return true;
    }

    std::string result;

  private:
    bool put(std::string_view word) {
        result += ' ';
        result += word;
        result += ' ';
        return true;
    }

    bool other(char c) {
        result += c;
        return std::string_view("?,'\"").find(c) == std::string_view::npos;
    }

    bool number(std::string_view word) {
        if (word.starts_with("0x") || word.starts_with("0X"))
            return put(word);
        // A leading 0 is no octal number.
        while (word.size() > 1 && word[0] == '0' && is_digit(word[1]))
            word.remove_prefix(1);
        const auto suffix = word.find_first_not_of("0123456789");
        return (suffix == std::string_view::npos ||
                word.find_first_not_of("uUlL", suffix) == std::string_view::npos) &&
               put(word);
    }

    /// `defined NAME` or `defined(NAME)`; `end` goes behind it.
    bool is_defined(std::string_view text, std::size_t& end) {
        const auto skip = [&] {
            while (end < text.size() && is_space(text[end]))
                ++end;
        };
        skip();
        const bool parenthesised = end < text.size() && text[end] == '(';
        end += parenthesised;
        skip();
        const std::size_t begin = end;
        while (end < text.size() && is_name(text[end]))
            ++end;
        const std::string word(text.substr(begin, end - begin));
        skip();
        // In an argument slangc replaces the name first.
        if (inside_arguments_ > 0)
            return false;
        if (word.empty() || (parenthesised && (end == text.size() || text[end++] != ')')))
            return false;
        return put(macros_.contains(word) || is_predefined(word) ? "1" : "0");
    }

    bool name(std::string_view text, std::string_view word, std::size_t& end) {
        const auto found = macros_.find(std::string(word));
        // A macro in itself is not replaced, but in an argument slangc does so once more.
        if (std::find(open_.begin(), open_.end(), word) != open_.end())
            return inside_arguments_ == 0 && put("0");
        if (found != macros_.end())
            return macro(found->second, text, end);
        for (const auto& [name, value] : predefined) {
            if (name == word)
                return !value.empty() && put(value);
        }
        return put("0");
    }

    bool macro(const MacroDefinition& macro, std::string_view text, std::size_t& end) {
        std::vector<std::string> arguments;
        if (macro.function_like) {
            const auto close = end_of_arguments(text, end);
            if (!close)
                return false;
            const auto open = text.find('(', end);
            arguments = macro_arguments(text.substr(open, *close - open));
            end = *close;
        }
        const auto expansion = expand_macro(files_, macro, arguments);
        if (!expansion || open_.size() >= deepest_macro)
            return false;
        open_.push_back(macro.name);
        inside_arguments_ += macro.function_like;
        const bool added = add(*expansion);
        inside_arguments_ -= macro.function_like;
        open_.pop_back();
        return added;
    }

    const std::vector<SourceFile>& files_;
    const MacroTable& macros_;
    std::vector<std::string_view> open_; ///< the macros whose expansion is being read
    int inside_arguments_ = 0;           ///< those of them that may have them in it
};

} // namespace

bool is_predefined(std::string_view name) {
    return std::any_of(predefined.begin(), predefined.end(),
                       [&](const auto& entry) { return entry.first == name; });
}

std::optional<std::int64_t> evaluate_condition(const std::vector<SourceFile>& files,
                                               std::string_view expression,
                                               const MacroTable& macros) {
    ConditionText text(files, macros);
    if (!text.add(expression))
        return std::nullopt;
    // slangc does not bind `^` as C does.
    if (text.result.find('^') != std::string::npos &&
        text.result.find_first_of("|&") != std::string::npos)
        return std::nullopt;
    return evaluate_integer(
        text.result, [](std::string_view) { return std::nullopt; }, Arithmetic::in_32_bits);
}

} // namespace slimgrad
