#include "plugin/slangc/run_slangc.h"

#include "environment_variable.h"

#include <csignal>
#include <doctest/doctest.h>

using slimgrad::EnvironmentVariable;
using slimgrad::slangc::run_slangc;

TEST_CASE("a program is run in our place: its exit code and its signal are told apart") {
    const EnvironmentVariable marker("SLIMGRAD_SLANGC_STARTED"); // set for those below, taken back
    CHECK(run_slangc("/bin/sh", {"-c", "exit 0"})->exit_code == 0);
    CHECK(run_slangc("/bin/sh", {"-c", "exit 255"})->exit_code == 255);
    CHECK(run_slangc("/bin/sh", {"-c", "kill -TERM $$"})->signal == SIGTERM);
    CHECK(run_slangc("/bin/sh", {"-c", "kill -TERM $$"})->exit_code == 0);
    CHECK(run_slangc("/bin/sh", {"-c", "test \"$SLIMGRAD_SLANGC_STARTED\" = 1"})->exit_code == 0);
}

TEST_CASE("a signal to us goes to the program, and ours are as before afterwards") {
    const EnvironmentVariable marker("SLIMGRAD_SLANGC_STARTED");
    struct sigaction before{}, after{};
    sigaction(SIGTERM, nullptr, &before);
    // The child asks its parent, this process, to end; it gets the signal itself.
    const auto end = run_slangc("/bin/sh", {"-c", "trap 'exit 7' TERM; kill -TERM $PPID; "
                                                  "while :; do sleep 0.01; done"});
    REQUIRE(end);
    CHECK(end->exit_code == 7);
    sigaction(SIGTERM, nullptr, &after);
    CHECK((before.sa_handler == after.sa_handler));
}
