#include "plugin/verify/write_watch.h"

#include <array>
#include <doctest/doctest.h>
#include <vector>

using namespace slimgrad::verify;

namespace {

/// Four floats, of which the last is padding, and what threads do to them one after another.
struct Launch {
    std::array<float, 4> memory{};
    WriteWatch watch{{{}, region()}};

    Launch() { watch.start(); }

    WriteWatch::Region region() {
        std::vector<std::uint32_t> places(sizeof memory, WriteWatch::padding);
        for (std::uint32_t i = 0; i < 3 * sizeof(float); ++i)
            places[i] = i / 4 * 4;
        return {reinterpret_cast<const unsigned char*>(memory.data()), sizeof memory, places};
    }
    void write(const ThreadMoment& moment, std::size_t place, float value) {
        memory[place] = value;
        watch.ran(moment);
    }
    void add_atomically(const ThreadMoment& moment, std::size_t place, float value) {
        const float old = memory[place];
        memory[place] += value;
        watch.atomic(moment, &memory[place], sizeof old, &old, false);
    }
    bool conflict() const { return !watch.conflicts().empty(); }
};

ThreadMoment thread(std::uint32_t index, std::uint32_t barriers = 0, std::uint32_t block = 0,
                    std::uint32_t warp_rounds = 0) {
    return {block, index, index / 32, barriers, warp_rounds};
}

} // namespace

TEST_CASE("two threads that write one place in no order are a conflict") {
    Launch launch;
    launch.write(thread(3), 1, 0.5f);
    CHECK_FALSE(launch.conflict());
    launch.write(thread(7), 1, 1.25f);
    REQUIRE(launch.watch.conflicts().size() == 1);
    const WriteConflict& conflict = launch.watch.conflicts().front();
    CHECK(conflict.region == 1);
    CHECK(conflict.offset == sizeof(float));
    CHECK(conflict.threads[0].thread == 3);
    CHECK(conflict.threads[1].thread == 7);
    launch.write(thread(8), 1, 2.5f);
    launch.write(thread(8), 0, 1.0f);
    launch.write(thread(9), 0, 2.0f);
    CHECK(launch.watch.conflicts().size() == 1); // of each region the first
    launch.watch.start();
    CHECK_FALSE(launch.conflict());
    launch.write(thread(9), 1, 3.5f);
    CHECK_FALSE(launch.conflict());
    CHECK(launch.watch.complete());
}

TEST_CASE("writes that disturb nobody are none") {
    Launch launch;
    launch.write(thread(0), 0, 1);
    launch.write(thread(1), 1, 1);
    launch.write(thread(1), 0, 1); // the same value
    launch.write(thread(1), 1, 2); // its own
    launch.write(thread(0), 3, 1); // padding
    launch.write(thread(1), 3, 2);
    CHECK_FALSE(launch.conflict());
}

TEST_CASE("atomic functions do not disturb each other, but plain writes do") {
    Launch launch;
    launch.add_atomically(thread(0), 0, 1);
    launch.add_atomically(thread(1), 0, 1);
    launch.watch.ran(thread(1));
    CHECK_FALSE(launch.conflict());
    SUBCASE("after") {
        launch.write(thread(2), 0, 9);
    }
    SUBCASE("before, in the same turn") {
        launch.memory[1] = 5;
        launch.add_atomically(thread(0), 1, 1);
        launch.add_atomically(thread(1), 1, 1);
    }
    CHECK(launch.conflict());
}

TEST_CASE("barriers order the threads of a block, warp operations those of a warp") {
    const auto conflict = [](const ThreadMoment& first, const ThreadMoment& second) {
        Launch launch;
        launch.write(first, 0, 1);
        launch.write(second, 0, 2);
        return launch.conflict();
    };
    CHECK_FALSE(conflict(thread(0), thread(1, 1)));
    CHECK(conflict(thread(0), thread(1, 1, 1))); // of another block
    CHECK_FALSE(conflict(thread(0), thread(31, 0, 0, 1)));
    CHECK(conflict(thread(0), thread(32, 0, 0, 1))); // of another warp
}

TEST_CASE("who takes a lock after another is ordered, who only lets go is not") {
    Launch launch;
    std::uint32_t lock = 0;
    const auto use_lock = [&](std::uint32_t index) {
        launch.watch.atomic(thread(index), &lock, sizeof lock, &lock, true);
    };
    SUBCASE("lock, write, unlock") {
        for (std::uint32_t index : {0u, 1u, 2u}) {
            use_lock(index);
            launch.memory[0] += 1;
            use_lock(index);
            launch.watch.ran(thread(index));
        }
        CHECK_FALSE(launch.conflict());
    }
    SUBCASE("write, then count") {
        for (std::uint32_t index : {0u, 1u}) {
            launch.memory[0] += 1;
            use_lock(index);
            launch.watch.ran(thread(index));
        }
        CHECK(launch.conflict());
    }
    SUBCASE("count, then write") {
        for (std::uint32_t index : {0u, 1u}) {
            use_lock(index);
            launch.write(thread(index), 0, 1.0f + index);
        }
        CHECK(launch.conflict());
    }
}

TEST_CASE("a region that a new block gets was written by nobody") {
    Launch launch;
    launch.write(thread(0), 0, 1);
    launch.memory[0] = 0;
    launch.watch.renew(reinterpret_cast<const unsigned char*>(launch.memory.data()));
    launch.write(thread(1, 0, 1), 0, 2);
    CHECK_FALSE(launch.conflict());
    launch.write(thread(2, 0, 1), 0, 3);
    CHECK(launch.conflict());
}
