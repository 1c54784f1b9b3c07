#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::slang_plugin {

/// What can be read off generated CUDA or C++ text without a parser for it.
struct GeneratedCode {
    /// Identifiers that stand before a "(" in a function's body, by the function's name.
    std::map<std::string, std::set<std::string>, std::less<>> calls;
    /// Types of the fields of a structure, by its name: "FixedArray<float,34>", without blanks.
    std::map<std::string, std::vector<std::string>, std::less<>> fields;
    /// Functions marked __global__, in the text's order.
    std::vector<std::string> kernels;

    /// Bytes of a type without any padding, structures taken apart; 0 for a type that is not known.
    std::uint64_t size_of(std::string_view type) const;
};

GeneratedCode scan_generated_code(std::string_view code);

} // namespace slimgrad::slang_plugin
