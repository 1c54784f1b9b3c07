#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace slimgrad {

/// Instructions of one function, and of those it calls that were not inlined, that touch local
/// memory.
struct LocalAccesses {
    std::uint32_t loads = 0;  ///< LDL
    std::uint32_t stores = 0; ///< STL
};

/// Counts in the output of `nvdisasm -c`, by the symbol of the section's function.
std::map<std::string, LocalAccesses> count_local_accesses(std::string_view disassembly);

} // namespace slimgrad
