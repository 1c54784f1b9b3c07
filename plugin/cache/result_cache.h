#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

class SqliteDatabase;

/// What compilers and runs gave, by the content that it depends on: kind + key -> value, in one
/// SQLite file. Values appear whole or not at all, are checked when they are read, and those that
/// were not used for longest go when there are too many. Several processes and threads may use one
/// file, and be killed at any moment. A file that is broken or of another version is made anew.
///
/// A cache that does not work is one that lasts as long as this object: nothing here fails.
/// Thread-safe.
class ResultCache {
  public:
    static constexpr std::uint64_t usual_bytes = 512ull << 20;

    /// `folder` is created where it is missing; "" keeps results in memory only. It is not used
    /// where others than its owner, this user or root, may write to it.
    explicit ResultCache(const std::string& folder, std::uint64_t largest_bytes = usual_bytes);
    ~ResultCache();
    ResultCache(const ResultCache&) = delete;
    ResultCache& operator=(const ResultCache&) = delete;

    /// `key`: a ContentHash of everything that the value depends on. Nothing: there is no entry, or
    /// it is broken.
    std::optional<std::string> get(std::string_view kind, const std::string& key);
    void put(std::string_view kind, const std::string& key, std::string_view value);

    /// Holds a key for one thread of this process, so that no other does the same work meanwhile.
    class Turn {
      public:
        Turn(Turn&& other) noexcept;
        Turn& operator=(Turn&&) = delete;
        ~Turn();

      private:
        friend class ResultCache;
        Turn(ResultCache& cache, std::string key) : cache_(&cache), key_(std::move(key)) {}
        ResultCache* cache_;
        std::string key_;
    };
    /// Waits until no other thread holds the key. Whoever gets it asks `get` first: the one before
    /// may have put what is needed.
    Turn take_turn(std::string_view kind, const std::string& key);

    struct Kind {
        std::string name;
        std::uint64_t entries = 0, bytes = 0; ///< of the values
    };
    std::vector<Kind> kinds();
    /// Removes all entries. False: they are still there, as where another process holds the file.
    bool clear();

    /// Of the file; "" where results are kept in memory only.
    std::string path() const;
    /// Why the folder that was given is not used; "" if it is.
    const std::string& problem() const { return problem_; }

  private:
    void open(const std::string& folder);
    void open_memory();
    /// Has a broken file made anew, once.
    void mend(int error);
    void note_failed_write(int error);
    bool write_uses();
    bool make_room(std::uint64_t limit);

    std::uint64_t largest_bytes_;
    std::string problem_;
    std::mutex mutex_; ///< of what follows
    std::unique_ptr<SqliteDatabase> database_;
    bool mended_ = false, writes_ = true;
    std::set<std::int64_t> used_;       ///< entries read since the last write
    std::optional<std::uint64_t> room_; ///< bytes that may be added before their sum is looked at

    std::mutex turns_mutex_;
    std::condition_variable turn_ended_;
    std::set<std::string> turns_;
};

} // namespace slimgrad
