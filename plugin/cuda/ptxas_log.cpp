#include "plugin/cuda/ptxas_log.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace slimgrad {
namespace {

/// The text between the first `before` and the next `after`.
std::optional<std::string_view> between(std::string_view line, std::string_view before,
                                        std::string_view after) {
    std::size_t start = line.find(before);
    if (start == std::string_view::npos)
        return std::nullopt;
    start += before.size();
    std::size_t end = after.empty() ? line.size() : line.find(after, start);
    if (end == std::string_view::npos)
        return std::nullopt;
    return line.substr(start, end - start);
}

/// The number that stands right before `unit`: 592 in "592 bytes stack frame".
std::optional<std::uint32_t> number_before(std::string_view line, std::string_view unit) {
    std::size_t end = line.find(unit);
    if (end == std::string_view::npos || end == 0)
        return std::nullopt;
    std::size_t start = line.find_last_not_of("0123456789", end - 1);
    start = start == std::string_view::npos ? 0 : start + 1;
    std::uint32_t value = 0;
    auto [stop, error] = std::from_chars(line.data() + start, line.data() + end, value);
    if (error != std::errc() || stop != line.data() + end)
        return std::nullopt;
    return value;
}

} // namespace

std::vector<PtxasFunction> parse_ptxas_log(std::string_view log) {
    std::vector<PtxasFunction> functions;
    std::string kernel;
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size());
        const std::string_view line = log.substr(0, end);
        log.remove_prefix(std::min(end + 1, log.size()));

        if (auto symbol = between(line, "Compiling entry function '", "'")) {
            kernel = *symbol;
            functions.push_back({.symbol = kernel, .entry = true, .kernel = {}});
        } else if (auto name = between(line, "Function properties for ", "")) {
            if (*name != kernel)
                functions.push_back({.symbol = std::string(*name), .kernel = kernel});
        } else if (functions.empty()) {
            continue;
        } else if (auto stack = number_before(line, " bytes stack frame")) {
            PtxasFunction& function = functions.back();
            function.stack_bytes = *stack;
            function.spill_store_bytes = number_before(line, " bytes spill stores").value_or(0);
            function.spill_load_bytes = number_before(line, " bytes spill loads").value_or(0);
        } else if (auto registers = number_before(line, " registers")) {
            functions.back().registers = *registers;
        }
    }
    return functions;
}

} // namespace slimgrad
