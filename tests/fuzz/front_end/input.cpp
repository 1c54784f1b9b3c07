#include "tests/fuzz/front_end/input.h"

#include "rewriter/line_diff.h"

#include <algorithm>
#include <utility>

namespace slimgrad::front_end {

namespace {

// The model reads every file; more of them find nothing that these do not.
constexpr std::size_t most_files = 8;

std::string_view rest_of_line(std::string_view line, std::string_view mark) {
    line.remove_prefix(mark.size());
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
        line.remove_suffix(1);
    return line;
}

} // namespace

Input read_input(std::string_view bytes) {
    constexpr std::string_view file_mark = "//--- ", define_mark = "//-D ";
    std::vector<std::pair<std::string, std::string>> files{{"/m/main.slang", ""}};
    Input input;
    for (std::string_view line : split_lines(bytes)) {
        if (line.starts_with(file_mark) && files.size() < most_files) {
            std::string path = "/m/" + std::string(rest_of_line(line, file_mark));
            const bool known = std::any_of(files.begin(), files.end(),
                                           [&](const auto& file) { return file.first == path; });
            if (!known) {
                files.emplace_back(std::move(path), "");
                continue;
            }
        }
        if (line.starts_with(define_mark))
            input.defines.emplace_back(rest_of_line(line, define_mark));
        files.back().second += line; // also the line of an option: it is a comment
    }
    for (auto& [path, text] : files)
        input.files.emplace_back(std::move(path), std::move(text));
    return input;
}

} // namespace slimgrad::front_end
