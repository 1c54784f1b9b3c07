#pragma once

#include <string_view>

namespace slimgrad {

/// The text of html_report.css, which is built into the program.
extern const std::string_view html_style;

} // namespace slimgrad
