#include "rewriter/macro_globals.h"

#include "rewriter/file_reader.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/macro_text.h"
#include "rewriter/syntax_node.h"
#include "rewriter/syntax_tree.h"

#include <algorithm>
#include <cctype>

namespace slimgrad {

namespace {

/// Whether a text is declarations of variables and nothing else.
bool declares_variables(const std::string& text) {
    const SyntaxTree tree = SyntaxTree::parse(text);
    const auto declarations = tree.root().children();
    return tree.errors().empty() && !declarations.empty() &&
           std::all_of(declarations.begin(), declarations.end(), [](SyntaxNode node) {
               return node.is("variable_declaration") && !node.field("type").is("macro_type");
           });
}

/// How many more braces a text opens than it closes.
int opened(std::string_view text) {
    return int(std::count(text.begin(), text.end(), '{')) -
           int(std::count(text.begin(), text.end(), '}'));
}

bool is_space_or_comment(std::string_view text, std::size_t at) {
    return std::isspace(static_cast<unsigned char>(text[at])) || text.substr(at, 2) == "//" ||
           text.substr(at, 2) == "/*";
}

} // namespace

std::vector<MacroGlobals> find_macro_globals(const ModuleModel& model, std::string_view text) {
    std::vector<MacroGlobals> found;
    const std::vector<ByteRange> uses = find_macro_uses(text, model.macros, true);
    auto use = uses.begin();
    int depth = 0;
    bool may_begin = true; // a declaration, here
    for (std::size_t at = 0; at < text.size() && use != uses.end();) {
        if (at != use->begin) {
            depth += text[at] == '{';
            depth -= text[at] == '}';
            if (!is_space_or_comment(text, at))
                may_begin = text[at] == ';' || text[at] == '}';
            at = token_end(text, at);
            continue;
        }
        const std::size_t next = text.find_first_not_of(" \t\r\n", use->end);
        if (may_begin && depth == 0 && next != std::string_view::npos && text[next] == ';') {
            auto expansion = expand_macros(model, text.substr(at, use->end - at));
            if (expansion && declares_variables(*expansion += ';'))
                found.push_back({*use, std::move(*expansion)});
        }
        // `BEGIN` may stand for a brace; the end of a body is one, too.
        const MacroDefinition* macro = model.find_macro(text.substr(at, token_end(text, at) - at));
        depth += macro ? opened(macro->body) : 0;
        may_begin = macro && macro->body.ends_with('}');
        at = use->end;
        ++use;
    }
    return found;
}

void mark_macro_globals(std::string& text, const std::vector<MacroGlobals>& uses) {
    for (const MacroGlobals& each : uses) {
        if (text[each.use.end - 1] != ')')
            std::fill(text.begin() + each.use.begin, text.begin() + each.use.end, ' ');
    }
}

void read_macro_globals(ModuleModel& model, std::uint32_t file,
                        const std::vector<MacroGlobals>& uses) {
    for (const MacroGlobals& each : uses) {
        const std::size_t first = model.globals.size();
        FileReader reader{model, file, each.text};
        const SyntaxTree tree = SyntaxTree::parse(each.text);
        read_declarations(reader, tree.root());
        for (std::size_t i = first; i < model.globals.size(); ++i) {
            model.globals[i].site = {file, each.use};
            for (Attribute& attribute : model.globals[i].attributes) {
                attribute.site = {file, each.use};
                attribute.group = each.use;
                attribute.from_macro = true;
            }
        }
    }
}

} // namespace slimgrad
