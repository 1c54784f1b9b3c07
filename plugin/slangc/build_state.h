#pragma once

#include "plugin/rewrite/drop_in.h"
#include "rewriter/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::slangc {

/// A file that changes when what slimgrad-slangc does to CUDA changes: turned on or off, other
/// passes, another slimgrad-clang or none. Whoever depends on it is rebuilt then.
///
/// Build tools do not look at the environment, only at files. So the file is brought up to date by
/// every call, whatever its arguments: `SLIMGRAD=off slimgrad-slangc -v` is enough for the next
/// build to notice. It lies in the cache folder, one for each place where slimgrad-slangc lies.
/// Returns its path; "": there is no folder for it.
std::string update_state_file(const DropInSettings& settings);

/// What CUDA made by slimgrad-slangc depends on, beside what slangc lists: this program,
/// slimgrad-clang where there is one, and the state file. Only files that exist.
///
/// slangtorch does not know escapes: a name with a space in a depfile is an error there. Such a
/// file is listed by a link in the cache folder, or, should that have a space as well, not at all.
std::vector<std::string> own_dependencies(const DropInSettings& settings,
                                          const std::string& state_file);

/// A dependency file as slangc writes it (a line per output, `output: input input`) with further
/// inputs on each line, in slangc's way of escaping. A line that has them stays as it is.
///
/// `targets`: the further inputs also get empty rules, as `gcc -MP` writes them, so that make
/// builds again where one was removed (a cache, an older slimgrad), and does not stop.
std::string with_dependencies(std::string_view depfile, const std::vector<std::string>& further,
                              bool targets);

/// Whether the reader of a dependency file of this name takes empty rules: slangtorch, whose files
/// are called *.d.out, fails on them.
bool takes_empty_rules(std::string_view depfile_path);

} // namespace slimgrad::slangc
