#include "plugin/verify/fibre.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad::verify;

namespace {

struct Walk {
    Fibre fibre{64 << 10};
    std::string* trace = nullptr;
    char name = 'a';
};

void walk(void* argument) {
    auto& self = *static_cast<Walk*>(argument);
    for (int step = 0; step < 3; ++step) {
        *self.trace += self.name;
        self.fibre.suspend();
    }
}

} // namespace

TEST_CASE("fibres take turns, and can be started again") {
    std::string trace;
    Walk a, b;
    a.trace = b.trace = &trace;
    b.name = 'b';
    for (int round = 0; round < 2; ++round) {
        a.fibre.start(walk, &a);
        b.fibre.start(walk, &b);
        while (a.fibre.running() || b.fibre.running())
            for (Walk* fibre : {&a, &b})
                if (fibre->fibre.running())
                    fibre->fibre.resume();
    }
    CHECK(trace == "ababab"
                   "ababab");
}
