#include "rewriter/macro_declarations.h"

#include "rewriter/brace_kind.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/macro_text.h"
#include "rewriter/syntax_node.h"
#include "rewriter/syntax_tree.h"
#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace slimgrad {

namespace {

/// What the grammar takes for a macro between declarations, wherever it stands.
constexpr std::string_view stand_in = "m();";
/// And for the head of a function. The name stands where the file has the macro's parenthesis, so
/// that it is nobody's.
constexpr std::string_view head_stand_in = "m m()";
constexpr std::size_t name_in_head = 2;

/// What a text is that stands between the members of a type, or between other declarations.
struct Contents {
    bool only_declarations = false;
    bool only_variables = false;
};

Contents contents_of(const std::string& text, BraceKind around) {
    const bool is_member = around == BraceKind::members;
    const std::string whole = is_member ? "struct S {" + text + "}" : text;
    const SyntaxTree tree = SyntaxTree::parse(whole);
    auto declarations = tree.root().children();
    if (is_member && declarations.size() == 1)
        declarations = declarations[0].field("body").children();
    if (!tree.errors().empty() || declarations.empty())
        return {};
    Contents contents{false, true};
    for (SyntaxNode node : declarations) {
        const bool is_variable = node.is("variable_declaration");
        if (node.is("macro_declaration") || (is_variable && node.field("type").is("macro_type")))
            return {};
        contents.only_declarations |= !node.is("empty_declaration");
        contents.only_variables &= is_variable || node.is("empty_declaration");
    }
    return contents;
}

bool is_space_or_comment(std::string_view text, std::size_t at) {
    return is_space(text[at]) || text.substr(at, 2) == "//" || text.substr(at, 2) == "/*";
}

/// Whether the text with a body is one function.
bool is_head(const std::string& text, BraceKind around) {
    const bool is_member = around == BraceKind::members;
    const SyntaxTree tree = SyntaxTree::parse(is_member ? "struct S {" + text + "}" : text);
    auto declarations = tree.root().children();
    if (is_member && declarations.size() == 1)
        declarations = declarations[0].field("body").children();
    return tree.errors().empty() && declarations.size() == 1 &&
           declarations[0].is("function_declaration") && declarations[0].field("body") &&
           declarations[0].field("return_type");
}

/// Where the stand-in for the head of a function begins; nothing where it finds no place.
std::optional<std::size_t> place_of_head(std::string_view text, ByteRange use) {
    const std::size_t open = text.find('(', use.begin);
    std::size_t end = use.end;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t'))
        ++end;
    return open < use.end && open >= use.begin + name_in_head &&
                   open - name_in_head + head_stand_in.size() <= end
               ? std::optional(open - name_in_head)
               : std::nullopt;
}

/// Whether this may stand before a declaration and leaves open what it declares: attributes,
/// modifiers.
bool is_prefix(std::string_view text) {
    constexpr std::array<std::string_view, 13> modifiers{
        "static",  "const",   "public", "private",     "internal", "export",  "extern",
        "no_diff", "uniform", "inline", "groupshared", "precise",  "override"};
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = token_end(text, at);
        const std::string_view token = text.substr(at, end - at);
        const bool is_blank = is_space_or_comment(text, at);
        depth -= token == "]";
        if (!is_blank && depth == 0 && token != "[" && token != "]" &&
            std::find(modifiers.begin(), modifiers.end(), token) == modifiers.end())
            return false;
        depth += token == "[";
        at = end;
    }
    return depth == 0;
}

/// Behind the blanks on the line, and behind a `;`.
std::uint32_t end_of_room(std::string_view text, std::uint32_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
        ++at;
    return at + (at < text.size() && text[at] == ';');
}

void read_tokens(std::string_view text, BraceReader& braces) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = token_end(text, at);
        if (!is_space_or_comment(text, at))
            braces.read(text.substr(at, end - at));
        at = end;
    }
}

