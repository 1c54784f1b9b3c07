#include "plugin/rewrite/drop_in.h"

#include "plugin/process/unique_fd.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace slimgrad {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

Result<std::vector<std::string>> passes(std::string_view list) {
    std::vector<std::string> result;
    if (list == "none")
        return result;
    while (true) {
        const std::string_view pass = list.substr(0, list.find(','));
        if (!is_one_of(pass, {"single-copy", "repair-extents", "heap"}))
            return fail(fmt::format("SLIMGRAD_CUDA_PASSES: '{}' is no pass; there are single-copy, "
                                    "repair-extents and heap, or none",
                                    pass));
        result.emplace_back(pass);
        if (pass.size() == list.size())
            return result;
        list.remove_prefix(pass.size() + 1);
    }
}

} // namespace

Result<DropInSettings> drop_in_settings() {
    DropInSettings settings;
    settings.log = variable("SLIMGRAD_LOG");
    const std::string_view state = variable("SLIMGRAD");
    if (is_one_of(state, {"off", "0", "no", "false"}))
        settings.on = false;
    else if (!is_one_of(state, {"", "on", "1", "yes", "true"}))
        return fail(fmt::format("SLIMGRAD={} is neither on nor off", state));
    if (const std::string_view list = variable("SLIMGRAD_CUDA_PASSES"); !list.empty()) {
        Result<std::vector<std::string>> chosen = passes(list);
        if (!chosen)
            return tl::unexpected(chosen.error());
        settings.rewrite.passes = std::move(*chosen);
    }
    if (const std::string_view bytes = variable("SLIMGRAD_HEAP_THRESHOLD"); !bytes.empty()) {
        std::uint64_t threshold = 0;
        const char* const end = bytes.data() + bytes.size();
        const auto [stop, error] = std::from_chars(bytes.data(), end, threshold);
        if (error != std::errc() || stop != end)
            return fail(fmt::format("SLIMGRAD_HEAP_THRESHOLD={} is no number of bytes", bytes));
        settings.rewrite.heap_threshold = threshold;
    }
    settings.rewrite.heap_layout = variable("SLIMGRAD_HEAP_LAYOUT");
    if (!is_one_of(settings.rewrite.heap_layout, {"", "thread", "warp", "grid"}))
        return fail(fmt::format("SLIMGRAD_HEAP_LAYOUT={} is none of thread, warp and grid",
                                settings.rewrite.heap_layout));
    return settings;
}

bool append_to_log(const std::string& file, std::string_view line) {
    if (file.empty())
        return true;
    const UniqueFd fd(
        open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666));
    if (!fd)
        return false;
    std::string text(line);
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
            c = '?';
    text += '\n';
    return write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

} // namespace slimgrad
