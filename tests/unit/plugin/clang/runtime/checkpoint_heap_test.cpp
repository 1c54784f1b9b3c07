// The device side of the heap: run on the host, with the words of CUDA that verification gives it,
// and measured by ptxas.

#include "plugin/cuda/nvcc.h"
#include "plugin/process/process.h"
#include "plugin/verify/cuda_host.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace slimgrad;

namespace {

/// `shrinks`: slices get smaller where the host knows the trips.
std::string device_side(int layout, bool shrinks = true) {
    std::ifstream file(SLIMGRAD_SOURCE_DIR "/plugin/clang/runtime/checkpoint_heap.cuh");
    std::ostringstream text;
    text << "#define SLIMGRAD_CHECKPOINT_LAYOUT " << layout
         << "\n#define SLIMGRAD_CHECKPOINT_TRIPS " << shrinks << "\n"
         << file.rdbuf();
    return text.str();
}

/// Element types, and what a kernel and the checks of it need of them.
const std::string types = R"(
template <class T, size_t N> struct FixedArray {
    T m_data[N];
    __device__ T& operator[](size_t i) { return m_data[i]; }
};
struct Five { float a, b, c, d, e; };
struct Odd { char text[3]; };
struct Mixed { double d; __half h; bool b; };
)";

/// Every thread of a grid fills two arrays of its slice, in turns with the others, then all of them
/// compare. The heap has not a byte more than they need.
const std::string host_program = R"(
#include <cstdlib>
#include <vector>

