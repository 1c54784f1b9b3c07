#pragma once

#include "rewriter/result.h"

#include <string>
#include <utility>

namespace slimgrad {

/// A new folder under the system's temporary directory, removed with all it holds when this goes.
/// The first one of a process also removes those that processes left which were killed, more than a
/// day ago.
class TemporaryDirectory {
  public:
    static Result<TemporaryDirectory> create();
    TemporaryDirectory(TemporaryDirectory&& other) noexcept;
    TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;
    ~TemporaryDirectory();
    const std::string& path() const { return path_; }

  private:
    explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
    void remove() noexcept;
    std::string path_;
};

} // namespace slimgrad
