#include "tests/fuzz/front_end/edit_properties.h"

#include "rewriter/syntax_node.h"
#include "rewriter/unified_diff.h"
#include "tests/fuzz/front_end/patch.h"
#include "tests/fuzz/front_end/property.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace slimgrad::front_end {

namespace {

// An edit costs a parse of the whole file.
constexpr std::size_t most_edits_of_a_kind = 4;

std::uint32_t file_of(const ModuleModel& model, const SourceEdit& edit) {
    const Index file = model.find_file(edit.path);
    require(file != none, [&] { return "an edit of " + edit.path + ", which is no file"; });
    return file;
}

/// Whether the declaration that the edit stands in or at, or one beside it, has an error: what the
/// parser made of the text around an error is a guess, and may become another one.
bool is_beside_error(const ModuleModel& model, std::uint32_t file, ByteRange edit) {
    const std::vector<SyntaxNode> declarations = model.trees[file].root().all_children();
    const auto first = std::find_if(declarations.begin(), declarations.end(), [&](SyntaxNode node) {
        return node.range().end >= edit.begin;
    });
    const auto last = std::find_if(first, declarations.end(),
                                   [&](SyntaxNode node) { return node.range().begin > edit.end; });
    return std::any_of(first == declarations.begin() ? first : first - 1,
                       last == declarations.end() ? last : last + 1,
                       [](SyntaxNode node) { return node.has_error(); });
}

/// The text after the edits, made another way than apply_edits does it.
std::string replaced(std::string_view text, std::vector<SourceEdit> edits) {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const auto& a, const auto& b) { return a.range < b.range; });
    edits.erase(std::unique(edits.begin(), edits.end()), edits.end());
    std::string result(text);
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
        result.replace(edit->range.begin, edit->range.end - edit->range.begin, edit->text);
    return result;
}

/// Whether the edit changes bytes of an error, or inserts between them or where a token is missing.
/// What is inserted right behind an error is outside.
bool is_in_error(const ModuleModel& model, std::uint32_t file, ByteRange edit) {
    if (!edit.empty())
        return model.is_broken({file, edit});
    const auto& errors = model.trees[file].errors();
    return std::any_of(errors.begin(), errors.end(), [&](ByteRange error) {
        return error.empty() ? error == edit : error.begin < edit.begin && edit.end < error.end;
    });
}

void check_place(const ModuleModel& model, const SourceEdit& edit) {
    const std::uint32_t file = file_of(model, edit);
    const std::string& text = model.files[file].text();
    const auto shown = [&](std::string_view fault) {
        return fmt::format("the edit of [{}, {}) by '{}' {}", edit.range.begin, edit.range.end,
                           edit.text, fault);
    };
    require(edit.range.begin <= edit.range.end && edit.range.end <= text.size(),
            [&] { return shown("is not in the file"); });
    for (std::uint32_t end : {edit.range.begin, edit.range.end})
        require(!splits_character(text, end), [&] { return shown("splits a character"); });
    require(!is_in_error(model, file, edit.range), [&] { return shown("is in a syntax error"); });
    require(!model.is_macro({file, edit.range}), [&] { return shown("is in a macro"); });
}

} // namespace

void check_edits(const ModuleModel& model, const std::vector<std::string>& defines,
                 const std::vector<SourceEdit>& edits) {
    FileTexts texts;
    for (const SourceFile& file : model.files)
        texts.emplace(file.path(), file.text());
    for (const SourceEdit& edit : edits)
        check_place(model, edit);
    const Result<FileTexts> changed = apply_edits(texts, edits);
    require(changed.has_value(), [&] { return to_string(changed.error()); });

    std::vector<SourceFile> files;
    for (const SourceFile& file : model.files) {
        std::vector<SourceEdit> own;
        std::copy_if(edits.begin(), edits.end(), std::back_inserter(own),
                     [&](const SourceEdit& edit) { return edit.path == file.path(); });
        const auto found = changed->find(file.path());
        const std::string& after = found == changed->end() ? file.text() : found->second;
        require(after == replaced(file.text(), own),
                [&] { return file.path() + ": more than the edits changed"; });
        const std::string diff = unified_diff(file.path(), file.text(), after);
        require(apply_patch(file.text(), diff) == after,
                [&] { return file.path() + ": the diff does not give the new text"; });
        files.emplace_back(file.path(), after);
    }
    const ModuleModel edited = build_module_model(std::move(files), defines);
    for (const SourceEdit& edit : edits) {
        const std::uint32_t file = file_of(model, edit);
        if (is_beside_error(model, file, edit.range))
            continue;
        const std::size_t before = model.trees[file].errors().size();
        const std::size_t after = edited.trees[file].errors().size();
        require(before == after, [&] {
            return fmt::format("the edit of [{}, {}) by '{}' makes {} errors of {}",
                               edit.range.begin, edit.range.end, edit.text, after, before);
        });
    }
}

std::vector<std::vector<SourceEdit>> usual_edits(const ModuleModel& model) {
    std::vector<std::vector<SourceEdit>> edits;
    const auto may_edit = [&](Site site) {
        return !model.is_broken(site) && !model.is_macro(site);
    };
    std::size_t count = 0;
    for (const Function& function : model.functions) {
        const std::uint32_t start = function.declaration_start;
        if (function.from_macro || !may_edit(function.site) || count == most_edits_of_a_kind)
            continue;
        ++count;
        edits.push_back({insert_line_above(model.files[function.site.file], start,
                                           "[PreferRecompute(SideEffectBehavior.Allow)]")});
    }
    count = 0;
    for (const Loop& loop : model.loops) {
        if (!may_edit({loop.site.file, loop.with_attributes}) || count == most_edits_of_a_kind)
            continue;
        ++count;
        edits.push_back(
            {insert_line_above(model.files[loop.site.file], loop.keyword, "[MaxIters(8)]")});
    }
    count = 0;
    for (const Call& call : model.calls) {
        if (!may_edit(call.site) || count == most_edits_of_a_kind)
            continue;
        ++count;
        const std::string text(model.text(call.site));
        const std::string& path = model.files[call.site.file].path();
        edits.push_back({{path, call.site.range, "slimgrad_wrapped(" + text + ")"}});
        edits.push_back({{path, call.site.range, text}});
    }
    return edits;
}

} // namespace slimgrad::front_end
