#include "plugin/cuda/cuda_toolkit.h"
#include "plugin/cuda/elf_cubin.h"
#include "plugin/cuda/sass.h"
#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

CudaToolkit toolkit() {
    auto found = CudaToolkit::find();
    REQUIRE_MESSAGE(found, found.error().message);
    return *found;
}

std::string run(const std::vector<std::string>& arguments) {
    ProcessOptions options;
    options.arguments = arguments;
    auto result = run_process(options);
    REQUIRE(result);
    REQUIRE_MESSAGE(result->succeeded(), result->err);
    return result->out;
}

std::string compile(const std::string& text, const std::vector<std::string>& arguments = {},
                    const std::string& arch = "sm_89") {
    TemporaryFolder folder;
    std::vector<std::string> all{
        toolkit().nvcc, "-cubin",          "-arch=" + arch, folder.write("a.cu", text),
        "-o",           folder / "a.cubin"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    run(all);
    return folder.read("a.cubin");
}

const CubinFunction* find(const std::vector<CubinFunction>& functions, std::string_view symbol) {
    for (const CubinFunction& function : functions)
        if (function.symbol == symbol)
            return &function;
    return nullptr;
}

const char* const two_functions = R"(
extern "C" __device__ __noinline__ float inner(const float* p)
{
    float s = 0;
    for (int i = 0; i < 9; ++i) s += p[i] * s;
    return s;
}
extern "C" __device__ float outer(const float* p) { return inner(p) + inner(p + 1); }
)";

} // namespace

TEST_CASE("read_cubin: loads and stores of local memory, as nvdisasm counts them") {
    const std::string text = R"(
extern "C" __global__ void spread(const int* where, const float4* in, float* out)
{
    float4 kept[40];
    short small[40];
    for (int i = 0; i < 40; ++i) { kept[where[i]] = in[i]; small[where[i + 40]] = where[i + 80]; }
    for (int i = 0; i < 40; ++i) out[i] = kept[where[i + 9]].y + small[where[i + 7]];
}
)";
    std::istringstream known(run({toolkit().nvcc, "--list-gpu-code"}));
    int tried = 0;
    for (std::string arch; known >> arch; ++tried) {
        CAPTURE(arch);
        const std::string cubin = compile(text, {}, arch);
        const auto functions = read_cubin(cubin);
        REQUIRE_MESSAGE(functions, functions.error().message);
        REQUIRE(functions->size() == 1);
        TemporaryFolder folder;
        const std::string disassembly =
            run({toolkit().nvdisasm, "-c", "-ndf", folder.write("a.cubin", cubin)});
        std::uint32_t loads = 0, stores = 0;
        for (const auto& [symbol, code] : read_sass(disassembly))
            for (const SassInstruction& instruction : code.instructions) {
                loads += instruction.name() == "LDL";
                stores += instruction.name() == "STL";
            }
        CHECK(loads > 0);
        CHECK(stores > 0);
        CHECK(functions->front().local_loads == loads);
        CHECK(functions->front().local_stores == stores);
    }
    CHECK(tried > 5);
}

TEST_CASE("read_cubin: device code with its registers and calls") {
    auto functions = read_cubin(compile(two_functions, {"-rdc=true"}));
    REQUIRE_MESSAGE(functions, functions.error().message);
    CHECK(functions->size() == 2);
    const CubinFunction* inner = find(*functions, "inner");
    const CubinFunction* outer = find(*functions, "outer");
    REQUIRE(inner);
    REQUIRE(outer);
    CHECK(inner->code_bytes > 0);
    CHECK(inner->code_bytes % 128 == 0);
    CHECK(inner->registers.value_or(0) > 0);
    CHECK(outer->registers.value_or(0) > 0);
    CHECK(inner->callees.empty());
    CHECK(outer->callees == std::vector<std::string>{"inner"});
}

TEST_CASE("read_cubin: a damaged file is an error or less, never more") {
    const std::string whole = compile(two_functions, {"-rdc=true"});
    CHECK_FALSE(read_cubin(""));
    CHECK_FALSE(
        read_cubin("not an ELF file at all, but long enough to hold an ELF header of 64 bytes"));
    for (std::size_t size = 0; size < whole.size(); size += 61)
        CHECK_FALSE(read_cubin(whole.substr(0, size)));
    for (std::size_t i = 0; i < whole.size(); i += 7) { // the sanitizers' build sees a wrong read
        std::string damaged = whole;
        damaged[i] = static_cast<char>(0xff);
        if (auto functions = read_cubin(damaged))
            CHECK(functions->size() <= 2);
    }
}
