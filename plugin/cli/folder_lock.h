#pragma once

#include "plugin/process/unique_fd.h"

#include <fcntl.h>
#include <string>
#include <sys/file.h>

namespace slimgrad {

/// Holds a folder's lock for as long as it lives, so that two runs do not lose what the other
/// writes there. Where it cannot be had, it is done without.
class FolderLock {
  public:
    explicit FolderLock(const std::string& folder)
        : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        if (fd_)
            flock(fd_.get(), LOCK_EX);
    }

  private:
    UniqueFd fd_;
};

} // namespace slimgrad
