#include "rewriter/hidden_names.h"

#include "rewriter/macro_expansion.h"
#include "rewriter/macro_text.h"
#include "rewriter/set_aside.h"
#include "rewriter/syntax_node.h"

#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace slimgrad {

namespace {

using Names = std::set<std::string, std::less<>>;

bool is_word(std::string_view token) {
    return !token.empty() &&
           (token[0] == '_' || std::isalpha(static_cast<unsigned char>(token[0])));
}

/// Calls `visit(token, before, next)` for each word of the text, with the tokens around it.
template <class Visit> void for_words(std::string_view text, Visit visit) {
    std::string_view before, word;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = token_end(text, at);
        const std::string_view token = text.substr(at, end - at);
        at = end;
        if (std::isspace(static_cast<unsigned char>(token[0])) || token.starts_with("//") ||
            token.starts_with("/*"))
            continue;
        if (is_word(word))
            visit(word, before, token);
        before = std::exchange(word, token);
    }
    if (is_word(word))
        visit(word, before, std::string_view());
}

/// What a text may declare that cannot be read by itself.
void add_words(std::string_view text, Names& names) {
    for_words(text, [&](std::string_view word, std::string_view, std::string_view) {
        names.emplace(word);
    });
}

/// `float step(`: what stands between a type and a list of parameters.
void add_function_heads(std::string_view text, Names& names) {
    for_words(text, [&](std::string_view word, std::string_view before, std::string_view next) {
        const bool is_declared =
            (is_word(before) && before != "return" && before != "else" && before != "no_diff") ||
            before == ">" || before == "]";
        if (next == "(" && is_declared)
            names.emplace(word);
    });
}

/// The braces around a place, or nothing at file level.
std::optional<ByteRange> block_around(const SyntaxTree& tree, std::string_view text,
                                      ByteRange place) {
    std::optional<ByteRange> result;
    SyntaxNode node = tree.root();
    for (bool found = true; found;) {
        found = false;
        for (SyntaxNode child : node.all_children()) {
            if (!child.range().contains(place))
                continue;
            node = child;
            found = !(child.range() == place);
            const ByteRange range = child.range();
            const std::string_view slice = text.substr(range.begin, range.end - range.begin);
            if (slice.starts_with('{') && slice.ends_with('}'))
                result = range;
            break;
        }
    }
    return result;
}

void add_all(const std::vector<SetAside::Item>& items, Names& names) {
    for (const SetAside::Item& item : items)
        names.insert(item.name.substr(item.name.rfind('.') + 1));
}

/// The names in macros that may declare generic parameters: `f<GEN>`, `GENERIC void f`.
void add_generic_macros(const ModuleModel& model, Function& function) {
    const auto add = [&](const std::string& name) {
        if (!model.find_macro(name))
            return;
        for (const MacroDefinition& macro : model.macros)
            if (macro.name == name)
                add_words(expand_macros(model, macro.body).value_or(macro.body),
                          function.hidden_names);
    };
    for (const auto* generics : {&function.generics, &function.outer_generics})
        for (const GenericParameter& generic : *generics)
            add(generic.name);
    // Before its name.
    const ByteRange head{function.declaration_start, function.name_site.range.begin};
    const std::string_view text =
        head.begin < head.end ? model.text({function.site.file, head}) : std::string_view();
    for_words(text, [&](std::string_view word, std::string_view, std::string_view) {
        const MacroDefinition* macro = model.find_macro(word);
        if (macro && macro->body.find('<') != std::string::npos)
            add(std::string(word));
    });
}

} // namespace

void find_hidden_names(ModuleModel& model) {
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        for (const ByteRange& error : model.trees[file].errors())
            add_function_heads(model.text({file, error}), model.hidden_names);
    }
    // What stands inside may be anything.
    for (std::uint32_t file = 0; !model.included.empty() && file < model.files.size(); ++file) {
        const ByteRange all{0, static_cast<std::uint32_t>(model.files[file].text().size())};
        if (model.inactive[file] == std::vector{all})
            add_function_heads(model.text({file, all}), model.hidden_names);
    }
    for (Function& function : model.functions)
        add_generic_macros(model, function);
    for (const MacroUse& use : read_macro_uses(model)) {
        Names functions, names;
        const std::string_view written = model.text(use.site);
        const std::optional<std::string> text = expand_macros(model, written);
        add_all(use.contents.functions, functions);
        names = functions;
        add_all(use.contents.variables, names);
        for_words(text ? *text : std::string_view(), [&](std::string_view word, auto, auto) {
            if (word != "using")
                return;
            for (const GlobalVariable& global : model.globals)
                names.insert(global.name);
            for (const Function& function : model.functions)
                names.insert(function.name);
        });
        if (!use.contents.is_complete) {
            const MacroDefinition* macro = model.find_macro(use.name);
            const std::string known = text ? *text : macro ? macro->body : "";
            add_words(known, names);
            add_function_heads(known, functions);
        }
        const auto block = block_around(model.trees[use.site.file],
                                        model.files[use.site.file].text(), use.site.range);
        // A method may be what a call of an object calls whose type is not known.
        model.hidden_names.insert(functions.begin(), functions.end());
        if (!block)
            continue;
        for (Function& function : model.functions) {
            if (function.site.file == use.site.file &&
                (block->contains(function.site.range) || function.site.range.contains(*block)))
                function.hidden_names.insert(names.begin(), names.end());
        }
    }
}

} // namespace slimgrad
