#include "plugin/nvrtc/program_table.h"

#include <cstdint>
#include <doctest/doctest.h>

using namespace slimgrad::nvrtc;

namespace {

/// A handle is never looked into.
Program handle(std::uintptr_t number) {
    return reinterpret_cast<Program>(number);
}

ProgramRecord with_source(const char* source) {
    ProgramRecord record;
    record.source = source;
    return record;
}

} // namespace

TEST_CASE("nvrtc programs: results are read from the replacement, once there is one") {
    ProgramTable table;
    table.add(handle(1), with_source("one"));
    CHECK(table.compiled(handle(1)) == handle(1));
    table.find(handle(1))->replacement = handle(7);
    CHECK(table.compiled(handle(1)) == handle(7));
    CHECK(table.compiled(handle(2)) == handle(2));
    CHECK(table.compiled(nullptr) == nullptr);
}

TEST_CASE("nvrtc programs: a handle that is used again is another program") {
    ProgramTable table;
    table.add(handle(1), with_source("one"));
    REQUIRE(table.remove(handle(1)) != nullptr);
    CHECK(table.find(handle(1)) == nullptr);
    CHECK(table.remove(handle(1)) == nullptr);
    table.add(handle(1), with_source("two"));
    CHECK(table.find(handle(1))->source == "two");
}
