#include "rewriter/unread_macros.h"

#include "rewriter/brace_kind.h"
#include "rewriter/core_module.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/macro_text.h"
#include "rewriter/type.h"
#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace slimgrad {

namespace {

std::string_view name_of(std::string_view use) {
    return use.substr(0, token_end(use, 0));
}

bool is_balanced(std::string_view text) {
    int depth = 0;
    for (char c : text) {
        depth += std::string_view("({[").find(c) != std::string_view::npos   ? 1
                 : std::string_view(")}]").find(c) != std::string_view::npos ? -1
                                                                             : 0;
        if (depth < 0)
            return false;
    }
    return depth == 0;
}

/// Where the brackets around the last of the text's characters open, or its end.
std::size_t opening(std::string_view text) {
    int depth = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
        depth += text[i] == ']' || text[i] == ')' ? 1 : text[i] == '[' || text[i] == '(' ? -1 : 0;
        if (depth == 0)
            return i;
    }
    return text.size();
}

/// `n`, `(s.n)`, `a[i]`, `this`: "n", "s", "a", "this". Nothing where it is no place in memory.
std::string_view head_of_place(std::string_view text) {
    text = trimmed(text);
    while (text.size() > 1 && text.front() == '(' && text.back() == ')' && opening(text) == 0)
        text = trimmed(text.substr(1, text.size() - 2));
    if (text.empty() || !is_name_start(text[0]))
        return {};
    const std::size_t end = token_end(text, 0);
    const std::string_view head = text.substr(0, end);
    std::string_view rest = trimmed(text.substr(end));
    while (!rest.empty()) {
        std::size_t length = 0;
        if (rest[0] == '.' && rest.size() > 1 && is_name_start(rest[1])) {
            length = token_end(rest, 1);
        } else if (rest[0] == '[') {
            int depth = 0;
            do {
                depth += rest[length] == '[' ? 1 : rest[length] == ']' ? -1 : 0;
                ++length;
            } while (depth > 0 && length < rest.size());
        } else {
            return {};
        }
        rest = trimmed(rest.substr(length));
    }
    return head;
}

