#include "rewriter/included_text.h"

#include "rewriter/syntax_node.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace slimgrad {

namespace {

/// Whether an offset lies in something that is more than a list of declarations of the module.
bool stands_inside(const SyntaxTree& tree, std::uint32_t offset) {
    // The fields of a cbuffer are globals.
    constexpr std::array<std::string_view, 6> around = {
        "source_file",       "namespace_declaration", "declaration_list",
        "scope_declaration", "buffer_declaration",    "ERROR"};
    SyntaxNode node = tree.root();
    for (bool found = true; found;) {
        found = false;
        for (SyntaxNode child : node.children()) {
            const ByteRange range = child.range();
            if (range.begin < offset && offset < range.end) {
                node = child;
                found = true;
                break;
            }
        }
        if (found && std::find(around.begin(), around.end(), node.kind()) == around.end())
            return true;
    }
    return false;
}

} // namespace

void set_included_text_aside(ModuleModel& model, const std::vector<Inclusion>& inclusions,
                             std::vector<std::string>& texts) {
    std::vector<bool> inside;
    for (const Inclusion& inclusion : inclusions) {
        inside.push_back(stands_inside(model.trees[inclusion.file], inclusion.directive.begin));
        if (inside.back())
            model.included.push_back({inclusion.file, inclusion.directive});
    }
    // The file that is read first is included by no one.
    std::vector<bool> is_part(model.files.size(), false);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t file = 1; file < model.files.size(); ++file) {
            bool is_included = false, only_inside = !is_part[file];
            for (std::size_t i = 0; i < inclusions.size(); ++i) {
                if (inclusions[i].included != file)
                    continue;
                is_included = true;
                only_inside = only_inside && (inside[i] || is_part[inclusions[i].file]);
            }
            if (is_included && only_inside)
                changed = is_part[file] = true;
        }
    }
    for (std::uint32_t file = 1; file < model.files.size(); ++file) {
        if (!is_part[file])
            continue;
        for (char& c : texts[file])
            if (c != '\n' && c != '\r')
                c = ' ';
        model.trees[file] = SyntaxTree::parse(texts[file]);
        model.unclosed[file].clear();
        model.macro_uses[file].clear();
        model.inactive[file] = {{0, std::uint32_t(texts[file].size())}};
        std::erase_if(model.expanded_uses,
                      [&](const ExpandedUse& use) { return use.file() == file; });
    }
}

} // namespace slimgrad
