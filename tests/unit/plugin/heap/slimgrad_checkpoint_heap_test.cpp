// The host helper on a test double of CUDA (fake_cuda.h): what it calls, in which order, and what
// it says. Whether a device agrees is not known here.
#define SLIMGRAD_CHECKPOINT_NO_API
#include "plugin/heap/slimgrad_checkpoint_heap.h"

#include "plugin/heap/fake_cuda.h"

#include <doctest/doctest.h>
#include <random>

using namespace slimgrad;

namespace {

constexpr CheckpointSize one{1, 1, 1}, warp{32, 1, 1};
using Calls = std::vector<std::string>;

/// A device with a module that has two kernels, of 4 bytes * (trips + 2, at most 102) and of 16
/// bytes a thread.
struct Device {
    FakeCuda cuda;
    explicit Device() { load(7); }

    void load(int module) {
        const CheckpointDescriptor none{};
        cuda.add_symbol(module, "slimgrad_checkpoint_heap", &none, sizeof none);
        const std::uint32_t kernels = 2;
        cuda.add_symbol(module, "slimgrad_checkpoint_kernels", &kernels, sizeof kernels);
        add_kernel(module, "loop", 0, {4, {102}});
        add_kernel(module, "plain", 1, {16, {}});
    }
    void add_kernel(int module, const std::string& name, std::uint32_t index,
                    CheckpointKernel::Term term) {
        const struct {
            CheckpointKernel::Head head;
            CheckpointKernel::Term term;
        } table{{CheckpointKernel::version, 1, 1, index}, term};
        cuda.add_symbol(module, "slimgrad_checkpoint_of_" + name, &table, sizeof table);
    }
    CheckpointDescriptor descriptor(int module = 7) {
        CheckpointDescriptor result{};
        std::memcpy(&result, cuda.memory(cuda.symbol(module, "slimgrad_checkpoint_heap")).data(),
                    sizeof result);
        return result;
    }
    void no_mistakes() const {
        for (const std::string& mistake : cuda.mistakes)
            MESSAGE(mistake);
        CHECK(cuda.mistakes.empty());
    }
};

struct Heap : Device {
    CheckpointHeap<FakeApi> heap;
    explicit Heap(CheckpointSettings settings = {}) : heap(settings, FakeApi(cuda)) {}

    std::string prepare(int stream, const std::string& kernel, CheckpointSize grid = one,
                        CheckpointSize block = warp, std::uint64_t trips = unknown_trips,
                        int module = 7) {
        return heap.prepare(stream, module, kernel, grid, block, trips).error;
    }
    void run(int stream, const std::string& kernel, CheckpointSize grid = one,
             CheckpointSize block = warp, std::uint64_t trips = unknown_trips, int module = 7) {
        REQUIRE(prepare(stream, kernel, grid, block, trips, module) == "");
        cuda.launch(stream, module);
        REQUIRE(heap.launched(stream).error == "");
    }
};

} // namespace

TEST_CASE("a launch waits for the one before, is published, and recorded") {
    Heap device;
    device.run(1, "loop");
    device.cuda.calls.clear();
    device.run(2, "loop");
    CHECK(device.cuda.calls ==
          Calls{"capture_of", "wait on 2", "write on 2", "launch on 2", "record on 2"});
    device.cuda.calls.clear();
    device.run(2, "loop", {2});
    CHECK(device.cuda.calls == Calls{"capture_of", "wait on 2", "wait_on_host", "release",
                                     "allocate 26112", "write on 2", "launch on 2", "record on 2"});
    device.no_mistakes();
}

TEST_CASE("the descriptor has what the launch needs") {
    Heap device;
    device.run(1, "loop", {3, 2, 1}, {5, 4, 2});
    CheckpointDescriptor published = device.descriptor();
    CHECK(published.threads == 256); // 240 in whole warps
    CHECK(published.bytes == 256 * 408);
    CHECK(device.cuda.memory(published.base).size() == published.bytes);
    CHECK(published.trips == unknown_trips);
    device.run(1, "plain", one, one, 10);
    CHECK(device.descriptor().overflow == published.overflow + 4);
    CHECK(device.descriptor().trips == 10);
    CHECK(device.descriptor().threads == 32);
    CHECK(device.descriptor().base == published.base);
    CHECK(device.cuda.word(published.overflow) == 0);
}

