#include "plugin/rewrite/cache.h"
#include "plugin/rewrite/content_hash.h"

#include "temporary_folder.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

using slimgrad::Cache;
using slimgrad::ContentHash;
using slimgrad::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string key(const std::string& of) {
    return ContentHash().add(of).hex();
}

std::size_t count_entries(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

} // namespace

TEST_CASE("cache: what is put is got, by another object as well") {
    const TemporaryFolder folder;
    const std::string place = folder / "a/b";
    const std::string value("text\n\0with zero", 15);
    Cache(place).put(key("one"), value);
    Cache(place).put(key("empty"), "");
    CHECK(Cache(place).get(key("one")) == value);
    CHECK(Cache(place).get(key("empty")) == "");
    CHECK_FALSE(Cache(place).get(key("two")));
}

TEST_CASE("cache: a broken entry is none, and is removed") {
    const TemporaryFolder folder;
    const Cache cache(folder.path().string());
    const std::string name = key("one");
    const auto spoil = [&](auto&& change) {
        cache.put(name, "the value");
        std::string bytes = folder.read(name);
        change(bytes);
        folder.write(name, bytes);
        CHECK_FALSE(cache.get(name));
        CHECK_FALSE(fs::exists(folder / name));
    };
    spoil([](std::string& bytes) { bytes.back() = 'x'; });
    spoil([](std::string& bytes) { bytes.pop_back(); });
    spoil([](std::string& bytes) { bytes += 'x'; });
    spoil([](std::string& bytes) { bytes.clear(); });
    spoil([](std::string& bytes) { bytes[0] = 'S'; });
    cache.put(name, "the value");
    CHECK(cache.get(name) == "the value");
    // A whole entry under the name of another is not that one's.
    fs::rename(folder / name, folder / key("two"));
    CHECK_FALSE(cache.get(key("two")));
}

TEST_CASE("cache: the least recently used entries go; what is not the cache's stays") {
    const TemporaryFolder folder;
    folder.write("a user's file", std::string(5000, 'x'));
    const Cache cache(folder.path().string(), 10'000);
    const std::string value(1000, 'v');
    for (int i = 0; i < 8; ++i) {
        cache.put(key(std::to_string(i)), value);
        // In this order, whatever the clock's resolution.
        const auto when = fs::file_time_type::clock::now() - std::chrono::seconds(100 - i);
        fs::last_write_time(folder / key(std::to_string(i)), when);
    }
    CHECK(cache.get(key("0")) == value); // used: now the last to go
    cache.put(key("8"), value);
    cache.put(key("9"), value);
    CHECK(cache.get(key("0")) == value);
    CHECK_FALSE(cache.get(key("1")));
    CHECK_FALSE(cache.get(key("2")));
    CHECK(cache.get(key("9")) == value);
    CHECK(fs::file_size(folder / "a user's file") == 5000);
}

TEST_CASE("cache: a folder that others may write to is not used") {
    const TemporaryFolder folder;
    fs::permissions(folder.path(), fs::perms::others_write, fs::perm_options::add);
    const Cache cache(folder.path().string());
    CHECK_FALSE(cache);
    cache.put(key("one"), "value");
    CHECK_FALSE(cache.get(key("one")));
    CHECK(count_entries(folder.path()) == 0);
}

TEST_CASE("cache: without a folder, or where there can be none, nothing happens") {
    const TemporaryFolder folder;
    CHECK_FALSE(Cache(""));
    const Cache below_a_file(folder.write("file", "") + "/cache");
    CHECK_FALSE(below_a_file);
    below_a_file.put(key("one"), "value");
    CHECK_FALSE(below_a_file.get(key("one")));
}

TEST_CASE("cache: many threads, one folder: an entry is whole or not there") {
    const TemporaryFolder folder;
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t t = 0; t < wrong.size(); ++t)
        threads.emplace_back([&, t] {
            const Cache cache(folder.path().string(), 60'000);
            for (int i = 0; i < 60; ++i) {
                const std::string name = std::to_string(i % 10);
                const std::string value(4000 + static_cast<std::size_t>(i % 10), name.front());
                if (const auto got = cache.get(key(name)); got && *got != value)
                    ++wrong[t];
                cache.put(key(name), value);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(std::all_of(wrong.begin(), wrong.end(), [](int count) { return count == 0; }));
}
