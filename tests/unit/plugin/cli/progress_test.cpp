#include "plugin/cli/progress.h"

#include <doctest/doctest.h>

using slimgrad::progress_line;
using namespace std::chrono_literals;

TEST_CASE("progress_line: a bar, what is done, the time that is left") {
    CHECK(progress_line("nvcc a", 0, 40, 3s, 80) == "[..........] 0/40  nvcc a");
    CHECK(progress_line("nvcc a", 10, 40, 3s, 80) == "[##........] 10/40, 9 s left  nvcc a");
    CHECK(progress_line("nvcc a", 1, 100, 10s, 80) == "[..........] 1/100, 17 min left  nvcc a");
    CHECK(progress_line("nvcc a", 39, 40, 3s, 80) == "[#########.] 39/40, 1 s left  nvcc a");
    CHECK(progress_line("verify", 40, 40, 3s, 80) == "[##########] 40/40  verify");
    CHECK(progress_line("verify", 41, 40, 3s, 80) == "[##########] 40/40  verify");
    CHECK(progress_line("start", 0, 0, 0s, 80) == "[..........] 0/0  start");
}

TEST_CASE("progress_line: fits, and is safe for a terminal") {
    CHECK(progress_line("nvcc a", 10, 40, 3s, 20) == "[##........] 10/40, ");
    CHECK(progress_line("a\x1b[2J", 0, 1, 0s, 80) == "[..........] 0/1  a\\x1b[2J");
}
