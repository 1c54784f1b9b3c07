#pragma once

#include <string>
#include <sys/types.h>

namespace slimgrad {

/// From now on SIGINT, SIGTERM and SIGHUP (those that are not ignored) end the process as they do
/// by default, but not before the groups of its children are killed and its temporary folders
/// removed. To be called before other threads are started: they must not take the signals.
void clean_up_when_stopped();

/// What is to be cleaned up. Thread-safe.
void add_folder_to_clean_up(const std::string& path);
void forget_folder(const std::string& path);
void add_group_to_kill(pid_t leader);
void forget_group(pid_t leader);

} // namespace slimgrad