bool is_assignment(std::string_view text) {
    constexpr std::array<std::string_view, 11> operators{
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<="};
    if (text.starts_with("=") && !text.starts_with("==") && !text.starts_with("=>"))
        return true;
    return text.starts_with(">>=") ||
           std::any_of(operators.begin(), operators.end(),
                       [&](std::string_view op) { return text.starts_with(op); });
}

/// Whether what stands at `use` may be set there: assigned to, counted, or passed on alone.
bool may_be_set(std::string_view text, ByteRange use) {
    std::size_t begin = use.begin, end = use.end;
    const auto skip = [&] {
        while (begin > 0 && is_space(text[begin - 1]))
            --begin;
        while (end < text.size() && is_space(text[end]))
            ++end;
    };
    const auto before = [&] { return begin > 0 ? text[begin - 1] : '\0'; };
    const auto behind = [&] { return end < text.size() ? text[end] : '\0'; };
    for (;;) {
        skip();
        if (behind() == '.' || behind() == '[') {
            int depth = 0;
            do {
                depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
                ++end;
            } while (end < text.size() && depth > 0);
            skip();
            while (end < text.size() && is_name(text[end]))
                ++end;
        } else if (before() == '(' && behind() == ')') {
            // `(NM) = 2`, or the only argument of a call.
            if (begin > 1 && (is_name(text[begin - 2]) || text[begin - 2] == '>'))
                return true;
            --begin;
            ++end;
        } else {
            break;
        }
    }
    const std::string_view ahead =
        text.substr(begin - std::min<std::size_t>(begin, 2), std::min<std::size_t>(begin, 2));
    const bool is_argument =
        (before() == '(' || before() == ',') && (behind() == ')' || behind() == ',');
    return is_assignment(text.substr(end)) || ahead == "++" || ahead == "--" || is_argument ||
           before() == '&';
}

bool has_token(std::string_view text, std::string_view word) {
    for (std::size_t at = 0; at < text.size(); at = token_end(text, at)) {
        if (text.substr(at, token_end(text, at) - at) == word)
            return true;
    }
    return false;
}

/// Statements, assignments and the like, which a value has none of.
bool holds_statements(std::string_view expansion) {
    constexpr std::array<std::string_view, 8> words{"return", "break",   "continue", "discard",
                                                    "throw",  "default", "case",     "defer"};
    for (std::size_t at = 0; at < expansion.size();) {
        const std::size_t end = token_end(expansion, at);
        const std::string_view token = expansion.substr(at, end - at);
        if (token == ";" || token == "{" || token == "}" ||
            std::find(words.begin(), words.end(), token) != words.end())
            return true;
        const char before = at > 0 ? expansion[at - 1] : ' ';
        const bool compares = token == "=" &&
                              std::string_view("<>!=").find(before) != std::string_view::npos &&
                              !(at > 1 && expansion[at - 2] == before && before != '=');
        if (!is_name_start(token[0]) && !compares && is_assignment(expansion.substr(at)) &&
            !(token == "=" && before == '='))
            return true;
        at = end;
    }
    return false;
}

/// `a[i]`, and not `[unroll]`.
bool ends_with_subscript(std::string_view text) {
    bool is_subscript = false;
    while (!is_subscript && text.ends_with(']')) {
        text = trimmed(text.substr(0, std::min(opening(text), text.size() - 1)));
        is_subscript = !text.empty() && (text.back() == ')' || is_name(text.back()));
    }
    return is_subscript;
}

/// Whether a macro's text goes on with what stands before its use: an index, arguments, a member,
/// an operator.
bool goes_on(std::string_view before, std::string_view expansion) {
    constexpr std::array<std::string_view, 12> words{"return", "else",  "do",  "in",
                                                     "case",   "throw", "out", "const",
                                                     "goto",   "inout", "let", "var"};
    before = trimmed(before);
    if (before.empty() || expansion.empty())
        return false;
    const char last = before.back(), first = expansion.front();
    if (last == '.') // a name alone is read as a member
        return token_end(expansion, 0) != expansion.size();
    std::size_t begin = before.size();
    while (begin > 0 && is_name(before[begin - 1]))
        --begin;
    const std::string_view word = before.substr(begin);
    const bool is_value = !word.empty() && is_name_start(word[0]) &&
                          std::find(words.begin(), words.end(), word) == words.end();
    if (first == '.' && !(expansion.size() > 1 && is_digit(expansion[1])))
        return true;
    if (first == '[' || first == '(')
        return is_value || ends_with_subscript(before);
    constexpr std::string_view operators = "+-*/%&|^<>=?:,";
    return operators.find(first) != std::string_view::npos &&
           (is_value || last == ']' || last == ')');
}

/// The names that stand for memory which a function may set.
std::set<std::string, std::less<>> places_in(const ModuleModel& model, Index function) {
    std::set<std::string, std::less<>> names{"this"};
    const Function& f = model.functions[function];
    for (const Parameter& parameter : f.parameters)
        names.insert(parameter.name);
    for (const LocalVariable& local : model.locals) {
        if (local.function == function)
            names.insert(local.name);
    }
    return names;
}

bool may_be_place(const ModuleModel& model, std::string_view head,
                  const std::set<std::string, std::less<>>& own) {
    if (head.empty())
        return false;
    if (own.contains(head))
        return true;
    if (!scalar_of(head).empty() || is_core_type(head) || model.find_type(head) ||
        !model.find_functions(head).empty())
        return false;
    const GlobalVariable* global = model.find_global(head);
    return !global || global->kind == GlobalKind::mutable_static ||
           global->kind == GlobalKind::groupshared;
}

} // namespace