#define EXPECT(condition)                                                                                              \
    if (!(condition)) {                                                                                                \
        fprintf(stderr, "%s, line %d: %s\n", what, __LINE__, #condition);                                              \
        exit(1);                                                                                                       \
    }

const uint3 blocks = {3, 2, 2}, threads = {5, 3, 2};

template <class Body> void for_every_thread(Body body) {
    slimgrad_thread.blocks = dim3(blocks);
    slimgrad_thread.threads = dim3(threads);
    for (unsigned block = 0; block < 12; ++block)
        for (unsigned thread = 0; thread < 30; ++thread) {
            slimgrad_thread.block = {block % 3, block / 3 % 2, block / 6};
            slimgrad_thread.thread = {thread % 5, thread / 5 % 3, thread / 15};
            body(block * 30 + thread);
        }
}

/// Bytes that nothing else has; those of a bool are 0 or 1.
template <class T> T value_for(unsigned thread, unsigned i, unsigned j) {
    T value;
    memset(static_cast<void*>(&value), 0, sizeof value);
    unsigned state = thread * 2654435761u ^ (i * 40503u + j * 997u + 1);
    for (size_t at = 0; at < sizeof value; ++at) {
        state = state * 1664525u + 1013904223u;
        reinterpret_cast<unsigned char*>(&value)[at] = state >> 24;
    }
    return value;
}
template <> bool value_for<bool>(unsigned thread, unsigned i, unsigned j) { return (thread ^ i ^ j) & 1; }
template <> Mixed value_for<Mixed>(unsigned thread, unsigned i, unsigned j) {
    Mixed value;
    memset(static_cast<void*>(&value), 0, sizeof value);
    value.d = thread + i * 0.5 + j * 0.25;
    value.h = __half(float(i));
    value.b = j & 1;
    return value;
}

struct Launch {
    std::vector<unsigned> words;
    unsigned overflow = 0;
    unsigned long long stride;

    Launch(unsigned long long bytes_per_thread, unsigned long long trips, bool short_of_a_thread = false) {
        stride = (bytes_per_thread + 7) / 8 * 8;
        const unsigned long long padded = 384; // 360 in whole warps
        words.assign(padded * stride / 4 - short_of_a_thread * stride / 4, 0xa5a5a5a5u);
        slimgrad_checkpoint_heap = {reinterpret_cast<unsigned char*>(words.data()), words.size() * 4, padded, trips,
                                    &overflow};
    }
    size_t poisoned() const {
        size_t count = 0;
        for (unsigned word : words)
            count += word == 0xa5a5a5a5u;
        return count;
    }
};

template <class T> bool same(const T& a, const T& b) { return memcmp(&a, &b, sizeof a) == 0; }
template <> bool same<Mixed>(const Mixed& a, const Mixed& b) { // it has bytes that are no member's
    return a.d == b.d && a.h.bits == b.h.bits && a.b == b.b;
}

template <class T> void round_trip(const char* what, unsigned long long trips) {
    typedef SlimgradCheckpointArray<T, 7> Row;
    typedef SlimgradCheckpointArray<T, 3, 5> Table;
    slimgrad_checkpoint_heap.trips = trips;
    const unsigned n = slimgrad_checkpoint_slots(7), rows = slimgrad_checkpoint_slots(3),
                   columns = slimgrad_checkpoint_slots(5);
    const size_t element = (sizeof(T) + 3) / 4 * 4;
    EXPECT(Row::bytes() == n * element);
    EXPECT(Table::bytes() == rows * columns * element);
    Launch launch(Row::bytes() + Table::bytes(), trips);
    for (unsigned i = 0; i < 7; ++i) // in turns, so that threads that share a byte spoil each other's
        for_every_thread([&](unsigned thread) {
            const SlimgradCheckpointSlice slice = slimgrad_checkpoint_slice(Row::bytes() + Table::bytes());
            const Row row{slice};
            const Table table{slice + Row::bytes()};
            if (i < n)
                row.store(i, value_for<T>(thread, i, 100));
            if (i < rows)
                for (unsigned j = 0; j < columns; ++j)
                    table.store(i, j, value_for<T>(thread, i, j));
        });
    // Nothing but the padding to whole warps and to 8 bytes is left, or values happen to look so.
    const size_t used = 360 * (n + rows * columns) * element / 4;
    EXPECT(launch.words.size() - launch.poisoned() >= used - used / 1000);
    EXPECT(launch.words.size() - launch.poisoned() <= used);
    for_every_thread([&](unsigned thread) {
        const SlimgradCheckpointSlice slice = slimgrad_checkpoint_slice(Row::bytes() + Table::bytes());
        const Row row{slice};
        const Table table{slice + Row::bytes()};
        for (unsigned i = 0; i < n; ++i)
            EXPECT(same(row.load(i), value_for<T>(thread, i, 100)));
        for (unsigned i = 0; i < rows; ++i)
            for (unsigned j = 0; j < columns; ++j)
                EXPECT(same(table.load(i, j), value_for<T>(thread, i, j)));
    });
    EXPECT(launch.overflow == 0);
}

template <class T> void all_trips(const char* what) {
    for (unsigned long long trips : {~0ull, 0ull, 1ull, 3ull, 5ull, 6ull, 1000000ull, ~0ull - 1})
        round_trip<T>(what, trips);
}

/// One thread of the grid goes too far, and hurts none.
template <class Index> void guard(const char* what, unsigned long long trips, Index index, unsigned needed, unsigned last) {
    typedef SlimgradCheckpointArray<float, 7> Array;
    slimgrad_checkpoint_heap.trips = trips;
    Launch launch(Array::bytes(), trips);
    const unsigned slots = last + 1;
    for_every_thread([&](unsigned thread) {
        const Array array{slimgrad_checkpoint_slice(Array::bytes())};
        for (unsigned i = 0; i < slots; ++i)
            array.store(i, float(thread * 10 + i));
        if (thread == 77) {
            array.store(index, -1.0f);
            EXPECT(array.load(index) == -1.0f);
        }
    });
    for_every_thread([&](unsigned thread) {
        const Array array{slimgrad_checkpoint_slice(Array::bytes())};
        for (unsigned i = 0; i < slots; ++i)
            EXPECT(array.load(i) == (thread == 77 && i == last ? -1.0f : float(thread * 10 + i)));
    });
    EXPECT(launch.overflow == needed);
}

/// What stands where a kernel may have an array of zeros instead.
void zeros(const char* what) {
    typedef SlimgradCheckpointArrayOrZeros<Five, 3, 5> Table;
    Launch launch(SlimgradCheckpointArray<Five, 3, 5>::bytes(), ~0ull);
    for_every_thread([&](unsigned thread) {
        const Table none = {};
        EXPECT(same(none.load(1, 2), Five{}));
        const Table stored{slimgrad_checkpoint_slice(SlimgradCheckpointArray<Five, 3, 5>::bytes())};
        stored.store(2, 4, value_for<Five>(thread, 2, 4));
        EXPECT(same(stored.load(2, 4), value_for<Five>(thread, 2, 4)));
    });
    EXPECT(launch.words.size() - launch.poisoned() == 360 * 5);
    EXPECT(launch.overflow == 0);
}

int main(int count, char** arguments) {
    const char* what = "a heap that is too small";
    if (count > 1) {
        Launch launch(40, ~0ull, true);
        slimgrad_thread.blocks = dim3(blocks);
        slimgrad_thread.threads = dim3(threads);
        slimgrad_thread.block = {0, 0, 0};
        slimgrad_thread.thread = {0, 0, 0};
        slimgrad_checkpoint_heap.threads -= arguments[1][0] == 't' ? 384 : 0;
        slimgrad_checkpoint_slice(40);
        puts("went on");
        return 0;
    }
    all_trips<float>("float");
    all_trips<float3>("float3");
    all_trips<float4>("float4");
    all_trips<double>("double");
    all_trips<__half>("half");
    all_trips<bool>("bool");
    all_trips<Five>("20 bytes");
    all_trips<Odd>("3 bytes");
    all_trips<Mixed>("double, half and bool");
    all_trips<FixedArray<float, 64>>("FixedArray<float, 64>");
    zeros("zeros");
    guard("past the end", ~0ull, 7, 8, 6);
    guard("far past the end", ~0ull, 1000, 1001, 6);
    if (SLIMGRAD_CHECKPOINT_TRIPS)
        guard("past the trips", 3, 5, 6, 4);
    else
        guard("past the trips", 3, 6, 0, 6);
    guard("negative", ~0ull, -1, 0xffffffffu, 6);
    guard("beyond 32 bits", ~0ull, 1ll << 32, 0xffffffffu, 6);
    guard("not past the end", ~0ull, 6ull, 0, 6);
    slimgrad_checkpoint_heap.overflow = nullptr;
    puts("all right");
}
)";

