#include "rewriter/unclosed_brace.h"

#include "rewriter/macro_expansion.h"
#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <set>

namespace slimgrad {

namespace {

struct Brace {
    std::uint32_t offset;
    bool of_type;      ///< of a type, namespace or buffer: declarations may stand in it
    bool never_closed; ///< nothing in the text closes it
};

/// Spaces before the first word of the line.
std::size_t indentation(std::string_view text, std::size_t offset) {
    const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    return text.find_first_not_of(" \t", begin) - begin;
}

bool is_first_in_line(std::string_view text, std::size_t offset) {
    const auto before = text.substr(0, offset).find_last_not_of(" \t");
    return before == std::string_view::npos || text[before] == '\n';
}

class Scan {
  public:
    explicit Scan(std::string_view text) : text_(text) {}

    /// Offsets of the braces that nothing closes.
    std::set<std::uint32_t> never_closed() {
        std::vector<std::uint32_t> open;
        for_each_token([&](std::uint32_t at, std::string_view token) {
            if (token == "{")
                open.push_back(at);
            else if (token == "}" && !open.empty())
                open.pop_back();
        });
        return {open.begin(), open.end()};
    }

    std::vector<UnclosedBrace> unclosed_bodies(const std::set<std::uint32_t>& never_closed) {
        std::vector<UnclosedBrace> found;
        std::vector<Brace> open;
        std::size_t closed_later = 0; // of `open`
        std::uint32_t suspect = 0;    // a brace that a less indented one closes
        bool has_suspect = false, of_type = false;
        const auto end_body = [&](std::uint32_t end) {
            if (!open.empty() && closed_later == 0 && !open.front().of_type &&
                end >= open.front().offset + 2)
                found.push_back(
                    {has_suspect ? suspect : open.back().offset, {open.front().offset, end}});
            else if (!open.empty())
                return;
            open.clear();
            has_suspect = false;
        };
        for_each_token([&](std::uint32_t at, std::string_view token) {
            const bool in_first_column = at == 0 || text_[at - 1] == '\n';
            if (in_first_column && (is_name(token[0]) || token[0] == '['))
                end_body(at);
            if (token == "{") {
                const bool never = never_closed.contains(at);
                closed_later += !never;
                open.push_back({at, of_type, never});
                of_type = false;
            } else if (token == "}" && !open.empty()) {
                const Brace brace = open.back();
                open.pop_back();
                closed_later -= !brace.never_closed;
                if (!has_suspect && !open.empty() && is_first_in_line(text_, at) &&
                    indentation(text_, at) < indentation(text_, brace.offset)) {
                    has_suspect = true;
                    suspect = brace.offset;
                }
                has_suspect = has_suspect && !open.empty();
            } else if (token == ";" || token == ")") {
                of_type = false;
            } else if (opens_declarations(token)) {
                of_type = true;
            }
        });
        end_body(std::uint32_t(text_.size()));
        return found;
    }

  private:
    static bool opens_declarations(std::string_view word) {
        constexpr std::array<std::string_view, 11> words{
            "namespace", "struct",  "class",    "interface",   "extension",  "enum",
            "cbuffer",   "tbuffer", "property", "__subscript", "__extension"};
        return std::find(words.begin(), words.end(), word) != words.end();
    }

    template <class Visit> void for_each_token(Visit visit) const {
        for (std::size_t at = 0; at < text_.size();) {
            const std::size_t end = token_end(text_, at);
            const std::string_view token = text_.substr(at, end - at);
            if (!is_space(token[0]) && !token.starts_with("//") && !token.starts_with("/*"))
                visit(std::uint32_t(at), token);
            at = end;
        }
    }

    std::string_view text_;
};

} // namespace

std::optional<ClosedText> close_bodies(std::string_view text) {
    Scan scan(text);
    const auto never_closed = scan.never_closed();
    if (never_closed.empty())
        return std::nullopt;
    ClosedText result{std::string(text), scan.unclosed_bodies(never_closed)};
    if (result.unclosed.empty())
        return std::nullopt;
    for (const UnclosedBrace& brace : result.unclosed) {
        for (std::uint32_t i = brace.body.begin + 1; i + 1 < brace.body.end; ++i) {
            if (result.text[i] != '\n' && result.text[i] != '\r')
                result.text[i] = ' ';
        }
        result.text[brace.body.end - 1] = '}';
    }
    return result;
}

} // namespace slimgrad
