#include "plugin/cuda/sass.h"

#include <algorithm>

namespace slimgrad {
namespace {

/// "LDL" of `/*0010*/  @!P0 LDL.128 R4, [R1+0x20] ;`; empty for a line that is no instruction.
std::string_view operation(std::string_view line) {
    auto skip_spaces = [&] {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    skip_spaces();
    if (!line.starts_with("/*"))
        return {};
    line.remove_prefix(std::min(line.find("*/"), line.size() - 2) + 2);
    skip_spaces();
    while (line.starts_with('@') || line.starts_with('{')) { // a predicate
        line.remove_prefix(std::min(line.find(' '), line.size()));
        skip_spaces();
    }
    return line.substr(0, line.find_first_of(". \t;"));
}

} // namespace

std::map<std::string, LocalAccesses> count_local_accesses(std::string_view disassembly) {
    constexpr std::string_view section = ".section\t.text.";
    std::map<std::string, LocalAccesses> counts;
    LocalAccesses* current = nullptr;
    while (!disassembly.empty()) {
        const std::size_t end = std::min(disassembly.find('\n'), disassembly.size());
        const std::string_view line = disassembly.substr(0, end);
        disassembly.remove_prefix(std::min(end + 1, disassembly.size()));
        if (std::size_t start = line.find(section); start != std::string_view::npos) {
            const std::string_view name = line.substr(start + section.size());
            current = &counts[std::string(name.substr(0, name.find(',')))];
        } else if (current != nullptr) {
            const std::string_view name = operation(line);
            current->loads += name == "LDL";
            current->stores += name == "STL";
        }
    }
    return counts;
}

} // namespace slimgrad