void find_unread_macros(ModuleModel& model, const std::vector<std::string>& texts) {
    if (model.macros.empty())
        return;
    std::vector<std::vector<Index>> functions(model.files.size());
    for (Index i = 0; i < model.functions.size(); ++i) {
        if (model.functions[i].body && !model.functions[i].from_macro)
            functions[model.functions[i].site.file].push_back(i);
    }
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        const std::string_view text = texts[file];
        for (const ByteRange use : find_macro_uses(text, model.macros, true)) {
            const Index function = model.function_at(file, use.begin);
            if (function == none || !model.functions[function].body ||
                !model.functions[function].body->contains(use) || model.expanded_use({file, use}))
                continue;
            const std::string_view written = text.substr(use.begin, use.end - use.begin);
            const auto expansion = expand_macros(model, written, {file, use});
            // Of one that is not known, each word of its text counts.
            std::string known = expansion.value_or("");
            for (const MacroDefinition& macro : model.macros) {
                if (!expansion && macro.name == name_of(written))
                    known += macro.body + " ";
            }
            const std::string_view whole = trimmed(known);
            const bool is_part = goes_on(text.substr(0, use.begin), whole);
            if (whole.empty() || (whole.starts_with('[') && !is_part))
                continue; // brackets by themselves are attributes
            const bool sets = is_part || holds_statements(known);
            if (sets ||
                (may_be_set(text, use) && (!expansion || may_be_place(model, head_of_place(known),
                                                                      places_in(model, function)))))
                model.unread_macros.push_back(
                    {std::string(name_of(written)), {file, use}, function, sets});
        }
    }
}

bool sets_what_is_beside(const ModuleModel& model, const UnreadMacro& macro) {
    if (!macro.holds_statements)
        return false;
    const auto expansion = expand_macros(model, model.text(macro.site), macro.site);
    const std::string_view whole = trimmed(expansion ? *expansion : std::string_view());
    const std::string_view file = model.files[macro.site.file].text();
    if (whole.empty() || goes_on(file.substr(0, macro.site.range.begin), whole))
        return true;
    const char first = whole.front(), last = whole.back();
    const bool begins =
        is_name(first) || std::string_view("({;}\"$").find(first) != std::string_view::npos;
    const bool ends =
        is_name(last) || std::string_view(")];}\"").find(last) != std::string_view::npos;
    return !begins || !ends;
}

void mark_whole_statements(std::string& text, const ModuleModel& model) {
    const bool any =
        std::any_of(model.macros.begin(), model.macros.end(), [](const MacroDefinition& macro) {
            const std::string_view body = trimmed(macro.body);
            return body.empty() || body.ends_with(';') || body.ends_with('}');
        });
    if (!any)
        return;
    BraceReader braces;
    std::size_t at = 0;
    for (const ByteRange use : find_macro_uses(text, model.macros, true)) {
        while (at < use.begin) {
            const std::size_t end = token_end(text, at);
            braces.read(std::string_view(text).substr(at, end - at));
            at = end;
        }
        if (braces.around() != BraceKind::code)
            continue;
        const std::size_t next = text.find_first_not_of(" \t\r\n", use.end);
        const auto expansion =
            expand_macros(model, std::string_view(text).substr(use.begin, use.end - use.begin));
        if (!expansion)
            continue;
        const std::string_view whole = trimmed(*expansion);
        const auto blank = [&] {
            for (std::size_t i = use.begin; i < use.end; ++i) {
                if (text[i] != '\n' && text[i] != '\r')
                    text[i] = ' ';
            }
        };
        if (whole.empty()) {
            blank();
            continue;
        }
        if (next == std::string::npos || text[next] == ';')
            continue;
        // Labels and derivatives that a macro holds are read where the grammar can.
        if ((!whole.ends_with(';') && !whole.ends_with('}')) || !is_balanced(whole) ||
            whole.find("_diff") != std::string_view::npos || has_token(whole, "case") ||
            has_token(whole, "default"))
            continue;
        blank();
        text[use.begin] = ';';
    }
}

} // namespace slimgrad
