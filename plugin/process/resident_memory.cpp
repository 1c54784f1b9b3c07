#include "plugin/process/resident_memory.h"

#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace slimgrad {

std::uint64_t resident_bytes(pid_t pid) {
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    std::uint64_t size = 0, resident = 0;
    std::ifstream(fmt::format("/proc/{}/statm", pid)) >> size >> resident;
    resident *= page;
    // Of the main thread: children of other threads are listed under these. Nothing that is watched
    // here has any.
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
    for (pid_t child = 0; children >> child;)
        resident += resident_bytes(child);
    return resident;
}

} // namespace slimgrad
