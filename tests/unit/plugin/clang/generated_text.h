#pragma once

#include "rewritten.h"

#include <initializer_list>
#include <utility>

namespace slimgrad {

/// CUDA as slangc writes it, in small: what the tests of slimgrad-clang's passes start from.
struct Change {
    std::string from, to;
};

/// Each change's `from` occurs exactly once in the text; anything else fails the test case.
inline std::string with(std::string text, const std::vector<Change>& changes) {
    for (const Change& change : changes) {
        const std::size_t at = text.find(change.from);
        REQUIRE_MESSAGE(at != std::string::npos, "not there: " << change.from);
        REQUIRE_MESSAGE(text.find(change.from, at + 1) == std::string::npos,
                        "more than once: " << change.from);
        text.replace(at, change.from.size(), change.to);
    }
    return text;
}

inline std::string with_all(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        ++count;
    return count;
}

/// "0.0f, 0.0f, 0.0f".
inline std::string listed(const std::string& element, unsigned count) {
    std::string text = element;
    for (unsigned i = 1; i < count; ++i)
        text += ", " + element;
    return text;
}

/// Of Slang's prelude, all that these texts need.
inline const std::string array_prelude = R"(template<typename T, size_t SIZE>
struct FixedArray
{
    __device__ const T& operator[](size_t index) const { return m_data[index]; }
    __device__ T& operator[](size_t index) { return m_data[index]; }
    T m_data[SIZE];
};
__device__ inline float2 make_float2(float x) { return make_float2(x, x); }
)";

/// A loop stores what a backward loop reads; the context has 4 * slots + 4 bytes. Every identifier
/// ends in `name`, but those within functions.
inline std::string march(const std::string& name, unsigned slots,
                         const std::vector<Change>& changes = {}) {
    std::string text = with(R"(
struct s_minCtx_NAME
{
    FixedArray<float, SLOTS>  value0_0;
    int value1_0;
};

struct Tuple_NAME
{
    float value0_1;
    s_minCtx_NAME value1_1;
};

struct s_bwdCallableCtx_NAME
{
    s_minCtx_NAME value1_2;
};

__device__ Tuple_NAME s_apply_NAME(float _S0)
{
    FixedArray<float, SLOTS>  _S1 = { ZEROS };
    s_minCtx_NAME _S2;
    (&_S2)->value0_0 = _S1;
    (&_S2)->value1_0 = int(0);
    float _S3 = _S0;
    int _pc_0 = int(0);
    for(;;)
    {
        (&_S2)->value1_0 = _pc_0;
        (&_S2)->value0_0[_pc_0] = _S3;
        if(_S3 < 16.0f)
        {
        }
        else
        {
            break;
        }
        _S3 = _S3 * 1.5f + 0.25f;
        _pc_0 = _pc_0 + int(1);
    }
    Tuple_NAME _S4;
    (&_S4)->value0_1 = _S3;
    (&_S4)->value1_1 = _S2;
    return _S4;
}

__device__ void s_bwdProp_NAME(s_bwdCallableCtx_NAME * _S5, float * _S6)
{
    int _dc_0 = (&_S5->value1_2)->value1_0 - int(1);
    float _S7 = 1.0f;
    for(;;)
    {
        if(_dc_0 >= int(0))
        {
        }
        else
        {
            break;
        }
        _S7 = _S7 * 0.75f + (&_S5->value1_2)->value0_0[_dc_0];
        _dc_0 = _dc_0 - int(1);
    }
    *_S6 = _S7;
    return;
}

extern "C" __global__ void kernel_NAME(float * _S8)
{
    Tuple_NAME _S9 = s_apply_NAME(_S8[threadIdx.x]);
    s_bwdCallableCtx_NAME _S10;
    (&_S10)->value1_2 = _S9.value1_1;
    float _S11;
    s_bwdProp_NAME(&_S10, &_S11);
    _S8[threadIdx.x] = _S11 + _S9.value0_1;
    return;
}
)",
                            changes);
    text = with_all(std::move(text), "NAME", name);
    text = with_all(std::move(text), "ZEROS", listed("0.0f", slots));
    return with_all(std::move(text), "SLOTS", std::to_string(slots));
}

/// From a function's head, as `head` begins it, to its closing brace.
inline std::string function_in(const std::string& text, const std::string& head) {
    const std::size_t begin = text.find(head);
    REQUIRE_MESSAGE(begin != std::string::npos, "no function " << head);
    const std::size_t end = text.find("\n}", begin);
    return text.substr(begin, end - begin + 2);
}

/// Messages of a pass, "error: ..." and the like.
inline std::vector<std::string> notes_of(const ByClang& made, const std::string& pass) {
    std::vector<std::string> messages;
    for (const nlohmann::json& note : made.report.at("notes"))
        if (note.at("pass") == pass)
            messages.push_back(note.at("severity").get<std::string>() + ": " +
                               note.at("message").get<std::string>());
    return messages;
}

/// Runs kernels of a text (`extern "C" __global__ void NAME(float *)`) on the CPU, one thread, the
/// stack and the heap full of 0x45 (3156 as a float): what they write for the values 0.5, 1, 1.5, ... 4, a line for
/// each kernel. Fails the test case where the text does not compile.
inline std::string run_on_cpu(const std::string& text, const std::vector<std::string>& kernels) {
    std::string program = R"(
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define __device__
#define __global__
#define __constant__
#define __forceinline__ inline
#define __trap std::abort
struct float2 { float x, y; };
inline float2 make_float2(float x, float y) { return {x, y}; }
struct Extent { unsigned x, y, z; };
static Extent threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim{1, 1, 1}, gridDim{1, 1, 1};
inline unsigned atomicMax(unsigned* place, unsigned value) {
    const unsigned before = *place;
    *place = before < value ? value : before;
    return before;
}
)" + text + R"(
static void __attribute__((noinline)) poison_stack() {
    volatile unsigned char bytes[1 << 18];
    for (unsigned i = 0; i < sizeof bytes; ++i)
        bytes[i] = 0x45;
}
static void run(const char* name, void (*kernel)(float *)) {
    std::printf("%s", name);
    for (int i = 1; i <= 8; ++i) {
#ifdef SLIMGRAD_CHECKPOINT_LAYOUT
        static unsigned char heap[1 << 20];
        static unsigned overflow;
        std::memset(heap, 0x45, sizeof heap);
        slimgrad_checkpoint_heap = {heap, sizeof heap, 32, ~0ull, &overflow};
#endif
        float value = 0.5f * i;
        poison_stack();
        kernel(&value);
        std::printf(" %a", value);
#ifdef SLIMGRAD_CHECKPOINT_LAYOUT
        if (overflow)
            std::printf(" overflow");
#endif
    }
    std::printf("\n");
}
int main() {
)";
    for (const std::string& kernel : kernels)
        program += "    run(\"" + kernel + "\", " + kernel + ");\n";
    const TemporaryFolder folder;
    ProcessOptions compile;
    compile.arguments = {"g++", "-std=c++17",        "-O0",
                         "-w",  "-ffp-contract=off", folder.write("program.cpp", program + "}\n"),
                         "-o",  folder / "program"};
    const Result<ProcessResult> compiled = run_process(compile);
    REQUIRE_MESSAGE(compiled, compiled.error().message);
    REQUIRE_MESSAGE(compiled->succeeded(), compiled->err);
    ProcessOptions run;
    run.arguments = {folder / "program"};
    const Result<ProcessResult> done = run_process(run);
    REQUIRE_MESSAGE(done, done.error().message);
    REQUIRE_MESSAGE(done->succeeded(), done->err);
    return done->out;
}

} // namespace slimgrad
