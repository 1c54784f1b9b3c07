#include "plugin/trial/trial_pool.h"

#include "shared_pool.h"

#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace slimgrad;

TEST_SUITE("plugin/trial/trial_pool") {
    TEST_CASE("every task is done once, before run returns") {
        std::vector<std::atomic<int>> done(100);
        pool().run(done.size(), [&](std::size_t i, TrialTools&) { ++done[i]; });
        CHECK(std::all_of(done.begin(), done.end(), [](const auto& n) { return n == 1; }));
        pool().run(0, [](std::size_t, TrialTools&) { FAIL("there is no task"); });
    }

    TEST_CASE("a worker's own tasks run in one thread, with its own tools") {
        std::set<std::thread::id> threads;
        std::set<const TrialTools*> tools;
        for (int i = 0; i < 10; ++i)
            pool().run_on(1, [&](TrialTools& own) {
                threads.insert(std::this_thread::get_id());
                tools.insert(&own);
            });
        CHECK(threads.size() == 1);
        CHECK(tools == std::set<const TrialTools*>{&pool().tools(1)});
        CHECK(&pool().tools(0) != &pool().tools(1));
        CHECK(&pool().tools(2) == &pool().tools(0));
    }

    TEST_CASE("several threads may use it at once") {
        std::atomic<int> done = 0;
        std::vector<std::jthread> callers;
        for (int i = 0; i < 4; ++i)
            callers.emplace_back([&] {
                for (int k = 0; k < 20; ++k)
                    pool().run(5, [&](std::size_t, TrialTools&) { ++done; });
            });
        callers.clear();
        CHECK(done == 400);
    }

    TEST_CASE("what a task throws comes out of run, after all others are done") {
        std::atomic<int> done = 0;
        CHECK_THROWS_AS(pool().run(10,
                                   [&](std::size_t i, TrialTools&) {
                                       ++done;
                                       if (i == 3)
                                           throw std::runtime_error("third");
                                   }),
                        std::runtime_error);
        CHECK(done == 10);
        pool().run(1, [&](std::size_t, TrialTools&) { ++done; });
        CHECK(done == 11);
    }
}
