#include "rewriter/set_aside.h"

#include "rewriter/file_reader.h"
#include "rewriter/macro_declarations.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/macro_marks.h"
#include "rewriter/macro_place.h"
#include "rewriter/macro_text.h"
#include "rewriter/macro_type.h"
#include "rewriter/words.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace slimgrad {

namespace {

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
    const auto add_names = [&](const auto& declarations) {
        for (const auto& declaration : declarations)
            result.variables.push_back(moved(declaration.name, declaration.site.range));
    };
    add_names(model.globals);
    add_names(model.locals);
    add_names(model.types);
    for (const EnumConstant& constant : model.enum_constants)
        result.variables.push_back(moved(constant.name, {}));
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
    for (auto* items :
         {&contents.functions, &contents.variables, &contents.loops, &contents.calls}) {
        for (SetAside::Item& item : *items)
            change(item.site);
    }
}

/// Whether a macro's text is more than a value: what a person has to know of.
bool holds_code(std::string_view body) {
    return body.find_first_of("(;{=") != std::string_view::npos;
}

using Span = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

Span span_of(Site site) {
    return {site.file, site.range.begin, site.range.end};
}

/// Places of macros' uses, among others, that attributes were read from.
std::set<Span> places_that_were_read(const ModuleModel& model) {
    std::set<Span> places;
    const auto add = [&](Site site) { places.insert(span_of(site)); };
    const auto add_attributes = [&](const auto& items) {
        for (const auto& item : items) {
            for (const Attribute& attribute : item.attributes) {
                if (attribute.from_macro)
                    add(attribute.site);
            }
        }
    };
    add_attributes(model.functions);
    add_attributes(model.loops);
    return places;
}

/// Names of macros in a text outside comments and strings, each with what follows it.
std::vector<ByteRange> uses_in(const ModuleModel& model, std::string_view text) {
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
            const MacroDefinition* macro = model.find_macro(name);
            const auto close =
                macro && macro->function_like ? end_of_arguments(text, end) : std::optional(end);
            if (macro && close) {
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
    auto were_read = places_that_were_read(model);
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        // Only what the compiler sees: the same offsets, the rest is blank.
        std::string text = model.files[file].text();
        for (const ByteRange& range : model.inactive[file])
            std::fill(text.begin() + range.begin, text.begin() + range.end, ' ');
        for (const MacroDeclarations& declared : find_macro_declarations(model, text)) {
            if (declared.only_variables || declared.is_head)
                were_read.insert(span_of({file, declared.use}));
        }
        for (const ByteRange range : uses_in(model, text)) {
            const std::string_view whole =
                std::string_view(text).substr(range.begin, range.end - range.begin);
            // The model holds what these stand for: a statement's head, a type, a name.
            if (model.expanded_use({file, range}) || declaration_behind_macros(model, whole) ||
                is_brace(model, whole) || were_read.contains(span_of({file, range})) ||
                name_behind_macros(model, std::string(whole)) != whole)
                continue;
            MacroUse use;
            use.name = whole.substr(0, whole.find_first_of("( \t\r\n"));
            use.site = {file, range};
            const auto here = macro_at(model, use.name, use.site);
            if (here && !*here)
                continue;
            use.function = model.function_at(file, range.begin);
            const MacroDefinition* only = model.find_only_macro(use.name);
            const MacroDefinition* macro = only ? only : here.value_or(nullptr);
            if (macro && !holds_code(macro->body))
                continue;
            // A macro in its own expansion stays, and what it means then is not looked into.
            const auto expanded = expand_macros(model, whole, use.site);
            if (expanded && macro)
                use.contents = read_text(*expanded, use.function != none);
            use.contents.is_complete &= expanded && macro && uses_in(model, *expanded).empty();
            for_each_item(use.contents, [&](Site& site) { site = use.site; });
            uses.push_back(std::move(use));
        }
    }
    return uses;
}

} // namespace slimgrad
