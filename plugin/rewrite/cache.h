#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// ${SLIMGRAD_CACHE_DIR}, else ${XDG_CACHE_HOME}/slimgrad, else ${HOME}/.cache/slimgrad. "": the
/// environment names none.
std::string cache_folder();

/// Creates the folder where it is missing. False: it cannot be used as a cache, be it that others
/// than its owner, this user or root, may write to it.
bool prepare_cache_folder(const std::string& folder);

/// Results by content: one file per key, in one folder. Entries appear whole or not at all, are
/// checked when they are read, and the least recently used go when the folder gets too large.
/// Several processes and threads may use one folder. A cache that does not work is none: nothing
/// here fails.
class Cache {
  public:
    /// `folder` is created where it is missing. It is not used where others than its owner, this
    /// user or root, may write to it.
    explicit Cache(std::string folder, std::uint64_t largest_bytes = 256u << 20);

    /// `key`: a ContentHash of everything that the value depends on. Nothing: there is no entry, or
    /// it is broken; a broken one is removed.
    std::optional<std::string> get(const std::string& key) const;
    void put(const std::string& key, std::string_view value) const;

    /// Whether it can be used.
    explicit operator bool() const { return usable_; }

  private:
    void make_room() const;

    std::string folder_;
    std::uint64_t largest_bytes_;
    bool usable_ = false;
};

} // namespace slimgrad
