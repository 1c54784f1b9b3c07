#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace slimgrad {

/// An environment variable that has this value, or none, until the end of the scope. Not for tests
/// with threads.
class EnvironmentVariable {
  public:
    explicit EnvironmentVariable(std::string name, std::optional<std::string> value = std::nullopt)
        : name_(std::move(name)) {
        if (const char* before = std::getenv(name_.c_str()))
            before_ = before;
        set(value);
    }
    ~EnvironmentVariable() { set(before_); }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

  private:
    void set(const std::optional<std::string>& value) const {
        if (value)
            setenv(name_.c_str(), value->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }

    std::string name_;
    std::optional<std::string> before_;
};

} // namespace slimgrad
