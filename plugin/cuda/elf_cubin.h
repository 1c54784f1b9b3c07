#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// One function with code of its own in a cubin.
struct CubinFunction {
    std::string symbol;
    std::uint32_t code_bytes =
        0; ///< size of its .text section, out-of-line callees of a kernel included
    std::optional<std::uint32_t> registers;          ///< .nv.info's REGCOUNT
    std::uint32_t local_loads = 0, local_stores = 0; ///< LDL, STL
    std::vector<std::string>
        callees; ///< .nv.callgraph: calls that linking will resolve (-rdc=true)
};

/// Reads the functions of a cubin (64-bit little-endian ELF) for sm_70 or later. Every offset is
/// checked; a damaged file is an error.
Result<std::vector<CubinFunction>> read_cubin(std::string_view bytes);

} // namespace slimgrad
