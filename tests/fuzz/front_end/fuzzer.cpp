// The libFuzzer target over parser, module model, analyses and edits; scripts/fuzz runs it.

#include "tests/fuzz/front_end/mutator.h"
#include "tests/fuzz/front_end/properties.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

// libFuzzer's own mutation: bytes, and the tokens of slang.dict.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

std::size_t give(const std::string& text, std::uint8_t* data, std::size_t most) {
    const std::size_t size = std::min(text.size(), most);
    std::memcpy(data, text.data(), size);
    return size;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string broken = slimgrad::front_end::broken_property(text_of(data, size));
    if (!broken.empty()) {
        std::fprintf(stderr, "broken property: %s\n", broken.c_str());
        std::abort();
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    // Bytes find what the syntax does not reach; most of the time pieces of syntax go deeper.
    if (size == 0 || seed % 3 == 0)
        return LLVMFuzzerMutate(data, size, most);
    return give(slimgrad::front_end::mutate_syntax(text_of(data, size), text_of(data, size), seed,
                                                   most),
                data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
    return give(slimgrad::front_end::mutate_syntax(text_of(a, a_size), text_of(b, b_size), seed,
                                                   most),
                out, most);
}