/// Only atomics ask the machine.
const std::string machine = R"(
static const int set_machine = [] {
    slimgrad_machine.atomic = [](const void*, uint32_t, const void*, uint32_t) {};
    return 0;
}();
)";

ProcessResult run(std::vector<std::string> arguments) {
    ProcessOptions options;
    options.arguments = std::move(arguments);
    options.limits.wall_clock = std::chrono::milliseconds{120'000};
    options.limits.memory_bytes = 0; // AddressSanitizer's address space
    const Result<ProcessResult> result = run_process(options);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

std::string loop_kernel(const std::string& name, const std::string& type, const std::string& store,
                        const std::string& load) {
    return fmt::format(R"(
extern "C" __global__ void {0}(float* x0, float* t0, float* gx, float* gt, int n) {{
    typedef {1} T;
    typedef SlimgradCheckpointArray<T, 1026> Stored;
    const Stored stored{{slimgrad_checkpoint_slice(Stored::bytes())}};
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = x0[i], t = t0[i], dx = 1, dt = 0;
    int trip = 0;
    for (;; ++trip) {{
        stored.store(trip, {2});
        if (trip >= n)
            break;
        x = sinf(x * t) + expf(-x);
    }}
    while (--trip >= 0) {{
        const T v = stored.load(trip);
        const float y = {3}, c = cosf(y * t) * dx;
        dt += c * y;
        dx = c * t - expf(-y) * dx;
    }}
    gx[i] = dx;
    gt[i] = dt;
}}
)",
                       name, type, store, load);
}

} // namespace

TEST_CASE("every element type comes back from every layout, no thread in another's bytes") {
    const TemporaryFolder folder;
    for (int form = 0; form < 4; ++form) {
        const int layout = form % 3;
        const bool shrinks = form < 3;
        CAPTURE(layout);
        CAPTURE(shrinks);
        const std::string source = folder.write(
            "heap.cpp", std::string(verify::cuda_host_text) + "#undef printf\n" + types +
                            device_side(layout, shrinks) + machine + host_program);
        const std::string program = folder / fmt::format("heap-{}", form);
        const ProcessResult compiled =
            run({"g++", "-std=c++17", "-O1", "-g1", "-w", "-fsanitize=address,undefined",
                 "-fno-sanitize-recover=all", source, "-o", program});
        REQUIRE_MESSAGE(compiled.succeeded(), compiled.err);
        const ProcessResult result = run({program});
        CHECK(result.err == "");
        CHECK(result.out == "all right\n");
        CHECK(result.succeeded());
        for (const char* missing : {"bytes", "threads"}) {
            const ProcessResult trapped = run({program, missing});
            CHECK_FALSE(trapped.succeeded());
            CHECK(trapped.out == "");
        }
    }
}

TEST_CASE("a loop of 1024 trips takes no stack and few registers, in every layout") {
    const Result<CudaToolkit> toolkit = CudaToolkit::find();
    REQUIRE_MESSAGE(toolkit, toolkit.error().message);
    const std::string kernels =
        loop_kernel("of_float", "float", "x", "v") +
        loop_kernel("of_float4", "float4", "make_float4(x, t, x, t)", "v.x + v.y - v.z") +
        loop_kernel("of_double", "double", "x", "float(v)") +
        loop_kernel("of_half", "__half", "__float2half(x)", "__half2float(v)") +
        loop_kernel("of_bool", "bool", "x > 0.5f", "v ? x : 1.0f") +
        loop_kernel("of_five", "Five", "(Five{x, t, x, t, x})", "v.a + v.b - v.e");
    for (int layout = 0; layout < 3; ++layout) {
        CAPTURE(layout);
        const Result<NvccResult> result = measure(
            *toolkit, "#include <cuda_fp16.h>\n" + types + device_side(layout) + kernels, {});
        REQUIRE_MESSAGE(result, result.error().message);
        REQUIRE_MESSAGE(result->succeeded(), result->detail);
        REQUIRE(result->kernels.size() == 6);
        for (const KernelFigures& kernel : result->kernels) {
            CAPTURE(kernel.name);
            CHECK(kernel.stack_bytes == 0);
            CHECK(kernel.spill_store_bytes == 0);
            CHECK(kernel.registers <= (kernel.name == "of_float" ? 32 : 40)); // 40: all 48 warps
        }
    }
}
