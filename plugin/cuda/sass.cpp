#include "plugin/cuda/sass.h"

#include <algorithm>
#include <charconv>

namespace slimgrad {
namespace {

constexpr std::string_view section = ".section\t.text.", line_mark = "//## File \"";

void skip_spaces(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::string_view take_word(std::string_view& text) {
    skip_spaces(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t;"));
    text.remove_prefix(word.size());
    skip_spaces(text);
    return word;
}

/// Of `/*0010*/  @!P0 LDL.128 R4, [R1+0x20] ;`; without an operation for a line that is none.
SassInstruction instruction(std::string_view line) {
    SassInstruction read;
    skip_spaces(line);
    if (!line.starts_with("/*"))
        return read;
    line.remove_prefix(std::min(line.find("*/"), line.size() - 2) + 2);
    skip_spaces(line);
    while (line.starts_with('@') || line.starts_with('{')) {
        const std::string_view word = take_word(line);
        if (word.starts_with('@'))
            read.predicate = word.substr(1);
    }
    read.operation = take_word(line);
    read.operands = line.substr(0, line.find(';'));
    while (read.operands.ends_with(' '))
        read.operands.remove_suffix(1);
    return read;
}

/// Of `//## File "a.slang", line 33`.
SassLine source_line(std::string_view mark) {
    constexpr std::string_view before_number = "\", line ";
    const std::size_t end = mark.find(before_number);
    if (end == std::string_view::npos)
        return {};
    SassLine line{mark.substr(0, end), 0};
    const std::string_view number = mark.substr(end + before_number.size());
    std::from_chars(number.data(), number.data() + number.size(), line.line);
    return line;
}

void read_line(std::string_view line, SassCode& code, SassLine& current) {
    if (const std::size_t mark = line.find(line_mark); mark != std::string_view::npos) {
        current = source_line(line.substr(mark + line_mark.size()));
    } else if (line.ends_with(':') && line.find_first_of(" \t") == std::string_view::npos) {
        code.labels.emplace(line.substr(0, line.size() - 1), code.instructions.size());
    } else if (SassInstruction read = instruction(line); !read.operation.empty()) {
        read.line = current;
        code.instructions.push_back(read);
    }
}

} // namespace

std::map<std::string_view, SassCode> read_sass(std::string_view disassembly) {
    std::map<std::string_view, SassCode> sections;
    SassCode* current = nullptr;
    SassLine source;
    while (!disassembly.empty()) {
        const std::size_t end = std::min(disassembly.find('\n'), disassembly.size());
        const std::string_view line = disassembly.substr(0, end);
        disassembly.remove_prefix(std::min(end + 1, disassembly.size()));
        if (const std::size_t start = line.find(section); start != std::string_view::npos) {
            const std::string_view name = line.substr(start + section.size());
            current = &sections[name.substr(0, name.find(','))];
            source = {};
        } else if (current != nullptr && line.find("\t.section\t") != std::string_view::npos) {
            current = nullptr; // data
        } else if (current != nullptr) {
            read_line(line, *current, source);
        }
    }
    return sections;
}

} // namespace slimgrad
