#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What `ptxas -v` says of one function. Bytes per thread.
struct PtxasFunction {
    std::string symbol; ///< mangled, as in the cubin
    bool entry = false; ///< a kernel
    std::string kernel; ///< of another function: the kernel told of before it; without -rdc, the
                        ///< one that calls it
    std::uint32_t registers = 0;   ///< kernels only: ptxas says it of no other function
    std::uint32_t stack_bytes = 0; ///< a kernel's includes its callees' (without -rdc)
    std::uint32_t spill_store_bytes = 0;
    std::uint32_t spill_load_bytes = 0;
};

/// Reads the messages of `ptxas -v`; other lines are passed over. In ptxas's order, which is not
/// the text's.
std::vector<PtxasFunction> parse_ptxas_log(std::string_view log);

} // namespace slimgrad
