#include "plugin/nvrtc/shader_name.h"

namespace slimgrad::nvrtc {

std::string_view shader_name(std::string_view source) {
    constexpr std::string_view directive = "\n#line ";
    for (std::size_t at = source.find(directive); at != std::string_view::npos;
         at = source.find(directive, at + 1)) {
        std::string_view line = source.substr(at + directive.size());
        line = line.substr(0, line.find('\n'));
        const std::size_t open = line.find('"'), close = line.rfind('"');
        if (open == close)
            continue;
        const std::string_view file = line.substr(open + 1, close - open - 1);
        // Slang's own are "core", "token paste", "hlsl.meta.slang" and the like.
        if (file.find('.') != std::string_view::npos && !file.ends_with(".meta.slang"))
            return file;
    }
    return "";
}

} // namespace slimgrad::nvrtc
