#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What tells a file from the one that will stand in its place: real path, size, time of change;
/// the path alone where there is none.
std::string file_identity(const std::string& path);

/// The same of a program; a name without a slash is looked up on PATH,
/// and all that have it count: the first may be a wrapper. A script counts with its
/// text and the files that it names: a launcher with what it starts.
std::string program_identity(std::string_view program);

/// The real path of a program (of all that have the name on PATH), and, where it is a script, those
/// of the files that it names, and so on: launchers start launchers.
std::vector<std::string> started_programs(std::string_view program);

/// Of all files in a folder whose names start so.
std::string folder_identity(const std::string& folder, std::string_view prefix);

/// Of the program that runs, also where its file has been replaced since.
const std::string& own_identity();

/// The path of a program that was built with this one: it stands beside it.
std::string beside_this_program(std::string_view name);

/// The variables of the environment with these names, and their values. "NVCC_*": all that start
/// so.
std::string environment_identity(const std::vector<std::string_view>& names);

} // namespace slimgrad
