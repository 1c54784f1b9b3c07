#include "attributes/conditional_statements.h"

#include "attributes/expression_text.h"
#include "attributes/macro_risk.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/macro_text.h"
#include "rewriter/unread_macros.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <vector>

namespace slimgrad {

namespace {

struct Token {
    std::string text; ///< a word, a number, an operator such as "<<=", or one character
    std::size_t at = 0;
    bool is_word = false;
};

constexpr std::string_view operators = "+-*/%<>&|^=!";

/// Without comments; strings are one token each.
std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++at;
            continue;
        }
        if (text.substr(at, 2) == "//") {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (text.substr(at, 2) == "/*") {
            const auto end = text.find("*/", at + 2);
            at = end == std::string_view::npos ? text.size() : end + 2;
            continue;
        }
        std::size_t end = at + 1;
        if (is_name(c)) {
            while (end < text.size() && is_name(text[end]))
                ++end;
        } else if (operators.find(c) != std::string_view::npos) {
            while (end < text.size() && operators.find(text[end]) != std::string_view::npos &&
                   text.substr(end, 2) != "/*" && text.substr(end, 2) != "//")
                ++end;
        } else if (c == '"' || c == '\'') {
            while (end < text.size() && text[end] != c && text[end] != '\n')
                end += text[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, text.size());
        }
        tokens.push_back({std::string(text.substr(at, end - at)), at, is_name_start(c)});
        at = end;
    }
    return tokens;
}

/// `+`, `*`, `<`, `==`, `-` twice of `a - -b`: its operands are read and no places.
bool reads_operands(const std::string& op) {
    constexpr std::array<std::string_view, 4> comparisons{"==", "<=", ">=", "!="};
    if (op.empty() || operators.find(op[0]) == std::string_view::npos ||
        op.find("++") != std::string::npos || op.find("--") != std::string::npos || op == "=" ||
        (op.ends_with('&') && op != "&&"))
        return false;
    return !op.ends_with('=') ||
           std::find(comparisons.begin(), comparisons.end(), op) != comparisons.end();
}

/// Whether the word at `i` is certainly no place that is written, and no name that is declared: an
/// index alone, an operand, all that is assigned.
bool is_only_read(const std::vector<Token>& tokens, std::size_t i) {
    const auto text = [&](std::size_t at) {
        return at < tokens.size() ? std::string_view(tokens[at].text) : std::string_view();
    };
    const std::string_view before = i > 0 ? text(i - 1) : "", after = text(i + 1);
    if (before == ".")
        return true; // a member of something
    if ((before == "[" && after == "]") || reads_operands(std::string(after)))
        return true;
    const bool is_assigned = !before.empty() && before.ends_with('=') && after == ";";
    return is_assigned || (reads_operands(std::string(before)) && after != "[" && after != "." &&
                           !after.ends_with('=') && after != "++" && after != "--");
}

/// The tokens of all that the macro may stand for, macros in it included.
void add_macro_tokens(const MacroTexts& macros, const std::string& macro,
                      std::set<std::string>& seen, std::vector<Token>& tokens) {
    const auto [first, last] = macros.equal_range(macro);
    if (first == last || !seen.insert(macro).second)
        return;
    for (auto definition = first; definition != last; ++definition) {
        for (const Token& token : tokens_of(definition->second)) {
            tokens.push_back(token);
            if (token.is_word)
                add_macro_tokens(macros, token.text, seen, tokens);
        }
        tokens.push_back({";", 0, false});
    }
}

/// Before the `;` or the `)` that ends what begins there.
std::size_t end_of_expression(std::string_view text, std::size_t begin) {
    int depth = 0;
    for (std::size_t at = begin; at < text.size(); ++at) {
        depth += text[at] == '(';
        depth -= text[at] == ')';
        if (depth < 0 || text[at] == ';')
            return at;
    }
    return text.size();
}

/// Whether what stands between two directives is whole statements.
bool is_statements(const std::vector<Token>& tokens) {
    if (tokens.empty())
        return true;
    int depth = 0;
    for (const Token& token : tokens) {
        if (token.text == "(" || token.text == "[" || token.text == "{")
            ++depth;
        else if (token.text == ")" || token.text == "]" || token.text == "}")
            --depth;
        if (depth < 0)
            return false;
    }
    return depth == 0 && tokens.front().text != "else" &&
           (tokens.back().text == ";" || tokens.back().text == "}");
}

bool leaves(std::string_view word) {
    constexpr std::array<std::string_view, 7> words{"return", "break", "continue", "discard",
                                                    "throw",  "goto",  "defer"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool sets_one(const std::vector<Token>& tokens, const std::set<std::string>& names) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].is_word)
            continue;
        if (leaves(tokens[i].text) || (names.contains(tokens[i].text) && !is_only_read(tokens, i)))
            return true;
    }
    return false;
}

} // namespace

