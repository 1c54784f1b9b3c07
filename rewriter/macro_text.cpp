#include "rewriter/macro_text.h"

#include "rewriter/core_derivatives.h"
#include "rewriter/core_writes.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/macro_place.h"
#include "rewriter/type.h"
#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <vector>

namespace slimgrad {

namespace {

constexpr int deepest_macro = 16;
// Macros that double each other end here.
constexpr std::size_t longest_text = 64 << 10;

/// Stands before a name that stays as it is: a macro's in its own expansion.
constexpr char kept = '\x02';

class Expansion {
  public:
    Expansion(const ModuleModel& model, std::optional<Site> place,
              std::vector<std::string_view> open = {})
        : model_(model), place_(place), open_(std::move(open)) {}

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
            if (macro && !model_.find_only_macro(word)) {
                const auto here = place_ ? macro_at(model_, word, *place_) : std::nullopt;
                if (!here)
                    return false; // which one holds depends on the place
                macro = *here;
            }
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
                Expansion inner(model_, place_, open_);
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
    const std::optional<Site> place_;
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

/// `f(x)` and `((x) * (y))`, where what only computes is no place that could be set. Of `x + y` the
/// last part could be: by a `++` behind it.
bool is_value(std::string_view text) {
    const std::size_t name = token_end(text, 0);
    const auto open = text.find_first_not_of(" \t", name);
    if (is_name(text[0]) && open != text.npos && is_parenthesized(text.substr(open)))
        return true;
    bool has_operator = false;
    while (is_parenthesized(text)) {
        text = text.substr(1, text.size() - 2);
        text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
        text = text.substr(0, text.find_last_not_of(" \t") + 1);
        int depth = 0;
        for (const char c : text) {
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            has_operator |= depth == 0 && std::string_view("+-*/%<>?&|^").find(c) != text.npos;
        }
        if (has_operator)
            return true;
    }
    return false;
}

/// To read it does nothing else.
bool is_scalar_constant(const ModuleModel& model, std::string_view name) {
    const GlobalVariable* global = model.find_global(name);
    return global && global->kind == GlobalKind::constant && !scalar_of(global->type).empty();
}

constexpr std::string_view placeholder = "macro_argument_";

/// A use of the macro with arguments that nothing else is named like.
std::string with_placeholders(std::string_view macro, std::size_t arguments) {
    std::string use = std::string(macro) + "(";
    for (std::size_t i = 0; i < arguments; ++i)
        use += (i == 0 ? "" : ", ") + std::string(placeholder) + std::to_string(i);
    return use + ")";
}

/// Whether a call of that name makes a value of a built-in type or is of a function of the core
/// module that writes none of its arguments.
bool computes(const ModuleModel& model, std::string_view name) {
    if (!model.find_functions(name).empty() || model.find_type(name) || model.find_global(name))
        return false;
    if (!scalar_of(name).empty() || name == "printf")
        return true;
    constexpr std::size_t most_arguments = 8;
    Call call;
    call.callee = name;
    call.callee_kind = CalleeKind::builtin;
    call.arguments.resize(most_arguments);
    for (std::uint32_t i = 0; i < most_arguments; ++i) {
        if (core_may_write_argument(model, call, i))
            return false;
    }
    return derivative_of_core_function(name).use != DerivativeUse::unknown;
}

} // namespace

std::optional<std::string> expand_macros(const ModuleModel& model, std::string_view text) {
    Expansion expansion(model, std::nullopt);
    if (!expansion.add(text))
        return std::nullopt;
    std::erase(expansion.result, kept);
    return std::move(expansion.result);
}

std::optional<std::string> expand_macros(const ModuleModel& model, std::string_view text,
                                         Site place) {
    Expansion expansion(model, place);
    if (!expansion.add(text))
        return std::nullopt;
    std::erase(expansion.result, kept);
    return std::move(expansion.result);
}

bool only_computes(const ModuleModel& model, std::string_view macro, std::size_t arguments) {
    const auto expansion = expand_macros(model, with_placeholders(macro, arguments));
    if (!expansion)
        return false;
    const std::string_view text = *expansion;
    std::array<std::string_view, 3> last; // tokens, the latest first
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (is_space(c)) {
            ++at;
            continue;
        }
        // `(f)(x)` is a call, `(int)(x)` is none.
        if (c == '(' && last[0] == ")" && (last[2] != "(" || scalar_of(last[1]).empty()))
            return false;
        const std::string_view two = text.substr(at, 2);
        if (two == "==" || two == "!=" || two == "<=" || two == ">=") {
            at += 2;
            last = {two, last[0], last[1]};
            continue;
        }
        if (two == "++" || two == "--" || two == "->" ||
            std::string_view("={};'#").find(c) != std::string_view::npos)
            return false;
        std::size_t end = token_end(text, at);
        const std::string_view word = text.substr(at, end - at);
        const bool is_member = at > 0 && text[at - 1] == '.';
        last = {word, last[0], last[1]};
        const std::size_t next = text.find_first_not_of(" \t\r\n", end);
        const bool is_called = next != std::string_view::npos && text[next] == '(';
        at = end;
        if (!is_name(c) || is_digit(c))
            continue;
        const bool is_known = is_called
                                  ? !is_member && computes(model, word)
                                  : is_member || word.starts_with(placeholder) ||
                                        !scalar_of(word).empty() || is_scalar_constant(model, word);
        if (!is_known)
            return false;
    }
    return true;
}

bool only_reads(const ModuleModel& model, std::string_view macro, std::size_t arguments,
                std::size_t argument) {
    if (!only_computes(model, macro, arguments))
        return false;
    const auto expansion = expand_macros(model, with_placeholders(macro, arguments));
    if (is_value(*expansion))
        return true;
    const std::string word = std::string(placeholder) + std::to_string(argument);
    const std::string_view text = *expansion;
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = token_end(text, at);
        depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
        if (text.substr(at, end - at) == word && depth == 0)
            return false;
        at = end;
    }
    return true;
}

bool is_arithmetic(const ModuleModel& model, std::string_view macro, std::size_t arguments) {
    constexpr std::string_view argument = placeholder;
    if (arguments == 0)
        return false;
    const auto expansion = expand_macros(model, with_placeholders(macro, arguments));
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
        if (is_space(c)) {
            rest.remove_prefix(1);
            continue;
        }
        if (std::string_view("+-*/()").find(c) == std::string_view::npos) {
            while (end < rest.size() && (is_name(rest[end]) || rest[end] == '.'))
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
            } else if (!is_digit(c) && c != '.') {
                return false;
            }
        }
        // Neither `++` and `--` nor a call or a cast: two values never follow each other.
        const char token = end > 1 || is_digit(c) ? 'v' : c;
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
