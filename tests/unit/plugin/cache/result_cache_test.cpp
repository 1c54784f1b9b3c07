#include "plugin/cache/result_cache.h"

#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <sqlite3.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using slimgrad::ResultCache;
using slimgrad::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// What another program does to the file.
int run_sql(const std::string& file, const char* sql) {
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    sqlite3_busy_timeout(database, 5000);
    const int error = sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
    sqlite3_close(database);
    return error;
}

std::uint64_t count_entries(ResultCache& cache) {
    std::uint64_t entries = 0;
    for (const ResultCache::Kind& kind : cache.kinds())
        entries += kind.entries;
    return entries;
}

/// Works as a new cache does.
void check_works(const std::string& folder) {
    {
        ResultCache cache(folder);
        CHECK(cache.problem() == "");
        CHECK_FALSE(cache.get("kind", "fresh"));
        cache.put("kind", "fresh", "value");
        CHECK(cache.get("kind", "fresh") == "value");
    }
    CHECK(ResultCache(folder).get("kind", "fresh") == "value");
}

} // namespace

TEST_SUITE_BEGIN("result cache");

TEST_CASE("result cache: what is put is got, by another object as well") {
    const TemporaryFolder folder;
    const std::string place = folder / "a/b";
    const std::string value("text\n\0with zero", 15);
    {
        ResultCache cache(place);
        CHECK(cache.path() == place + "/results.sqlite");
        cache.put("one", "key", value);
        cache.put("two", "key", "");
        cache.put("one", "again", "first");
        cache.put("one", "again", "second");
        CHECK(cache.get("one", "key") == value);
    }
    ResultCache cache(place);
    CHECK(cache.get("one", "key") == value);
    CHECK(cache.get("two", "key") == "");
    CHECK(cache.get("one", "again") == "second");
    CHECK_FALSE(cache.get("two", "again"));
    const auto kinds = cache.kinds();
    REQUIRE(kinds.size() == 2);
    CHECK(kinds[0].name == "one");
    CHECK(kinds[0].entries == 2);
    CHECK(kinds[0].bytes == 21);
    CHECK(cache.clear());
    CHECK(count_entries(cache) == 0);
    CHECK_FALSE(cache.get("one", "key"));
}

TEST_CASE(
    "result cache: without a folder, or where there can be none, results are kept in memory") {
    const TemporaryFolder folder;
    const std::string open_to_all = folder / "open";
    fs::create_directory(open_to_all);
    fs::permissions(open_to_all, fs::perms::others_write, fs::perm_options::add);
    const std::string taken = folder / "taken";
    fs::create_directories(taken + "/results.sqlite");
    for (const std::string& place :
         {std::string(), folder.write("file", "") + "/cache", open_to_all, taken}) {
        CAPTURE(place);
        ResultCache cache(place);
        CHECK(cache.path() == "");
        CHECK((cache.problem() == "") == place.empty());
        cache.put("kind", "key", "value");
        CHECK(cache.get("kind", "key") == "value");
    }
    CHECK(fs::is_empty(open_to_all));
}