std::set<std::string> names_behind_trips(const ModuleModel& model, Index index) {
    std::set<std::string> names;
    std::vector<std::string> work;
    const std::set<std::string> of_language{"for", "while", "do", "int", "uint"};
    const auto add_word = [&](const std::string& word) {
        if (!of_language.contains(word) && names.insert(word).second)
            work.push_back(word);
    };
    const auto add = [&](std::string_view text) {
        for (const Token& token : tokens_of(text)) {
            if (token.is_word)
                add_word(token.text);
        }
    };
    const Index function = model.loops[index].function;
    for (Index i = index; i != none; i = model.loops[i].parent) {
        const Loop& loop = model.loops[i];
        add(loop.counter);
        for (const std::string& part : {loop.start, loop.end, loop.step, loop.factor})
            add(part);
        for (const Loop::Test& test : loop.more_tests)
            add(test.end);
        add(model.text({loop.site.file, {loop.site.range.begin, loop.body.begin}}));
        for (const auto& part : {loop.condition, loop.update})
            add(part ? model.text({loop.site.file, *part}) : std::string_view());
    }
    while (!work.empty()) {
        const std::string name = std::move(work.back());
        work.pop_back();
        for (const LocalVariable& local : model.locals) {
            if (local.function == function && local.name == name && local.initializer)
                add(model.text(*local.initializer));
        }
        for (const Access& access : model.accesses) {
            if (access.function != function || access.name != name ||
                access.kind == AccessKind::read)
                continue;
            // In a macro's use it is what the use says; else all of its statement.
            const auto in_macro = std::find_if(
                model.expanded_uses.begin(), model.expanded_uses.end(),
                [&](const ExpandedUse& use) {
                    return use.file() == access.site.file && use.use().contains(access.site.range);
                });
            if (in_macro != model.expanded_uses.end()) {
                add(model.text({in_macro->file(), in_macro->use()}));
                continue;
            }
            const std::string_view text = model.files[access.site.file].text();
            const auto before = text.find_last_of(";{}", access.site.range.begin);
            const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
            add(text.substr(begin, end_of_expression(text, begin) - begin));
        }
        for (const MacroDefinition& macro : model.macros) {
            if (macro.name == name)
                add(macro.body);
        }
    }
    return names;
}

std::string macro_that_may_set(const ModuleModel& model, Index loop,
                               const std::set<std::string>& names) {
    const Function& function = model.functions[model.loops[loop].function];
    const ByteRange body = function.body.value_or(model.loops[loop].site.range);
    const std::uint32_t file = model.loops[loop].site.file;
    const std::string_view text = model.text({file, body});
    for (const ByteRange use : find_macro_uses(text, model.macros, true)) {
        const Site site{file, {body.begin + use.begin, body.begin + use.end}};
        const std::string_view written = model.text(site);
        const std::string name = first_name(written);
        // `NM++` with `#define NM n`
        const auto unread =
            std::find_if(model.unread_macros.begin(), model.unread_macros.end(),
                         [&](const UnreadMacro& macro) { return macro.site == site; });
        const bool is_unread = unread != model.unread_macros.end();
        if (is_unread && sets_what_is_beside(model, *unread))
            return name;
        const bool is_set_there = is_unread && !unread->holds_statements;
        if (model.expanded_use(site) || (!is_set_there && !macro_risk(model, name).writes))
            continue;
        const auto expansion = expand_macros(model, written, site);
        if (!expansion || sets_one(tokens_of(*expansion), names))
            return name;
        const auto words = names_in(*expansion);
        if (is_set_there && std::any_of(words.begin(), words.end(), [&](const std::string& word) {
                return names.contains(word);
            }))
            return name;
    }
    return "";
}

MacroTexts read_macro_texts(const ModuleModel& model) {
    MacroTexts texts;
    for (const MacroDefinition& macro : model.macros) {
        if (macro.file >= model.files.size())
            texts.emplace(macro.name, macro.body);
    }
    for (const SourceFile& file : model.files) {
        const std::string_view text = file.text();
        for (auto at = text.find("define"); at != std::string_view::npos;
             at = text.find("define", at + 1)) {
            const auto begin = text.find_first_not_of(" \t", at + 6);
            const std::string name =
                begin == std::string_view::npos ? "" : first_name(text.substr(begin));
            if (name.empty())
                continue;
            std::size_t end = text.find('\n', begin);
            while (end != std::string_view::npos &&
                   trimmed(text.substr(begin, end - begin)).ends_with('\\'))
                end = text.find('\n', end + 1);
            texts.emplace(name, text.substr(begin + name.size(), end - begin - name.size()));
        }
    }
    return texts;
}

bool may_set(const ModuleModel& model, ByteRange body, Site group,
             const std::set<std::string>& names, const MacroTexts& macros) {
    const std::string_view file = model.files[group.file].text();
    const std::vector<Token> before =
        tokens_of(file.substr(body.begin, group.range.begin - body.begin));
    const std::vector<Token> after =
        tokens_of(file.substr(group.range.end, body.end - group.range.end));
    const bool begins_statement =
        !before.empty() &&
        (before.back().text == ";" || before.back().text == "{" || before.back().text == "}");
    if (!begins_statement || after.empty() || after.front().text == "else")
        return true;
    // Line by line: directives part the branches.
    std::string_view rest = file.substr(group.range.begin, group.range.end - group.range.begin);
    std::string branch;
    std::vector<Token> of_macros;
    std::set<std::string> seen;
    const auto is_harmless = [&](std::string_view text) {
        const std::vector<Token> tokens = tokens_of(text);
        for (const Token& token : tokens) {
            if (token.is_word)
                add_macro_tokens(macros, token.text, seen, of_macros);
        }
        return is_statements(tokens) && !sets_one(tokens, names);
    };
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end);
        if (!trimmed(line).starts_with('#')) {
            branch += line;
            continue;
        }
        const std::string keyword = first_name(trimmed(trimmed(line).substr(1)));
        const bool is_condition = keyword == "if" || keyword == "ifdef" || keyword == "ifndef" ||
                                  keyword == "elif" || keyword == "else" || keyword == "endif";
        // What #define and #include bring may be anything, and so may a line that goes on.
        if (!is_condition || trimmed(line).ends_with('\\') || !is_harmless(branch))
            return true;
        branch.clear();
    }
    return !is_harmless(branch) || sets_one(of_macros, names);
}

} // namespace slimgrad
