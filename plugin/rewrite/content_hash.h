#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace slimgrad {

/// SHA-256, for names by content that nobody can make clash.
class ContentHash {
  public:
    /// Parts are told apart: "ab", "c" gives another hash than "a", "bc".
    ContentHash& add(std::string_view part);
    /// The bytes as they are, so that the hash is the one `sha256sum` prints.
    ContentHash& add_raw(std::string_view bytes);
    /// 64 hexadecimal digits. Nothing may be added after it.
    std::string hex();

  private:
    void add_block(const unsigned char* block);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> rest_{}; ///< what is not yet a block
    std::size_t rest_size_ = 0;
    std::uint64_t bytes_ = 0;
};

} // namespace slimgrad