/// Whether a text opens a type or the like, or closes one.
bool ends_with_brace(std::string_view text) {
    text = trimmed(text);
    const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
    return count('{') != count('}') &&
           (text.ends_with('{') || text.ends_with('}') || text.ends_with("};"));
}

} // namespace

std::vector<MacroDeclarations> find_macro_declarations(const ModuleModel& model,
                                                       std::string_view text) {
    std::vector<MacroDeclarations> found;
    const std::vector<ByteRange> uses = find_macro_uses(text, model.macros, true);
    auto use = uses.begin();
    BraceReader braces;
    std::size_t begin = 0; // behind the declaration before
    for (std::size_t at = 0; at < text.size() && use != uses.end();) {
        if (at != use->begin) {
            const std::size_t end = token_end(text, at);
            if (!is_space_or_comment(text, at))
                braces.read(text.substr(at, end - at));
            if (std::string_view(";{}").find(text[at]) != std::string_view::npos)
                begin = end;
            at = end;
            continue;
        }
        const BraceKind around = braces.around();
        const std::string_view written = text.substr(at, use->end - at);
        const std::string_view prefix = text.substr(begin, at - begin);
        const auto expansion =
            around != BraceKind::code && around != BraceKind::other && is_prefix(prefix)
                ? expand_macros(model, written)
                : std::nullopt;
        bool ends = false;
        if (expansion) {
            std::size_t next = use->end;
            while (next < text.size() && is_space_or_comment(text, next))
                next = token_end(text, next);
            const bool is_closed = next < text.size() && text[next] == ';';
            std::string whole = std::string(prefix) + *expansion + (is_closed ? ";" : "");
            const Contents contents = contents_of(whole, around);
            ends =
                contents.only_declarations &&
                (contents.only_variables || end_of_room(text, use->end) - begin >= stand_in.size());
            if (ends)
                found.push_back(
                    {*use, std::uint32_t(begin), std::move(whole), contents.only_variables});
            const bool is_followed_by_body = next < text.size() && text[next] == '{';
            if (!ends && is_followed_by_body && place_of_head(text, *use) &&
                is_head(*expansion + "{}", around))
                found.push_back(
                    {.use = *use, .begin = use->begin, .text = *expansion + "{}", .is_head = true});
            BraceReader inside = braces;
            read_tokens(*expansion, inside);
            const bool holds_braces = !ends && ends_with_brace(*expansion) &&
                                      inside.around() != BraceKind::code &&
                                      end_of_room(text, use->end) - begin >= stand_in.size();
            if (holds_braces)
                found.push_back({*use, std::uint32_t(begin), "", false, true, inside.around()});
            ends = ends || holds_braces;
        }
        // `BEGIN` may stand for a brace; the end of a body is one, too.
        if (const MacroDefinition* macro =
                model.find_macro(text.substr(at, token_end(text, at) - at))) {
            read_tokens(expansion ? *expansion : macro->body, braces);
            ends = ends || macro->body.ends_with('}');
        }
        at = use->end;
        ++use;
        if (ends)
            begin = at;
    }
    return found;
}

void mark_macro_declarations(std::string& text, const std::vector<MacroDeclarations>& uses) {
    const std::string before = text;
    for (const MacroDeclarations& each : uses) {
        for (std::uint32_t i = each.begin; i < each.use.end; ++i) {
            if (text[i] != '\n' && text[i] != '\r')
                text[i] = ' ';
        }
        if (each.is_head) {
            text.replace(place_of_head(before, each.use).value_or(each.use.begin),
                         head_stand_in.size(), head_stand_in);
            continue;
        }
        const std::uint32_t end = end_of_room(text, each.use.end);
        // A short name of variables leaves nothing.
        if (end - each.begin >= stand_in.size())
            text.replace(std::min<std::size_t>(each.use.begin, end - stand_in.size()),
                         stand_in.size(), stand_in);
    }
}

} // namespace slimgrad
