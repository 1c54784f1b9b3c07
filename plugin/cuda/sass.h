#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A line of a source file, as the line information of a cubin names it.
struct SassLine {
    std::string_view file;
    std::uint32_t line = 0; ///< 0: there is none
};

/// One instruction: `@!P0 LDL.64 R4, [R1+0x20] ;`.
struct SassInstruction {
    std::string_view predicate; ///< "!P0"; empty where it always runs
    std::string_view operation; ///< "LDL.64"
    std::string_view operands;  ///< "R4, [R1+0x20]"
    SassLine line;

    /// "LDL" of "LDL.64".
    std::string_view name() const { return operation.substr(0, operation.find('.')); }
};

/// The code of one section: a function with those it calls that have no section of their own.
struct SassCode {
    std::vector<SassInstruction> instructions;
    std::map<std::string_view, std::size_t> labels; ///< index of the instruction that follows
};

/// Reads what `nvdisasm -c` prints, with or without -g: code by the symbol of its section's
/// function. The result points into the text.
std::map<std::string_view, SassCode> read_sass(std::string_view disassembly);

} // namespace slimgrad