TEST_CASE("result cache: a file that is no database, or another version's, is made anew") {
    const TemporaryFolder folder;
    const std::string file = folder / "results.sqlite";
    SUBCASE("text") {
        folder.write("results.sqlite", std::string(10'000, 'x'));
    }
    SUBCASE("short text") {
        folder.write("results.sqlite", "not a database\n");
    }
    SUBCASE("empty") {
        folder.write("results.sqlite", "");
    }
    SUBCASE("cut off") {
        ResultCache(folder.path().string()).put("kind", "key", std::string(100'000, 'v'));
        fs::resize_file(file, 20'000);
    }
    SUBCASE("another version") {
        ResultCache(folder.path().string()).put("kind", "fresh", "of another version");
        REQUIRE(run_sql(file, "PRAGMA user_version = 999") == SQLITE_OK);
    }
    SUBCASE("no table") {
        ResultCache(folder.path().string()).put("kind", "key", "value");
        REQUIRE(run_sql(file, "DROP TABLE entries") == SQLITE_OK);
    }
    SUBCASE("another table of that name") {
        ResultCache(folder.path().string()).put("kind", "key", "value");
        REQUIRE(run_sql(file, "DROP TABLE entries; CREATE TABLE entries (a, b)") == SQLITE_OK);
    }
    SUBCASE("a view of that name") {
        REQUIRE(run_sql(file, "CREATE VIEW entries AS SELECT 1; PRAGMA user_version = 1") ==
                SQLITE_OK);
    }
    SUBCASE("a log that is none") {
        ResultCache(folder.path().string()).put("kind", "key", "value");
        folder.write("results.sqlite-wal", std::string(50'000, 'x'));
    }
    check_works(folder.path().string());
}

TEST_CASE("result cache: a value that was changed, or moved to another key, is none") {
    const TemporaryFolder folder;
    const std::string file = folder / "results.sqlite";
    ResultCache cache(folder.path().string());
    cache.put("kind", "key", "value");
    SUBCASE("value") {
        REQUIRE(run_sql(file, "UPDATE entries SET value = 'valve'") == SQLITE_OK);
    }
    SUBCASE("key") {
        REQUIRE(run_sql(file, "UPDATE entries SET key = 'other'") == SQLITE_OK);
    }
    SUBCASE("kind") {
        REQUIRE(run_sql(file, "UPDATE entries SET kind = 'other'") == SQLITE_OK);
    }
    CHECK_FALSE(cache.get("kind", "key"));
    CHECK_FALSE(cache.get("kind", "other"));
    CHECK_FALSE(cache.get("other", "key"));
    cache.put("kind", "key", "value");
    CHECK(cache.get("kind", "key") == "value");
}

TEST_CASE("result cache: any damage to the file gives right values or none") {
    const std::string value(3000, 'v');
    for (unsigned round = 0; round < 40; ++round) {
        const TemporaryFolder folder;
        {
            ResultCache cache(folder.path().string());
            for (int i = 0; i < 20; ++i)
                cache.put("kind", std::to_string(i), value + std::to_string(i));
        }
        std::string bytes = folder.read("results.sqlite");
        for (unsigned i = 0; i < 200; ++i)
            bytes[(round * 7919u + i * 104'729u) % bytes.size()] ^= static_cast<char>(1 + i % 255);
        folder.write("results.sqlite", bytes);
        ResultCache cache(folder.path().string());
        for (int i = 0; i < 20; ++i) {
            const auto got = cache.get("kind", std::to_string(i));
            CHECK((!got || *got == value + std::to_string(i)));
            cache.put("kind", std::to_string(i), value);
        }
    }
}

TEST_CASE("result cache: a file that is broken while it is in use does no harm") {
    const TemporaryFolder folder;
    ResultCache cache(folder.path().string());
    for (int i = 0; i < 100; ++i)
        cache.put("kind", std::to_string(i), std::string(4000, 'v'));
    folder.write("results.sqlite", std::string(500'000, 'x'));
    folder.write("results.sqlite-wal", std::string(500'000, 'x'));
    for (int i = 0; i < 100; ++i) {
        const auto got = cache.get("kind", std::to_string(i));
        CHECK((!got || *got == std::string(4000, 'v')));
        cache.put("kind", "new", "value");
    }
}

TEST_CASE("result cache: the entries that were not used for longest go") {
    const TemporaryFolder folder;
    const std::string value(1000, 'v');
    {
        ResultCache cache(folder.path().string(), 10'000);
        for (int i = 0; i < 10; ++i)
            cache.put("kind", std::to_string(i), value);
        CHECK(count_entries(cache) == 10);
        CHECK(cache.get("kind", "0") == value);
    }
    ResultCache cache(folder.path().string(), 10'000);
    CHECK(cache.get("kind", "1") == value);
    cache.put("kind", "10", value);
    CHECK(count_entries(cache) == 7);
    CHECK(cache.get("kind", "0"));
    CHECK(cache.get("kind", "1"));
    CHECK_FALSE(cache.get("kind", "2"));
    CHECK(cache.get("kind", "9"));
    CHECK(cache.get("kind", "10"));
    cache.put("kind", "large", std::string(5000, 'v')); // would push out too many others
    CHECK_FALSE(cache.get("kind", "large"));
}

TEST_CASE("result cache: many threads of one object and of several") {
    const TemporaryFolder folder;
    ResultCache shared(folder.path().string(), 60'000);
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            ResultCache own(folder.path().string(), 60'000);
            ResultCache& cache = t % 2 == 0 ? shared : own;
            for (int i = 0; i < 60; ++i) {
                const std::string key = std::to_string(i % 10);
                const std::string value(4000 + static_cast<std::size_t>(i % 10), key.front());
                if (const auto got = cache.get("kind", key); got && *got != value)
                    ++wrong;
                cache.put("kind", key, value);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("result cache: a process that is killed leaves whole values") {
    const TemporaryFolder folder;
    const auto value = [](int i) {
        return std::string(static_cast<std::size_t>(20'000 + i), static_cast<char>('a' + i % 26));
    };
    int kept = 0;
    for (int round = 0; round < 8; ++round) {
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            ResultCache cache(folder.path().string());
            for (int i = 0;; ++i)
                cache.put("kind", std::to_string(i % 300), value(i % 300));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20 + 13 * round));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        ResultCache cache(folder.path().string());
        CHECK(cache.problem() == "");
        kept = 0;
        for (int i = 0; i < 300; ++i)
            if (const auto got = cache.get("kind", std::to_string(i))) {
                CHECK(*got == value(i));
                ++kept;
            }
    }
    CHECK(kept > 0);
}

TEST_CASE("result cache: one thread at a time has a key's turn") {
    ResultCache cache("");
    std::atomic<int> working = 0, most = 0, done = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            const ResultCache::Turn turn = cache.take_turn("kind", "key");
            most = std::max<int>(most, ++working);
            if (!cache.get("kind", "key")) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                ++done;
                cache.put("kind", "key", "value");
            }
            --working;
        });
    const ResultCache::Turn other = cache.take_turn("kind", "other key");
    for (std::thread& thread : threads)
        thread.join();
    CHECK(most == 1);
    CHECK(done == 1);
}

TEST_SUITE_END();
