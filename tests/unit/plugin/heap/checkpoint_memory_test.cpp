#define SLIMGRAD_CHECKPOINT_NO_API
#include "plugin/heap/checkpoint_memory.h"

#include "plugin/heap/fake_cuda.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

struct Memory {
    FakeCuda cuda;
    FakeApi api{cuda};
    CheckpointMemory<FakeApi> memory;
    bool waited = false;

    explicit Memory(std::uint64_t budget = ~std::uint64_t{0}) : memory(budget) {}
    std::string grow(std::uint64_t bytes, bool capturing = false) {
        cuda.calls.clear();
        waited = false;
        return memory
            .grow(api, bytes, capturing, "kernel k",
                  [&] {
                      waited = true;
                      cuda.calls.push_back("waited");
                      return CheckpointStatus{};
                  })
            .error;
    }
};

} // namespace

TEST_CASE("memory grows by doubling, and gives back the old one first, after waiting") {
    Memory memory;
    CHECK(memory.grow(1000) == "");
    CHECK(memory.cuda.calls == std::vector<std::string>{"allocate 1000"});
    CHECK(memory.grow(1000) == "");
    CHECK(memory.grow(10) == "");
    CHECK(memory.cuda.calls.empty());
    CHECK(memory.grow(1001) == "");
    CHECK(memory.cuda.calls == std::vector<std::string>{"waited", "release", "allocate 2000"});
    CHECK(memory.grow(9000) == "");
    CHECK(memory.memory.bytes() == 9000);
}

TEST_CASE("growing a byte at a time allocates a few times only") {
    Memory memory;
    int allocations = 0;
    for (std::uint64_t bytes = 1; bytes <= 100'000; ++bytes) {
        REQUIRE(memory.grow(bytes) == "");
        allocations += !memory.cuda.calls.empty();
    }
    CHECK(allocations == 18);
}

TEST_CASE("where twice as much does not fit, the exact size is taken") {
    Memory memory;
    memory.cuda.free_bytes = 1500;
    CHECK(memory.grow(1000) == "");
    CHECK(memory.grow(1200) == "");
    CHECK(memory.cuda.calls ==
          std::vector<std::string>{"waited", "release", "allocate 2000", "allocate 1200"});
    CHECK(memory.memory.bytes() == 1200);
    CHECK(memory.grow(1501).starts_with("kernel k needs 1501 bytes of checkpoints, which the "
                                        "device does not have (out of memory): "));
    CHECK(memory.memory.bytes() == 0);
    CHECK(memory.grow(1500) == "");
}

TEST_CASE("the budget holds, also while memory grows") {
    Memory memory(1500);
    CHECK(memory.grow(1000) == "");
    CHECK(memory.grow(1200) == "");
    CHECK(memory.memory.bytes() == 1500);
    CHECK(memory.grow(1501).starts_with("kernel k needs 1501 bytes of checkpoints, more than the "
                                        "budget of 1500 bytes: launch fewer"));
    CHECK(memory.cuda.calls.empty());
    CHECK(memory.memory.bytes() == 1500);
}

TEST_CASE("memory does not grow during stream capture") {
    Memory memory;
    CHECK(memory.grow(100, true) ==
          "kernel k needs 100 bytes of checkpoints, which cannot be allocated "
          "during stream capture: call ensure_checkpoint_heap(100) before");
    CHECK(memory.cuda.calls.empty());
    CHECK(memory.grow(100) == "");
    CHECK(memory.grow(100, true) == "");
}

TEST_CASE("memory that a graph knows stays, and counts") {
    Memory memory(400);
    CHECK(memory.grow(100) == "");
    memory.memory.keep_for_graph();
    CHECK(memory.grow(101) == "");
    CHECK(memory.cuda.calls == std::vector<std::string>{"waited", "allocate 200"});
    CHECK(memory.grow(301).find(
              "more than the budget of 400 bytes less 100 that captured graphs keep") !=
          std::string::npos);
    CHECK(memory.grow(300) == "");
    CHECK(memory.cuda.calls == std::vector<std::string>{"waited", "release", "allocate 300"});
    memory.cuda.calls.clear();
    memory.memory.release(memory.api);
    CHECK(memory.cuda.calls == std::vector<std::string>{"release", "release"});
}

TEST_CASE("nothing is given back where waiting failed") {
    Memory memory;
    CHECK(memory.grow(100) == "");
    const CheckpointStatus status = memory.memory.grow(
        memory.api, 200, false, "k", [] { return CheckpointStatus{"a kernel failed"}; });
    CHECK(status.error == "a kernel failed");
    CHECK(memory.memory.bytes() == 100);
}
