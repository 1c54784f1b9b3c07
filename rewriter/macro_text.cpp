#include "rewriter/macro_text.h"

#include "rewriter/macro_expansion.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace slimgrad {

namespace {

constexpr int deepest_macro = 16;
// Macros that double each other end here.
constexpr std::size_t longest_text = 64 << 10;

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Stands before a name that stays as it is: a macro's in its own expansion.
constexpr char kept = '\x02';

class Expansion {
  public:
    explicit Expansion(const ModuleModel& model, std::vector<std::string_view> open = {})
        : model_(model), open_(std::move(open)) {}

    /// False where a macro cannot be replaced.
    bool add(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            if (result.size() > longest_text)
                return false;
            if (text[at] == kept) {
                const std::size_t end = at + 1 < text.size() ? token_end(text, at + 1) : at + 1;
                result += text.substr(at, end - at);
                at = end;
                continue;
            }
            std::size_t end = at + 1;
            while (is_name(text[at]) && end < text.size() && is_name(text[end]))
                ++end;
            const std::string_view word = text.substr(at, end - at);
            const bool is_open = std::find(open_.begin(), open_.end(), word) != open_.end();
            const MacroDefinition* macro =
                is_name(text[at]) && !is_open ? model_.find_macro(word) : nullptr;
            if (macro && !model_.find_only_macro(word))
                return false; // which one holds depends on the place
            std::vector<std::string> arguments;
            if (macro && macro->function_like) {
                const auto close = end_of_arguments(text, end);
                if (close) {
                    const auto open = text.find('(', end);
                    arguments = macro_arguments(text.substr(open, *close - open));
                    end = *close;
                } else {
                    macro = nullptr; // a name without arguments is no use of it
                }
            }
            if (is_open && model_.find_macro(word))
                result += kept;
            if (!macro)
                result += word;
            else if (!add(*macro, arguments))
                return false;
            at = end;
        }
        return true;
    }

    std::string result;

  private:
    bool add(const MacroDefinition& macro, const std::vector<std::string>& arguments) {
        if (open_.size() >= deepest_macro)
            return false;
        const auto expansion = expand_macro(
            model_.files, macro, arguments,
            [this](const std::string& argument) -> std::optional<std::string> {
                Expansion inner(model_, open_);
                return inner.add(argument) ? std::optional(std::move(inner.result)) : std::nullopt;
            });
        if (!expansion)
            return false;
        open_.push_back(macro.name);
        const bool added = add(*expansion);
        open_.pop_back();
        return added;
    }

    const ModuleModel& model_;
    std::vector<std::string_view> open_; ///< the macros whose expansion is being read
};

/// `((x) * (x))`, not `(x) * (x)`.
bool is_parenthesized(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth <= 0)
            return depth == 0 && i > 0 && i + 1 == text.size();
    }
    return false;
}

} // namespace

std::optional<std::string> expand_macros(const ModuleModel& model, std::string_view text) {
    Expansion expansion(model);
    if (!expansion.add(text))
        return std::nullopt;
    std::erase(expansion.result, kept);
    return std::move(expansion.result);
}

bool is_arithmetic(const ModuleModel& model, std::string_view macro, std::size_t arguments) {
    constexpr std::string_view argument = "macro_argument_";
    if (arguments == 0)
        return false;
    std::string use = std::string(macro) + "(";
    for (std::size_t i = 0; i < arguments; ++i)
        use += (i == 0 ? "" : ", ") + std::string(argument) + std::to_string(i);
    const auto expansion = expand_macros(model, use + ")");
    if (!expansion)
        return false;
    if (!is_parenthesized(*expansion))
        return false; // `(int) SUM(a, b)` would cast `a` alone
    std::vector<bool> used(arguments, false);
    std::string_view rest = *expansion;
    char before = ' '; // the token before: one of "+-*/()", 'v' for a value
    while (!rest.empty()) {
        const char c = rest[0];
        std::size_t end = 1;
        if (std::isspace(static_cast<unsigned char>(c))) {
            rest.remove_prefix(1);
            continue;
        }
        if (std::string_view("+-*/()").find(c) == std::string_view::npos) {
            while (end < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[end])) ||
                                         rest[end] == '_' || rest[end] == '.'))
                ++end;
            const std::string_view word = rest.substr(0, end);
            if (word.starts_with(argument)) {
                const auto number = word.substr(argument.size());
                const auto found = std::find_if(used.begin(), used.end(),
                                                [i = std::size_t(0), number](bool) mutable {
                                                    return std::to_string(i++) == number;
                                                });
                if (found == used.end())
                    return false;
                *found = true;
            } else if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.') {
                return false;
            }
        }
        // Neither `++` and `--` nor a call or a cast: two values never follow each other.
        const char token = end > 1 || std::isdigit(static_cast<unsigned char>(c)) ? 'v' : c;
        const bool is_start = token == 'v' || token == '(';
        if ((is_start && (before == 'v' || before == ')')) ||
            (token == before && std::string_view("+-*/").find(token) != std::string_view::npos))
            return false;
        before = token;
        rest.remove_prefix(end);
    }
    return std::all_of(used.begin(), used.end(), [](bool is_used) { return is_used; });
}

} // namespace slimgrad
