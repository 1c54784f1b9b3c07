// The host helper and the device side together, on a CUDA device: what only a device can show.
// Prints "all right", the first thing that is not, or "no CUDA device". The including text gives
// the device side and the layout.
#include <cuda_runtime.h>

#define SLIMGRAD_CHECKPOINT_RUNTIME_API
#include "plugin/heap/slimgrad_checkpoint_heap.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct Five {
    float a, b, c, d, e;
};

extern "C" {
__constant__ SlimgradCheckpointKernel<2> slimgrad_checkpoint_of_fill = {
    slimgrad_checkpoint_version,
    SLIMGRAD_CHECKPOINT_LAYOUT,
    2,
    0,
    {SLIMGRAD_CHECKPOINT_TERM(4, 66, 0, 0, 0), SLIMGRAD_CHECKPOINT_TERM(20, 6, 66, 0, 0)}};
__constant__ SlimgradCheckpointKernel<1> slimgrad_checkpoint_of_small = {
    slimgrad_checkpoint_version,
    SLIMGRAD_CHECKPOINT_LAYOUT,
    1,
    1,
    {SLIMGRAD_CHECKPOINT_TERM(4, 34, 0, 0, 0)}};
__constant__ unsigned int slimgrad_checkpoint_kernels = 2;
}

/// Adds up what it has stored in `n` trips: wrong where anything else writes to the same bytes
/// meanwhile.
extern "C" __global__ void fill(unsigned int seed, int n, unsigned int* wrong) {
    typedef SlimgradCheckpointArray<unsigned int, 66> Row;
    typedef SlimgradCheckpointArray<Five, 6, 66> Table;
    const SlimgradCheckpointSlice slice = slimgrad_checkpoint_slice(Row::bytes() + Table::bytes());
    const Row row{slice};
    const Table table{slice + Row::bytes()};
    const unsigned int thread = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned int own = seed * 7919u + thread * 104729u;
    const int outer = n < 4 ? n : 4;
    for (int i = 0; i < n; ++i)
        row.store(i, own + i);
    for (int i = 0; i < outer; ++i)
        for (int j = 0; j < n; ++j) {
            const float value = float(own % 1000 + i * 100 + j);
            table.store(i, j, Five{value, value + 1, value + 2, value + 3, value + 4});
        }
    for (int i = n; i-- > 0;)
        if (row.load(i) != own + i)
            atomicAdd(wrong, 1);
    for (int i = outer; i-- > 0;)
        for (int j = n; j-- > 0;) {
            const float value = float(own % 1000 + i * 100 + j);
            const Five found = table.load(i, j);
            if (found.a != value || found.b != value + 1 || found.c != value + 2 ||
                found.d != value + 3 || found.e != value + 4)
                atomicAdd(wrong, 1);
        }
}

extern "C" __global__ void small(int n) {
    const SlimgradCheckpointArray<float, 34> row{
        slimgrad_checkpoint_slice(SlimgradCheckpointArray<float, 34>::bytes())};
    for (int i = 0; i < n; ++i)
        row.store(i, 1.0f);
}

static void expect(bool holds, const std::string& what) {
    if (holds)
        return;
    std::printf("%s\n", what.c_str());
    std::exit(1);
}
static void expect(const slimgrad::CheckpointStatus& status) {
    expect(static_cast<bool>(status), status.error);
}
static void expect(cudaError_t result) {
    expect(result == cudaSuccess, cudaGetErrorString(result));
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no CUDA device");
        return 0;
    }
    const slimgrad::CheckpointSymbols symbols = {
        SLIMGRAD_CHECKPOINT_SYMBOL(slimgrad_checkpoint_heap),
        SLIMGRAD_CHECKPOINT_SYMBOL(slimgrad_checkpoint_kernels),
        SLIMGRAD_CHECKPOINT_SYMBOL(slimgrad_checkpoint_of_fill),
        SLIMGRAD_CHECKPOINT_SYMBOL(slimgrad_checkpoint_of_small)};
    unsigned int* wrong = nullptr;
    expect(cudaMalloc(reinterpret_cast<void**>(&wrong), sizeof *wrong));
    expect(cudaMemset(wrong, 0, sizeof *wrong));
    const auto none_wrong = [&](const std::string& where) {
        unsigned int count = 0;
        expect(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
        expect(count == 0,
               where + ": " + std::to_string(count) + " values are not what was stored");
    };

    // Streams that do not wait for each other, and a heap that grows under them.
    cudaStream_t streams[3];
    for (cudaStream_t& stream : streams)
        expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    slimgrad::CheckpointHeap<> heap;
    const auto launch = [&](cudaStream_t stream, unsigned int blocks, unsigned int seed, int trips,
                            bool known) {
        const dim3 grid(blocks), block(33, 3);
        expect(heap.prepare(stream, &symbols, "fill", grid, block,
                            known ? trips : slimgrad::unknown_trips));
        fill<<<grid, block, 0, stream>>>(seed, trips, wrong);
        expect(cudaGetLastError());
        expect(heap.launched(stream));
    };
    for (unsigned int i = 0; i < 60; ++i)
        launch(streams[i % 3], 1 + i * i % 400, i, 1 + i % 64, i % 2 == 0);
    expect(heap.check());
    none_wrong("streams");

    // A graph keeps its memory when the heap grows, and waits for other launches.
    expect(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    launch(streams[0], 50, 1000, 20, true);
    launch(streams[0], 60, 1001, 64, false);
    cudaGraph_t graph;
    expect(cudaStreamEndCapture(streams[0], &graph));
    cudaGraphExec_t executable;
    expect(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    launch(streams[1], 2000, 2000, 64, false);
    for (unsigned int i = 0; i < 5; ++i) {
        launch(streams[2], 300, 3000 + i, 30, true);
        expect(heap.before_graph(streams[1]));
        expect(cudaGraphLaunch(executable, streams[1]));
        expect(heap.launched(streams[1]));
    }
    expect(heap.check());
    none_wrong("graph");

    // Too many trips.
    expect(heap.prepare(streams[0], &symbols, "small", dim3(3), dim3(64)));
    small<<<3, 64, 0, streams[0]>>>(40);
    expect(heap.launched(streams[0]));
    const std::string error = heap.check().error;
    expect(error.find("kernel small needed 40 slots or more") == 0 &&
               error.find("set [MaxIters(38)] or more") != std::string::npos,
           "the overflow is reported as: " + error);
    expect(heap.check());

    // A launch that was not prepared, on more threads than there is a heap for, ends with an error.
    expect(heap.prepare(streams[0], &symbols, "small", dim3(1), dim3(32)));
    expect(heap.launched(streams[0]));
    small<<<1000, 64, 0, streams[0]>>>(1);
    expect(cudaStreamSynchronize(streams[0]) != cudaSuccess,
           "a launch that was not prepared went on");
    std::puts("all right");
}
