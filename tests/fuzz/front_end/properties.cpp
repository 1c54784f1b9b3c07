#include "tests/fuzz/front_end/properties.h"

#include "rewriter/module_model.h"
#include "rewriter/preprocessor.h"
#include "rewriter/source_edit.h"
#include "tests/fuzz/front_end/analyses.h"
#include "tests/fuzz/front_end/edit_properties.h"
#include "tests/fuzz/front_end/input.h"
#include "tests/fuzz/front_end/property.h"

#include <fmt/format.h>

namespace slimgrad::front_end {

namespace {

// Fixes that are tried; each costs a model of its own.
constexpr std::size_t most_fixes = 8;

/// What is dropped is white space of the same size, in lines that stay where they are. A CR that
/// ends a line by itself is LF in what is parsed.
void check_blanked(const Input& input) {
    const ActiveText active = preprocess(input.files, input.defines);
    require(active.texts.size() == input.files.size(), [] { return "not every file has a text"; });
    for (std::size_t file = 0; file < input.files.size(); ++file) {
        const std::string& before = input.files[file].text();
        const std::string& after = active.texts[file];
        require(before.size() == after.size(), [] { return "preprocess changes a text's size"; });
        for (std::size_t i = 0; i < before.size(); ++i) {
            const bool line_break = before[i] == '\n' || before[i] == '\r';
            const bool lone = before[i] == '\r' && before.compare(i + 1, 1, "\n") != 0;
            require(after[i] == before[i] || (lone && after[i] == '\n') ||
                        (after[i] == ' ' && !line_break),
                    [&] {
                        return fmt::format("{}: preprocess changes byte {}",
                                           input.files[file].path(), i);
                    });
        }
        std::uint32_t end = 0;
        for (ByteRange dropped : active.inactive[file]) {
            require(end <= dropped.begin && !dropped.empty() && dropped.end <= before.size(),
                    [] { return "what preprocess drops is not in order"; });
            end = dropped.end;
        }
    }
}

void check(std::string_view bytes) {
    const Input input = read_input(bytes);
    for (const SourceFile& file : input.files) {
        check_positions(file);
        check_tree(file, SyntaxTree::parse(file.text())); // what grammar tools see
    }
    check_blanked(input);
    const ModuleModel model = build_module_model(input.files, input.defines);
    for (std::size_t file = 0; file < model.files.size(); ++file)
        check_tree(model.files[file], model.trees[file]);
    check_model(model);
    require(apply_edits({{"a", "b"}}, {})->empty(), [] { return "no edits change something"; });
    std::size_t count = 0;
    for (const auto& edits : run_analyses(model)) {
        if (++count > most_fixes)
            break;
        check_edits(model, input.defines, edits);
    }
    for (const auto& edits : usual_edits(model))
        check_edits(model, input.defines, edits);
}

} // namespace

std::string broken_property(std::string_view bytes) {
    try {
        check(bytes);
    } catch (const BrokenProperty& broken) {
        return broken.what;
    }
    return "";
}

} // namespace slimgrad::front_end
