#include "plugin/cache/sqlite_database.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <sqlite3.h>
#include <system_error>

namespace slimgrad {
namespace {

/// Of the table; a file of another one is emptied. Values have versions of their own in their keys.
constexpr int version = 1;
/// How long another process may hold the file. It is held for moments only.
constexpr int longest_wait_ms = 2000;

constexpr std::string_view table =
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, "
    "value BLOB NOT NULL, checksum TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL, "
    "UNIQUE (kind, key))";
constexpr std::string_view use_index = "CREATE INDEX uses ON entries (used, size)";
/// Names all columns: prepared to see whether they are there.
constexpr std::string_view all_columns =
    "SELECT id, kind, key, value, checksum, size, used FROM entries LIMIT 0";

} // namespace

SqliteStatement::SqliteStatement(sqlite3* database, std::string_view sql) {
    error_ = sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_,
                                nullptr);
}

SqliteStatement::~SqliteStatement() {
    sqlite3_finalize(statement_);
}

SqliteStatement& SqliteStatement::bind(std::string_view text) {
    if (error_ == SQLITE_OK)
        error_ = sqlite3_bind_text64(statement_, ++parameter_, text.data(), text.size(),
                                     SQLITE_STATIC, SQLITE_UTF8);
    return *this;
}

SqliteStatement& SqliteStatement::bind(std::int64_t number) {
    if (error_ == SQLITE_OK)
        error_ = sqlite3_bind_int64(statement_, ++parameter_, number);
    return *this;
}

SqliteStatement& SqliteStatement::bind_blob(std::string_view bytes) {
    if (error_ == SQLITE_OK)
        error_ = sqlite3_bind_blob64(statement_, ++parameter_, bytes.empty() ? "" : bytes.data(),
                                     bytes.size(), SQLITE_STATIC);
    return *this;
}

bool SqliteStatement::step() {
    if (error_ != SQLITE_OK)
        return false;
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        error_ = result;
    return result == SQLITE_ROW;
}

bool SqliteStatement::run() {
    while (step()) {
    }
    return error_ == SQLITE_OK;
}

std::int64_t SqliteStatement::number(int column) const {
    return sqlite3_column_int64(statement_, column);
}

std::string SqliteStatement::bytes(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return data == nullptr
               ? std::string()
               : std::string(data,
                             static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

SqliteDatabase::~SqliteDatabase() {
    sqlite3_close_v2(database_);
}

bool SqliteDatabase::is_broken(int error) {
    const int primary = error & 0xff;
    return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
}

bool SqliteDatabase::reset() const {
    // Empties the file under SQLite's own locks, so that other processes see it as a change.
    sqlite3_db_config(database_, SQLITE_DBCONFIG_RESET_DATABASE, 1, 0);
    const bool done = run("VACUUM");
    sqlite3_db_config(database_, SQLITE_DBCONFIG_RESET_DATABASE, 0, 0);
    return done;
}

int SqliteDatabase::make_table() const {
    if (!run("BEGIN IMMEDIATE"))
        return sqlite3_errcode(database_);
    int found = 0;
    int error = SQLITE_OK;
    const auto good = [&](std::string_view sql) {
        SqliteStatement next = statement(sql);
        if (error == SQLITE_OK && !next.run())
            error = next.error();
        return error == SQLITE_OK;
    };
    {
        SqliteStatement known = statement("PRAGMA user_version");
        found = known.step() ? static_cast<int>(known.number(0)) : 0;
        error = known.error();
    }
    const bool fits = found == version && statement(all_columns).error() == SQLITE_OK;
    if (!fits) {
        good("DROP TABLE IF EXISTS entries");
        good(table);
        good(use_index);
        good(fmt::format("PRAGMA user_version = {}", version));
    }
    if (error == SQLITE_OK)
        good("COMMIT");
    if (error != SQLITE_OK)
        run("ROLLBACK");
    return error;
}

int SqliteDatabase::prepare_file() const {
    sqlite3_busy_timeout(database_, longest_wait_ms);
    // Not WAL where the file system does not do it. A commit that a power failure takes back is no
    // loss: only writing the log into the file waits for the disk.
    for (const std::string_view sql : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
                                       "PRAGMA journal_size_limit = 16777216"}) {
        SqliteStatement next = statement(sql);
        if (!next.run())
            return next.error();
    }
    if (sqlite3_db_readonly(database_, "main") == 1)
        return SQLITE_READONLY;
    SqliteStatement known = statement("PRAGMA user_version");
    if (known.step() && known.number(0) == version && statement(all_columns).error() == SQLITE_OK)
        return SQLITE_OK;
    if (known.error() != SQLITE_OK)
        return known.error();
    known.run();
    return make_table();
}

std::unique_ptr<SqliteDatabase> SqliteDatabase::open(const std::string& path, int& error) {
    for (const bool again : {false, true}) {
        std::unique_ptr<SqliteDatabase> opened(new SqliteDatabase(path));
        error = sqlite3_open_v2(path.c_str(), &opened->database_,
                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                                nullptr);
        if (error == SQLITE_OK)
            error = opened->prepare_file();
        if (error == SQLITE_OK)
            return opened;
        // SQLITE_ERROR: the table cannot be made, as something else has its name.
        if (again || !(is_broken(error) || error == SQLITE_ERROR) || !opened->reset())
            break;
    }
    return nullptr;
}

} // namespace slimgrad
