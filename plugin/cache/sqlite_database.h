#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace slimgrad {

/// One run of an SQL statement. Results of SQLite's functions are its own codes.
class SqliteStatement {
  public:
    SqliteStatement(sqlite3* database, std::string_view sql);
    ~SqliteStatement();
    SqliteStatement(const SqliteStatement&) = delete;
    SqliteStatement& operator=(const SqliteStatement&) = delete;

    /// Parameters in their order. The texts have to live as long as this.
    SqliteStatement& bind(std::string_view text);
    SqliteStatement& bind(std::int64_t number);
    SqliteStatement& bind_blob(std::string_view bytes);

    /// Whether there is a (further) row. False: see `error`.
    bool step();
    /// Runs to the end, or to an error.
    bool run();
    std::int64_t number(int column) const;
    std::string bytes(int column) const;
    /// SQLITE_OK where all went well.
    int error() const { return error_; }

  private:
    sqlite3_stmt* statement_ = nullptr;
    int error_ = 0, parameter_ = 0;
};

/// An open file of SQLite's with the results' table in it.
class SqliteDatabase {
  public:
    /// `path`: ":memory:" for none. Makes the table where it is missing or another version's. Null:
    /// `error` says why not.
    static std::unique_ptr<SqliteDatabase> open(const std::string& path, int& error);
    ~SqliteDatabase();
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;

    SqliteStatement statement(std::string_view sql) const { return {database_, sql}; }
    bool run(std::string_view sql) const { return statement(sql).run(); }
    /// Makes an empty file of it, whatever is in there.
    bool reset() const;
    const std::string& path() const { return path_; }
    static bool is_broken(int error);

  private:
    explicit SqliteDatabase(std::string path) : path_(std::move(path)) {}
    int prepare_file() const;
    int make_table() const;

    std::string path_;
    sqlite3* database_ = nullptr;
};

} // namespace slimgrad
