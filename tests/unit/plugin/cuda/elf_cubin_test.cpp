#include "plugin/cuda/cuda_toolkit.h"
#include "plugin/cuda/elf_cubin.h"
#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

std::string compile(const std::string& text, const std::vector<std::string>& arguments = {}) {
    auto toolkit = CudaToolkit::find();
    REQUIRE_MESSAGE(toolkit, toolkit.error().message);
    TemporaryFolder folder;
    ProcessOptions options;
    options.arguments = {toolkit->nvcc, "-cubin",
                         "-arch=sm_89", folder.write("a.cu", text),
                         "-o",          folder / "a.cubin"};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    auto result = run_process(options);
    REQUIRE(result);
    REQUIRE_MESSAGE(result->succeeded(), result->err);
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
