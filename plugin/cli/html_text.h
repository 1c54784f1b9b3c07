#pragma once

#include <string>
#include <string_view>

namespace slimgrad {

/// Untrusted text (file names, shaders, compiler messages) inside an element or a quoted attribute.
/// Bytes that are not UTF-8 become U+FFFD, control characters and those that turn the direction of
/// writing are shown as `\u{202e}`; tab and newline stay.
std::string html_escaped(std::string_view text);

} // namespace slimgrad
