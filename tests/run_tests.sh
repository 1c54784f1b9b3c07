#!/usr/bin/env bash
# The test runner itself: what crashes, exits early, hangs on to a child or is missing is counted as it should be.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/cases.cpp" <<'CPP'
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cstdlib>
#include <doctest/doctest.h>
#include <unistd.h>
TEST_CASE("passes, \"quoted\" * <and> all") { CHECK(true); }
TEST_CASE("passes and leaves a child behind") {
    if (fork() == 0) {
        sleep(1000);
        _exit(0);
    }
}
TEST_CASE("fails") { CHECK(false); }
TEST_CASE("throws") { throw 1; }
TEST_CASE("aborts") { std::abort(); }
TEST_CASE("exits with 0") { std::exit(0); }
TEST_CASE("is marked as skipped" * doctest::skip()) {}
TEST_SUITE("long") {
    TEST_CASE("passes when long") { CHECK(true); }
}
CPP
g++ -std=c++20 "$work/cases.cpp" -o "$work/slimgrad-unit-tests"

# expect LINE STATUS ARGUMENT...: the runner's last line and exit status.
expect() {
    local line=$1 expected=$2 status=0
    shift 2
    /usr/bin/python3 "$root/tests/run_tests.py" --build "$work" "$@" >"$work/log" 2>&1 || status=$?
    if [ "$(tail -n 1 "$work/log")" != "$line" ] || [ "$status" != "$expected" ]; then
        echo "run_tests.py $*: expected '$line' and exit status $expected, got status $status and:"
        cat "$work/log"
        exit 1
    fi
}

expect "2 passed, 4 failed, 2 skipped" 1 unit
expect "3 passed, 4 failed, 1 skipped" 1 unit --long
expect "1 passed, 0 failed, 0 skipped" 0 unit -k quoted
expect "1 passed, 0 failed, 0 skipped" 0 unit --long -k "when long"
expect "0 passed, 1 failed, 0 skipped" 1 unit -k "no such test"
expect "0 passed, 1 failed, 0 skipped" 1 grammar # its program is missing
