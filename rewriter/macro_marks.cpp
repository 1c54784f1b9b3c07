#include "rewriter/macro_marks.h"

#include "rewriter/macro_expansion.h"
#include "rewriter/macro_text.h"
#include "rewriter/macro_type.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace slimgrad {

namespace {

// No real head is longer, no real module has more of them.
constexpr std::size_t longest_head = 4000, most_heads = 10'000;
constexpr int deepest_macro = 16;

/// The first word of a macro's text, or its first character.
std::string_view first_token(std::string_view body) {
    return body.substr(0, body.empty() ? 0 : token_end(body, 0));
}

bool begins_statement(const ModuleModel& model, const MacroDefinition& macro, int depth) {
    constexpr std::array<std::string_view, 4> words{"for", "while", "if", "["};
    std::string_view first = first_token(macro.body);
    if (first == "$")
        return macro.body.starts_with("$for");
    if (std::find(words.begin(), words.end(), first) != words.end())
        return true;
    const MacroDefinition* inner = depth < deepest_macro ? model.find_macro(first) : nullptr;
    return inner && inner->name != macro.name && begins_statement(model, *inner, depth + 1);
}

/// Whether a macro of this name, or one in its text, joins words to one.
bool joins(const ModuleModel& model, std::string_view name, int depth) {
    const MacroDefinition* macro = depth < deepest_macro ? model.find_only_macro(name) : nullptr;
    if (!macro)
        return false;
    const std::string_view body = macro->body;
    if (body.find("##") != std::string_view::npos)
        return true;
    // Macros in macros begin the text that they make a name of.
    return first_token(body) != name && joins(model, first_token(body), depth + 1);
}

bool is_lone_brace(const MacroDefinition& macro) {
    return macro.body == "{" || macro.body == "}";
}

/// "[a] [b(1)]": nothing but attributes.
bool is_attributes(std::string_view text) {
    int depth = 0;
    bool any = false;
    for (std::size_t at = 0; at < text.size(); at = token_end(text, at)) {
        const char c = text[at];
        if (c == '[') {
            ++depth;
            any = true;
        } else if (c == ']') {
            --depth;
        } else if (depth == 0 && std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
            return false;
        }
    }
    return any && depth == 0;
}

void fill(std::string& text, ByteRange range, char with) {
    std::fill(text.begin() + range.begin, text.begin() + range.end, with);
}

} // namespace

std::vector<ExpandedUse> find_statement_heads(const ModuleModel& model, std::uint32_t file,
                                              std::string_view text) {
    std::set<std::string, std::less<>> names;
    for (const MacroDefinition& macro : model.macros) {
        if (begins_statement(model, macro, 0))
            names.insert(macro.name);
    }
    std::vector<ExpandedUse> heads;
    if (names.empty())
        return heads;
    for (const ByteRange use : find_macro_uses(text, model.macros, true)) {
        const std::string_view source = text.substr(use.begin, use.end - use.begin);
        if (!names.contains(first_token(source)) || heads.size() >= most_heads)
            continue;
        const auto expansion = expand_macros(model, source, Site{file, use});
        if (!expansion || expansion->size() > longest_head)
            continue;
        if (auto head = ExpandedUse::as_statement(file, use, source, *expansion))
            heads.push_back(std::move(*head));
    }
    return heads;
}

void mark_statement_heads(std::string& text, const std::vector<ExpandedUse>& heads) {
    for (const ExpandedUse& head : heads)
        fill(text, head.use(), '\x01');
}

bool is_brace(const ModuleModel& model, std::string_view use) {
    const MacroDefinition* macro = model.find_only_macro(first_token(use));
    // A brace that comes with other text, `for (..) {`, cannot be put in place of its macro, and
    // the one that closes it would close another.
    return macro && is_lone_brace(*macro) &&
           std::all_of(model.macros.begin(), model.macros.end(), [](const MacroDefinition& other) {
               return is_lone_brace(other) ||
                      std::count(other.body.begin(), other.body.end(), '{') ==
                          std::count(other.body.begin(), other.body.end(), '}');
           });
}

void mark_braces(std::string& text, const ModuleModel& model) {
    if (std::none_of(model.macros.begin(), model.macros.end(), is_lone_brace))
        return;
    for (const ByteRange use : find_macro_uses(text, model.macros, true)) {
        const std::string written = text.substr(use.begin, use.end - use.begin);
        if (!is_brace(model, written))
            continue;
        fill(text, use, ' ');
        text[use.end - 1] = model.find_only_macro(first_token(written))->body[0];
    }
}

void join_attributes(std::string& text, const ModuleModel& model) {
    const bool any =
        std::any_of(model.macros.begin(), model.macros.end(), [](const MacroDefinition& macro) {
            return macro.function_like && macro.body.starts_with('[');
        });
    if (!any)
        return;
    for (const ByteRange use : find_macro_uses(text, model.macros)) {
        const auto expansion =
            expand_macros(model, std::string_view(text).substr(use.begin, use.end - use.begin));
        if (!expansion || !is_attributes(*expansion))
            continue;
        std::size_t end = use.end;
        while (end < text.size() &&
               (std::string_view(" \t\r\n").find(text[end]) != std::string_view::npos ||
                text.compare(end, 2, "//") == 0 || text.compare(end, 2, "/*") == 0))
            end = token_end(text, end);
        fill(text, {use.end, std::uint32_t(end)}, ' ');
    }
}

void mark_joined_names(std::string& text, const ModuleModel& model) {
    const bool any =
        std::any_of(model.macros.begin(), model.macros.end(), [](const MacroDefinition& macro) {
            return macro.body.find("##") != std::string::npos;
        });
    if (!any)
        return;
    for (const ByteRange use : find_macro_uses(text, model.macros)) {
        const std::size_t next = text.find_first_not_of(" \t\r\n", use.end);
        if (next == std::string::npos || text[next] != '(')
            continue;
        const std::string written = text.substr(use.begin, use.end - use.begin);
        if (joins(model, first_token(written), 0) && name_behind_macros(model, written) != written)
            fill(text, use, 'm');
    }
}

} // namespace slimgrad
