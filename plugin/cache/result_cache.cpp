#include "plugin/cache/result_cache.h"

#include "plugin/cache/sqlite_database.h"
#include "plugin/rewrite/cache.h"
#include "plugin/rewrite/content_hash.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sqlite3.h>
#include <utility>

namespace slimgrad {
namespace {

constexpr const char* in_memory = ":memory:";
constexpr std::uint64_t largest_in_memory = 256ull << 20;
/// Reads that are noted together: each write waits for those of other processes.
constexpr std::size_t most_uses = 512;

/// Vouches for the value, and that it is the one of this key.
std::string checksum(std::string_view kind, std::string_view key, std::string_view value) {
    return ContentHash().add(kind).add(key).add(value).hex();
}

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string turn_key(std::string_view kind, const std::string& key) {
    return fmt::format("{} {}", kind, key);
}

} // namespace

ResultCache::ResultCache(const std::string& folder, std::uint64_t largest_bytes)
    : largest_bytes_(largest_bytes) {
    if (!folder.empty())
        open(folder);
    if (!database_)
        open_memory();
}

ResultCache::~ResultCache() {
    if (database_)
        write_uses();
}

void ResultCache::open(const std::string& folder) {
    if (!prepare_cache_folder(folder)) {
        problem_ = folder + " cannot be used: it has to be a folder that only its owner, you or "
                            "root, may write to";
        return;
    }
    int error = SQLITE_OK;
    database_ = SqliteDatabase::open(folder + "/results.sqlite", error);
    if (!database_)
        problem_ =
            fmt::format("{}/results.sqlite cannot be used: {}", folder, sqlite3_errstr(error));
}

void ResultCache::open_memory() {
    largest_bytes_ = std::min(largest_bytes_, largest_in_memory);
    int error = SQLITE_OK;
    database_ = SqliteDatabase::open(in_memory, error);
}

std::string ResultCache::path() const {
    return database_ && database_->path() != in_memory ? database_->path() : "";
}

void ResultCache::mend(int error) {
    if (!SqliteDatabase::is_broken(error) || mended_)
        return;
    mended_ = true;
    used_.clear();
    room_.reset();
    const std::string path = database_->path();
    database_->reset();
    database_.reset(); // before it is opened again: what it knows of the file is of no use
    int failure = SQLITE_OK;
    database_ = SqliteDatabase::open(path, failure);
    if (!database_)
        open_memory();
}

void ResultCache::note_failed_write(int error) {
    const int primary = error & 0xff;
    // A full disk stays full, and whoever holds the file for seconds does not let it go: nobody
    // waits for that again and again.
    if (primary == SQLITE_FULL || primary == SQLITE_IOERR || primary == SQLITE_READONLY ||
        primary == SQLITE_BUSY)
        writes_ = false;
    mend(error);
}

std::optional<std::string> ResultCache::get(std::string_view kind, const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (!database_)
        return std::nullopt;
    std::string value, sum;
    std::int64_t id = 0;
    int error = SQLITE_OK;
    bool found = false;
    {
        SqliteStatement row = database_->statement(
            "SELECT id, value, checksum FROM entries WHERE kind = ? AND key = ?");
        found = row.bind(kind).bind(key).step();
        error = row.error();
        if (found) {
            id = row.number(0);
            value = row.bytes(1);
            sum = row.bytes(2);
        }
    }
    if (!found) {
        if ((error & 0xff) == SQLITE_BUSY) // for seconds: nobody waits for it again
            open_memory();
        else
            mend(error);
        return std::nullopt;
    }
    if (sum != checksum(kind, key, value)) {
        if (writes_)
            database_->statement("DELETE FROM entries WHERE id = ?").bind(id).run();
        return std::nullopt;
    }
    used_.insert(id);
    if (used_.size() >= most_uses)
        write_uses();
    return value;
}

bool ResultCache::write_uses() {
    if (used_.empty() || !writes_)
        return true;
    if (!database_->run("BEGIN IMMEDIATE"))
        return false;
    const std::int64_t when = now();
    for (const std::int64_t id : used_)
        database_->statement("UPDATE entries SET used = ? WHERE id = ?").bind(when).bind(id).run();
    used_.clear();
    return database_->run("COMMIT") || (database_->run("ROLLBACK"), false);
}

void ResultCache::put(std::string_view kind, const std::string& key, std::string_view value) {
    const std::lock_guard lock(mutex_);
    if (!database_ || !writes_ || value.size() > largest_bytes_ / 4)
        return;
    const std::string sum = checksum(kind, key, value);
    int error = SQLITE_OK;
    {
        SqliteStatement added = database_->statement(
            "INSERT OR REPLACE INTO entries (kind, key, value, checksum, size, used) "
            "VALUES (?, ?, ?, ?, ?, ?)");
        added.bind(kind).bind(key).bind_blob(value).bind(sum);
        added.bind(static_cast<std::int64_t>(value.size())).bind(now()).run();
        error = added.error();
    }
    if (error != SQLITE_OK)
        return note_failed_write(error);
    if (room_ && *room_ > value.size())
        *room_ -= value.size();
    else
        make_room(largest_bytes_);
}

bool ResultCache::make_room(std::uint64_t limit) {
    write_uses();
    std::uint64_t bytes = 0;
    {
        SqliteStatement sum = database_->statement("SELECT total(size) FROM entries");
        if (sum.step())
            bytes = static_cast<std::uint64_t>(sum.number(0));
    }
    // Other processes add as well: the sum is looked at often enough for a few of them.
    room_ = bytes < limit ? (limit - bytes) / 4 : 0;
    if (bytes <= limit)
        return true;
    // A quarter more than needed, so that not every further entry has to make room.
    room_.reset();
    return database_
        ->statement("DELETE FROM entries WHERE id IN (SELECT id FROM (SELECT id, sum(size) OVER "
                    "(ORDER BY used DESC, id DESC) AS kept FROM entries) WHERE kept > ?)")
        .bind(static_cast<std::int64_t>(limit / 4 * 3))
        .run();
}

std::vector<ResultCache::Kind> ResultCache::kinds() {
    const std::lock_guard lock(mutex_);
    std::vector<Kind> kinds;
    if (!database_)
        return kinds;
    SqliteStatement rows = database_->statement(
        "SELECT kind, count(*), total(size) FROM entries GROUP BY kind ORDER BY kind");
    while (rows.step())
        kinds.push_back({rows.bytes(0), static_cast<std::uint64_t>(rows.number(1)),
                         static_cast<std::uint64_t>(rows.number(2))});
    return kinds;
}

bool ResultCache::clear() {
    const std::lock_guard lock(mutex_);
    used_.clear();
    room_.reset();
    if (!database_ || !database_->run("DELETE FROM entries"))
        return false;
    database_->run("VACUUM");
    database_->run("PRAGMA wal_checkpoint(TRUNCATE)"); // what a reader keeps goes later
    return true;
}

ResultCache::Turn ResultCache::take_turn(std::string_view kind, const std::string& key) {
    std::string name = turn_key(kind, key);
    std::unique_lock lock(turns_mutex_);
    turn_ended_.wait(lock, [&] { return !turns_.contains(name); });
    turns_.insert(name);
    return {*this, std::move(name)};
}

ResultCache::Turn::Turn(Turn&& other) noexcept
    : cache_(std::exchange(other.cache_, nullptr)), key_(std::move(other.key_)) {}

ResultCache::Turn::~Turn() {
    if (cache_ == nullptr)
        return;
    {
        const std::lock_guard lock(cache_->turns_mutex_);
        cache_->turns_.erase(key_);
    }
    cache_->turn_ended_.notify_all();
}

} // namespace slimgrad
