#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slimgrad::verify {

/// SlimgradOperand of cuda_host/language.h: a variable that an `asm` statement reads or writes.
struct PtxOperand {
    void* data = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t floating = 0;
};

/// The memory that an atomic reduction (`red`) changes; `bytes` is 0 for all other code.
struct PtxReduction {
    const void* address = nullptr;
    std::uint32_t bytes = 0;
    bool integer = false;
};
PtxReduction ptx_reduction(std::string_view code, const PtxOperand* operands, std::uint32_t count);

/// Runs the PTX instructions that Slang's prelude and its emitted code hold: `red`, `mov` of the
/// lane's number, `txq`, `tex.level` at whole coordinates. Returns the first instruction that is
/// none of them, or "". Handles of textures are addresses of a HostTexture.
std::string run_ptx(std::string_view code, const PtxOperand* operands, std::uint32_t count,
                    std::uint32_t lane);

} // namespace slimgrad::verify
