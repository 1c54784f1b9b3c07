#include "plugin/cuda/occupancy.h"
#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <sstream>
#include <string>

using namespace slimgrad;

TEST_CASE("warps_per_multiprocessor: by registers, block of 128 on sm_89") {
    const MultiprocessorLimits ada = *multiprocessor_limits("sm_89");
    const std::pair<std::uint32_t, std::uint32_t> expected[] = {
        {0, 48},  {1, 48},  {40, 48}, {41, 40},  {48, 40},  {54, 36},  {56, 36},  {57, 32},
        {64, 32}, {80, 24}, {96, 20}, {124, 16}, {128, 16}, {142, 12}, {168, 12}, {255, 8}};
    for (auto [registers, warps] : expected) {
        CAPTURE(registers);
        CHECK(warps_per_multiprocessor(ada, registers, 128) == warps);
    }
}

TEST_CASE("warps_per_multiprocessor: block sizes") {
    const MultiprocessorLimits ada = *multiprocessor_limits("sm_89");
    CHECK(warps_per_multiprocessor(ada, 32, 32) == 24);   // 24 blocks at most
    CHECK(warps_per_multiprocessor(ada, 32, 1024) == 32); // one whole block of 32 warps
    CHECK(warps_per_multiprocessor(ada, 32, 33) == 48);   // counts as two warps
    CHECK(warps_per_multiprocessor(ada, 255, 1024) == 0); // cannot be launched
    CHECK(warps_per_multiprocessor(ada, 32, 1025) == 0);
    CHECK(warps_per_multiprocessor(ada, 32, 0) == 0);
}

TEST_CASE("multiprocessor_limits: names of architectures") {
    for (const char* arch : {"sm_89", "compute_89"})
        CHECK(multiprocessor_limits(arch)->max_warps == 48);
    CHECK(multiprocessor_limits("sm_90a")->max_warps == 64);
    CHECK(multiprocessor_limits("sm_100f")->max_warps == 64);
    for (const char* arch : {"", "sm_", "sm_7", "89", "native", "sm_891", "sm_35"})
        CHECK_FALSE(multiprocessor_limits(arch));
    CHECK(multiprocessor_limits("sm_35").error().message.starts_with(
        "unknown architecture 'sm_35'; known are sm_75, "));
}

TEST_CASE("warps_per_multiprocessor: equals NVIDIA's own calculator") {
    TemporaryFolder folder;
    const std::string source = folder.write("calculator.cpp", R"(
#include <cstddef>
#include <cstring>
#include <climits>
#include <initializer_list>
#include "cuda_occupancy.h"
#include <cstdio>
int main() {
    const int archs[][3] = {{7, 5, 32}, {8, 0, 64}, {8, 6, 48}, {8, 7, 48}, {8, 8, 48},
                            {8, 9, 48}, {9, 0, 64}, {10, 0, 64}, {10, 3, 64}, {11, 0, 48},
                            {12, 0, 48}, {12, 1, 48}};
    for (auto [major, minor, warps] : archs)
        for (int block : {32, 64, 96, 128, 192, 256, 512, 768, 1024})
            for (int registers = 1; registers <= 255; ++registers) {
                cudaOccDeviceProp device{};
                device.computeMajor = major; device.computeMinor = minor; device.warpSize = 32;
                device.maxThreadsPerBlock = 1024; device.maxThreadsPerMultiprocessor = warps * 32;
                device.regsPerBlock = device.regsPerMultiprocessor = 65536;
                device.sharedMemPerMultiprocessor = 65536; device.sharedMemPerBlock = 49152;
                device.sharedMemPerBlockOptin = 65536; device.numSms = 1;
                cudaOccFuncAttributes function{};
                function.maxThreadsPerBlock = 1024; function.numRegs = registers;
                function.maxDynamicSharedSizeBytes = 49152;
                cudaOccDeviceState state{};
                cudaOccResult result{};
                if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                                            block, 0) != 0)
                    return 1;
                std::printf("sm_%d%d %d %d %d\n", major, minor, block, registers,
                            result.activeBlocksPerMultiprocessor * ((block + 31) / 32));
            }
}
)");
    ProcessOptions options;
    options.arguments = {"g++",  "-w", "-I" SLIMGRAD_SOURCE_DIR "/.deps/cuda/include",
                         source, "-o", folder / "calculator"};
    auto compiled = run_process(options);
    REQUIRE(compiled);
    REQUIRE_MESSAGE(compiled->succeeded(), compiled->err);
    options.arguments = {folder / "calculator"};
    auto table = run_process(options);
    REQUIRE(table);
    REQUIRE(table->succeeded());

    std::istringstream rows(table->out);
    std::string arch;
    std::uint32_t block = 0, registers = 0, warps = 0;
    int compared = 0, different = 0;
    while (rows >> arch >> block >> registers >> warps) {
        ++compared;
        const auto ours = warps_per_multiprocessor(*multiprocessor_limits(arch), registers, block);
        if (ours != warps && ++different <= 5)
            FAIL_CHECK(arch << ", block " << block << ", " << registers << " registers: " << ours
                            << " instead of " << warps);
    }
    CHECK(compared == 12 * 9 * 255);
    CHECK(different == 0);
}
