#include "plugin/slang/byte_column.h"

namespace slimgrad::slang_plugin {

std::uint32_t byte_column(std::string_view text, std::uint32_t line, std::uint32_t column) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    for (; line > 1; --line) {
        const auto end = text.find_first_of("\r\n");
        if (end == std::string_view::npos)
            return column;
        const std::string_view both = text.substr(end, 2);
        text.remove_prefix(end + (both == "\r\n" || both == "\n\r" ? 2 : 1));
    }
    std::size_t at = 0;
    auto byte = [&] { return static_cast<unsigned char>(text[at]); };
    for (; column > 1 && at < text.size(); --column)
        if (bool several = byte() >= 0x80; ++at, several)
            while (at < text.size() && (byte() & 0xc0) == 0x80)
                ++at;
    return static_cast<std::uint32_t>(at) + column;
}

} // namespace slimgrad::slang_plugin
