#include "rewriter/set_aside.h"

#include "rewriter/file_reader.h"
#include "rewriter/macro_expansion.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

namespace slimgrad {

namespace {

constexpr int deepest_macro = 16;
constexpr std::size_t longest_expansion = 1 << 16;

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Reads a text by itself: as statements or as declarations. Sites are offsets into the text.
SetAside read_text(std::string_view text, bool statements) {
    const std::string head = statements ? "void f() {" : "";
    const std::string whole = head + std::string(text) + (statements ? ";}" : "");
    ModuleModel model;
    model.macro_uses.emplace_back();
    const SyntaxTree tree = SyntaxTree::parse(whole);
    FileReader reader{model, 0, whole};
    read_declarations(reader, tree.root());
    const auto moved = [&](std::string name, ByteRange range) {
        const auto shift = std::uint32_t(head.size());
        range.begin -= std::min(range.begin, shift);
        range.end -= std::min(range.end, shift);
        return SetAside::Item{std::move(name), {0, range}};
    };
    SetAside result;
    result.is_complete = tree.errors().empty() && model.unread.empty();
    for (const Function& function : model.functions) {
        if (!statements || function.site.range.begin != 0) // not the one around them
            result.functions.push_back(moved(function.qualified_name, function.name_site.range));
    }
    for (const Loop& loop : model.loops)
        result.loops.push_back(moved(loop.kind == LoopKind::while_loop      ? "while"
                                     : loop.kind == LoopKind::do_while_loop ? "do"
                                                                            : "for",
                                     loop.site.range));
    for (const Call& call : model.calls)
        result.calls.push_back(moved(call.callee, call.site.range));
    return result;
}

template <class Change> void for_each_item(SetAside& contents, Change change) {
    for (auto* items : {&contents.functions, &contents.loops, &contents.calls}) {
        for (SetAside::Item& item : *items)
            change(item.site);
    }
}

/// Expands macros in the macros' text. Nothing where that is not certain.
class Expander {
  public:
    explicit Expander(const ModuleModel& model) : model_(model) {
        for (const MacroDefinition& macro : model.macros) {
            const auto [known, is_new] = macros_.emplace(macro.name, &macro);
            if (!is_new && known->second && known->second->body != macro.body)
                known->second = nullptr; // which one holds depends on the place
        }
    }

    /// Null where there is none, or several.
    const MacroDefinition* find(std::string_view name) const {
        const auto found = macros_.find(name);
        return found == macros_.end() ? nullptr : found->second;
    }
    bool is_macro(std::string_view name) const { return macros_.contains(name); }

    /// The text with all macros in it replaced.
    std::optional<std::string> expand(std::string_view text, int depth = 0) const {
        if (depth > deepest_macro)
            return std::nullopt;
        std::string result;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at;
            while (end < text.size() && is_name(text[end]))
                ++end;
            const std::string_view name = text.substr(at, end - at);
            if (name.empty() || !is_macro(name)) {
                result += text.substr(at, std::max<std::size_t>(end - at, 1));
                at = std::max(end, at + 1);
            } else {
                const auto replaced = expand_use(text, at, end, depth);
                if (!replaced)
                    return std::nullopt;
                result += *replaced;
                at = end;
            }
            if (result.size() > longest_expansion)
                return std::nullopt;
        }
        return result;
    }

  private:
    /// What the macro at `begin` stands for; `end` becomes the end of its use.
    std::optional<std::string> expand_use(std::string_view text, std::size_t begin,
                                          std::size_t& end, int depth) const {
        const MacroDefinition* macro = find(text.substr(begin, end - begin));
        if (!macro)
            return std::nullopt;
        std::vector<std::string> arguments;
        if (macro->function_like) {
            const auto close = end_of_arguments(text, end);
            if (!close)
                return std::string(text.substr(begin, end - begin)); // without arguments: a name
            const auto open = text.find('(', end);
            arguments = macro_arguments(text.substr(open, *close - open));
            end = *close;
        }
        const auto once = expand_macro(model_.files, *macro, arguments);
        return once ? expand(*once, depth + 1) : std::nullopt;
    }

    const ModuleModel& model_;
    std::map<std::string, const MacroDefinition*, std::less<>> macros_;
};

/// Whether a macro's text is more than a value: what a person has to know of.
bool holds_code(std::string_view body) {
    return body.find_first_of("(;{=") != std::string_view::npos;
}

/// Names of macros in a text outside comments and strings, each with what follows it.
std::vector<ByteRange> uses_in(const Expander& expander, std::string_view text) {
    std::vector<ByteRange> uses;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        std::size_t end = at + 1;
        if (rest.starts_with("//")) {
            end = std::min(text.find('\n', at), text.size());
        } else if (rest.starts_with("/*")) {
            end = text.find("*/", at);
            end = end == std::string_view::npos ? text.size() : end + 2;
        } else if (text[at] == '"') {
            while (end < text.size() && text[end] != '"' && text[end] != '\n')
                end += text[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, text.size());
        } else if (is_name(text[at])) {
            while (end < text.size() && is_name(text[end]))
                ++end;
            const std::string_view name = text.substr(at, end - at);
            const MacroDefinition* macro = expander.find(name);
            const auto close =
                macro && macro->function_like ? end_of_arguments(text, end) : std::optional(end);
            if (expander.is_macro(name) && close) {
                end = *close;
                uses.push_back({std::uint32_t(at), std::uint32_t(end)});
            }
        }
        at = end;
    }
    return uses;
}

} // namespace

SetAside read_inactive(const ModuleModel& model, const ConditionalBranch& branch) {
    const std::string_view text = model.files[branch.file].slice(branch.body);
    SetAside contents =
        read_text(text, model.function_at(branch.file, branch.directive.begin) != none);
    for_each_item(contents, [&](Site& site) {
        site.file = branch.file;
        site.range.begin += branch.body.begin;
        site.range.end += branch.body.begin;
    });
    return contents;
}

std::vector<MacroUse> read_macro_uses(const ModuleModel& model) {
    std::vector<MacroUse> uses;
    if (model.macros.empty())
        return uses;
    const Expander expander(model);
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        // Only what the compiler sees: the same offsets, the rest is blank.
        std::string text = model.files[file].text();
        for (const ByteRange& range : model.inactive[file])
            std::fill(text.begin() + range.begin, text.begin() + range.end, ' ');
        for (const ByteRange range : uses_in(expander, text)) {
            MacroUse use;
            const std::string_view whole =
                std::string_view(text).substr(range.begin, range.end - range.begin);
            use.name = whole.substr(0, whole.find_first_of("( \t\r\n"));
            use.site = {file, range};
            use.function = model.function_at(file, range.begin);
            const MacroDefinition* macro = expander.find(use.name);
            if (macro && !holds_code(macro->body))
                continue;
            const auto expanded = macro ? expander.expand(whole) : std::nullopt;
            if (expanded)
                use.contents = read_text(*expanded, use.function != none);
            else
                use.contents.is_complete = false;
            for_each_item(use.contents, [&](Site& site) { site = use.site; });
            uses.push_back(std::move(use));
        }
    }
    return uses;
}

} // namespace slimgrad
