#include "tests/grammar/corpus_file.h"

#include <algorithm>

namespace slimgrad::tests {

namespace {

bool is_rule(std::string_view line, char character) {
    return line.size() >= 3 && line.find_first_not_of(character) == std::string_view::npos;
}

std::string one_line(std::string_view tree) {
    std::string result;
    for (char c : tree) {
        bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!space)
            result += c;
        else if (!result.empty() && result.back() != ' ')
            result += ' ';
    }
    while (!result.empty() && result.back() == ' ')
        result.pop_back();
    return result;
}

} // namespace

std::vector<CorpusTest> read_corpus(std::string_view text) {
    std::vector<CorpusTest> tests;
    enum class Part { before, title, source, tree } part = Part::before;
    while (!text.empty()) {
        std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end);
        std::string_view bare = line.substr(0, line.find_last_not_of('\n') + 1);
        if (is_rule(bare, '=')) {
            if (part == Part::title) {
                part = Part::source;
            } else {
                tests.emplace_back();
                part = Part::title;
            }
        } else if (part == Part::source && is_rule(bare, '-')) {
            part = Part::tree;
        } else if (part == Part::title) {
            tests.back().title += bare;
        } else if (part == Part::source) {
            tests.back().source += line;
        } else if (part == Part::tree) {
            tests.back().tree += line;
        }
    }
    for (CorpusTest& test : tests)
        test.tree = one_line(test.tree);
    return tests;
}

} // namespace slimgrad::tests
