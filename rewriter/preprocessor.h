#pragma once

#include "rewriter/source_file.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// `#define NAME(parameters) body` as it stands in a file, or a -D option (then `file` is none).
struct MacroDefinition {
    std::string name;
    bool function_like = false;
    std::string body; ///< continuation lines joined, comments left out, white space trimmed
    std::uint32_t file = ~std::uint32_t{0};
    ByteRange range; ///< the whole directive
};

/// `#if`, `#elif`, `#else` and the lines up to the next one of them or `#endif`.
struct ConditionalBranch {
    std::uint32_t file = 0;
    ByteRange directive; ///< the line that opens it
    ByteRange body;      ///< what it decides about, without the directives around it
};

/// `#include` in active text.
struct Inclusion {
    std::uint32_t file = 0;
    ByteRange directive;
    std::uint32_t included = ~std::uint32_t{0}; ///< a file; none where it is not among the module's
};

/// One module's files with what the preprocessor would drop replaced by spaces: every byte keeps
/// its offset and every line its number, so that positions in `texts` are positions in the files.
struct ActiveText {
    std::vector<std::string> texts; ///< same order and sizes as the files
    std::vector<std::vector<ByteRange>>
        inactive; ///< per file: what is replaced by spaces, directives included, sorted
    std::vector<ConditionalBranch> not_taken; ///< outermost ones, in no reading of their file
    std::vector<ConditionalBranch> undecided; ///< whose condition could not be evaluated: all read
    std::vector<Inclusion> inclusions;        ///< each once
    /// All active definitions, in order; -D first. Without those that are in force where nothing
    /// uses their name, with one to itself for a name that is used elsewhere, too (macro_reach.h).
    std::vector<MacroDefinition> macros;

    const MacroDefinition* find_macro(std::string_view name) const;
};

/// Blanks directives and branches that are not taken. Macros are recorded, not expanded.
///
/// The first file is the module's own; `#include "name"` is followed where a file of the list
/// matches (beside the including file, else by the end of its path). Files that no one includes are
/// read on their own, as imported modules are. `defines` are slangc's -D options: "NAME" or
/// "NAME=value". Conditions are evaluated as slangc does (condition.h); one that cannot be leaves
/// all its branches in. As for slangc, #elifdef is no directive.
/// An unbalanced #if ends with its file. Files that include each other without end are followed 64
/// deep and as far as 64 MiB go.
/// Of a literate file (literate_text.h) only the code is kept.
ActiveText preprocess(const std::vector<SourceFile>& files,
                      const std::vector<std::string>& defines);

/// Value of a preprocessor condition, or nothing where it uses what is not supported. Unknown names
/// are 0. Example: "defined(A) && V >= 2" with A and V=3 gives 1.
std::optional<std::int64_t>
evaluate_condition(std::string_view expression,
                   const std::map<std::string, MacroDefinition>& macros);

} // namespace slimgrad
