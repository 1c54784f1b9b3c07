#pragma once

#include "rewriter/module_model.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// The text that one use of a macro stands for: parameters and __VA_ARGS__ replaced, `##` joined;
/// macros in it are left as they are. Nothing if the number of arguments does not fit or the
/// parameters are not known (-D options with parameters). Example: `#define LOOP(n) [MaxIters(n)]`
/// with argument "8" gives "[MaxIters(8)]". `expand`: what an argument stands for where no `##`
/// joins it; as it is written without that.
std::optional<std::string>
expand_macro(const std::vector<SourceFile>& files, const MacroDefinition& macro,
             const std::vector<std::string>& arguments,
             const std::function<std::optional<std::string>(const std::string&)>& expand = {});

/// Where the arguments end that follow a function-like macro's name, which ends at `name_end`:
/// after the `)`, or at the end of a text that never closes them. Nothing where there are none.
std::optional<std::size_t> end_of_arguments(std::string_view text, std::size_t name_end);

/// "a" and "b[1, 2]" of `(a, b[1, 2])`, white space trimmed; none of `()`.
std::vector<std::string> macro_arguments(std::string_view list);

/// Where the token ends that begins at `at`: words, strings, comments and single characters.
std::size_t token_end(std::string_view text, std::size_t at);

/// Where function-like macros of the module are used in `text` (the active text of a file): name
/// and arguments. `with_names`: also where macros without arguments are.
std::vector<ByteRange> find_macro_uses(std::string_view text,
                                       const std::vector<MacroDefinition>& macros,
                                       bool with_names = false);

} // namespace slimgrad