TEST_CASE("known trips make the heap smaller") {
    Heap device;
    device.run(1, "loop", one, warp, 10);
    CHECK(device.heap.capacity() == 32 * 48);
    device.run(1, "loop", one, warp, 100'000);
    CHECK(device.heap.capacity() == 32 * 408);
}

TEST_CASE("two modules share the heap, and have their own words") {
    Heap device;
    device.load(8);
    device.run(1, "loop");
    device.run(2, "loop", {4}, warp, unknown_trips, 8);
    CHECK(device.descriptor(8).overflow != device.descriptor(7).overflow);
    device.run(1, "loop");
    CHECK(device.descriptor(7).base == device.descriptor(8).base);
    CHECK(device.heap.forget(8));
    CHECK(device.heap.forget(8));
    device.no_mistakes();
}

TEST_CASE("an overflow is told once, with the kernel and the number to set") {
    Heap device;
    device.run(1, "loop");
    CHECK(device.heap.check());
    device.cuda.word(device.descriptor().overflow) = 1202;
    const std::string error = device.heap.check().error;
    CHECK(error.starts_with("kernel loop needed 1202 slots or more"));
    CHECK(error.ends_with("set [MaxIters(1200)] or more on the loop"));
    CHECK(device.heap.check());

    device.run(1, "loop", one, warp, 30);
    device.run(2, "loop", one, warp, 20);
    device.cuda.word(device.descriptor().overflow) = 42;
    device.run(3, "plain");
    device.cuda.word(device.descriptor().overflow) = 9;
    const std::string both = device.heap.check(4).error;
    CHECK(both.find("set trips to 40 or more (20 were given)\nkernel plain needed 9 slots") !=
          std::string::npos);
    device.run(5, "plain");
    CHECK(device.heap.check(6));
    device.no_mistakes();
}

TEST_CASE("errors name the kernel, the bytes, and what to do") {
    Heap device({1000});
    CHECK(device.prepare(1, "loop").starts_with(
        "kernel loop (32 threads, 408 bytes each) needs 13056 bytes of "
        "checkpoints, more than the budget of 1000 bytes: launch fewer"));
    CHECK(device.prepare(1, "lop").starts_with(
        "kernel lop keeps nothing in the heap, or has another name"));
    CHECK(device.prepare(1, "loop", one, one, 1, 9)
              .starts_with("the module was not rewritten with --passes heap"));
    const unsigned int most = ~0u;
    CHECK(device.prepare(1, "loop", {most, most, most})
              .find("more bytes of checkpoints than there are addresses") != std::string::npos);
    device.run(1, "loop", one, one, 1);
    CHECK(device.heap.launched(1).error.starts_with("launched() is called without prepare()"));
    device.no_mistakes();
}

TEST_CASE("a module of another version is refused") {
    Heap device;
    device.add_kernel(7, "far", 2, {4, {}});
    CHECK(device.prepare(1, "far").find("from one version of slimgrad") != std::string::npos);
    device.cuda.memory(device.cuda.symbol(7, "slimgrad_checkpoint_of_loop"))[0] = 9;
    CHECK(device.prepare(1, "loop").find("from one version of slimgrad") != std::string::npos);
    const char content[] = "something else";
    device.cuda.add_symbol(5, "slimgrad_checkpoint_heap", content, sizeof content);
    CHECK(device.prepare(1, "loop", one, warp, 1, 5).find("from one version of slimgrad") !=
          std::string::npos);
}

TEST_CASE("errors are thrown where that is asked for") {
    Heap device({10, true});
    CHECK_THROWS_AS(device.prepare(1, "loop"), std::runtime_error);
    CHECK_NOTHROW(device.heap.check());
    CHECK_THROWS_WITH(
        device.heap.launch(1, 7, "plain", one, one, 5, [] {}),
        doctest::Contains("kernel plain (32 threads, 16 bytes each) needs 512 bytes"));
}

TEST_CASE("a launch that throws gives the heap free") {
    Heap device;
    CHECK_THROWS_AS(device.heap.launch(1, 7, "loop", one, warp, 5, [] { throw 5; }), int);
    CHECK(device.heap.launch(1, 7, "loop", one, warp, 5, [&] { device.cuda.launch(1, 7); }));
    device.no_mistakes();
}

TEST_CASE("a second prepare on one thread is refused, and the first one still holds") {
    Heap device;
    REQUIRE(device.prepare(1, "loop") == "");
    CHECK(device.prepare(2, "loop") ==
          "a launch was prepared on this thread, and launched() not called");
    CHECK(device.heap.ensure_checkpoint_heap(1 << 20).error ==
          "a launch was prepared on this thread, and launched() not called");
    device.cuda.launch(1, 7);
    CHECK(device.heap.launched(1));
    device.run(2, "loop");
    device.no_mistakes();
}

TEST_CASE("whatever call fails is told, and the heap goes on") {
    for (const char* call :
         {"allocate", "read", "write", "zero", "capture_of", "create_event", "wait"}) {
        CAPTURE(call);
        Heap device;
        device.cuda.failing = call;
        CHECK(device.prepare(1, "loop").find(std::string(call) + " was told to fail") !=
              std::string::npos);
        device.run(2, "loop");
        device.cuda.failing = "wait_on_host";
        CHECK(device.heap.check().error.find("a kernel that used it, which may have failed") !=
              std::string::npos);
        device.no_mistakes();
    }
}

TEST_CASE("where a launch cannot be recorded, nothing is launched any more") {
    Heap device;
    REQUIRE(device.prepare(1, "loop") == "");
    device.cuda.failing = "record";
    CHECK(device.heap.launched(1).error ==
          "the checkpoint heap cannot record a launch: record was told to fail");
    CHECK(device.prepare(2, "loop") == "the checkpoint heap cannot record a launch: record was "
                                       "told to fail; it cannot be used any more");
    CHECK_FALSE(device.heap.check());
}

TEST_CASE("all memory is given back at the end") {
    Device device;
    const std::uint64_t before = device.cuda.free_bytes;
    {
        CheckpointHeap<FakeApi> heap({}, FakeApi(device.cuda));
        REQUIRE(heap.prepare(3, 7, "loop", one, warp));
        device.cuda.launch(3, 7);
        REQUIRE(heap.launched(3));
    }
    CHECK(device.cuda.free_bytes == before);
    device.no_mistakes();
    {
        CheckpointHeap<FakeApi> unused({}, FakeApi(device.cuda));
    }
}

TEST_CASE("captured launches need a heap that is large enough, and keep it") {
    Heap device;
    device.cuda.captures[1] = 55;
    CHECK(device.prepare(1, "loop").find("is launched for the first time during stream capture") !=
          std::string::npos);
    device.run(2, "loop");
    CHECK(device.prepare(1, "loop", {2})
              .find("cannot be allocated during stream capture: call "
                    "ensure_checkpoint_heap(26112) before") != std::string::npos);
    CHECK(device.heap.ensure_checkpoint_heap(1 << 20, 1).error.find("during stream capture") !=
          std::string::npos);
    CHECK(device.heap.check(1).error.find("during stream capture") != std::string::npos);
    REQUIRE(device.heap.ensure_checkpoint_heap(26112));

    device.cuda.calls.clear();
    device.run(1, "loop", {2});
    CHECK(device.cuda.calls == Calls{"capture_of", "write on 1", "launch on 1", "record on 1"});
    device.cuda.captures[3] = 55; // another stream of the same capture
    device.cuda.calls.clear();
    device.run(3, "loop");
    CHECK(device.cuda.calls ==
          Calls{"capture_of", "wait on 3", "write on 3", "launch on 3", "record on 3"});
    device.cuda.captures = {{4, 56}};
    device.cuda.calls.clear();
    device.run(4, "loop");
    CHECK(device.cuda.calls == Calls{"capture_of", "write on 4", "launch on 4", "record on 4"});

    device.cuda.captures.clear();
    const std::uint64_t base = device.descriptor().base;
    device.run(2, "loop", {9});
    CHECK(device.descriptor().base != base);
    CHECK(device.cuda.memory(base).size() == 26112);
    REQUIRE(device.heap.before_graph(5));
    device.cuda.launch(5, 7);
    REQUIRE(device.heap.launched(5));
    device.run(2, "loop", {9});
    device.no_mistakes();
}

TEST_CASE("threads and streams never use the heap at once") {
    Heap device;
    device.load(8);
    std::vector<std::thread> threads;
    std::mutex failed_mutex;
    std::string failed;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            std::mt19937 random(static_cast<std::uint32_t>(thread));
            for (int i = 0; i < 200; ++i) {
                const int stream = static_cast<int>(random() % 3),
                          module = 7 + static_cast<int>(random() % 2);
                const CheckpointSize grid{static_cast<unsigned>(1 + random() % (i + 1u)), 1, 1};
                CheckpointStatus status =
                    device.heap.launch(stream, module, "loop", grid, warp, unknown_trips,
                                       [&] { device.cuda.launch(stream, module); });
                if (status && random() % 20 == 0)
                    status = device.heap.check(stream);
                if (!status) {
                    const std::lock_guard<std::mutex> lock(failed_mutex);
                    failed = status.error;
                }
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(failed == "");
    device.no_mistakes();
}

TEST_CASE("the test double sees what is not in order") {
    Device device;
    FakeApi api(device.cuda);
    CheckpointDescriptor descriptor{};
    REQUIRE(api.allocate(100, descriptor.base));
    const std::uint64_t variable = device.cuda.symbol(7, "slimgrad_checkpoint_heap");
    REQUIRE(api.write(variable, &descriptor, sizeof descriptor, 1));
    device.cuda.launch(1, 7);
    device.no_mistakes();
    device.cuda.launch(2, 7);
    REQUIRE(api.release(descriptor.base));
    device.cuda.launch(2, 7);
    CHECK(device.cuda.mistakes == Calls{"a launch may run at the same time as an earlier use",
                                        "memory is given back while it may be in use",
                                        "a launch may run at the same time as an earlier use",
                                        "a kernel uses memory that was given back"});
}
