#include "plugin/slangc/warnings.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace slimgrad::slangc {
namespace {

constexpr std::string_view repairs = "repair-extents";

/// Messages hold names out of shaders: nothing in them may steer a terminal or end a line.
std::string plain(std::string_view text) {
    std::string result(text);
    std::replace_if(
        result.begin(), result.end(),
        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
    return result;
}

} // namespace

std::string warning_text(std::string_view message, const Place& place, bool machine_readable) {
    if (machine_readable)
        return fmt::format("slimgrad\twarning\t{0}\t{1}\t{2}\t{1}\t{2}\t{3}\n", plain(place.file),
                           place.line, place.column, plain(message));
    if (!place.file.empty() && place.line == 0)
        return fmt::format("warning[slimgrad]: {}: {}\n", plain(place.file), plain(message));
    std::string text = fmt::format("warning[slimgrad]: {}\n", plain(message));
    if (!place.file.empty())
        text += fmt::format(" --> {}\n", plain(to_string(place)));
    return text;
}

std::string warnings_text(const RewrittenCuda& rewritten, const std::string& output,
                          bool machine_readable) {
    std::string text;
    const bool repaired = std::find(rewritten.passes.begin(), rewritten.passes.end(), repairs) !=
                          rewritten.passes.end();
    const CudaRewriteNote* first = nullptr;
    std::size_t places = 0;
    for (const CudaRewriteNote& note : rewritten.notes) {
        if (note.severity != "error" && note.severity != "warning")
            continue;
        if (repaired && note.pass == repairs) {
            first = first == nullptr ? &note : first;
            ++places;
            continue;
        }
        text += warning_text(note.message, note.place, machine_readable);
    }
    if (repaired) {
        std::string message = first != nullptr
                                  ? first->message
                                  : "transposed checkpoint arrays of nested loops are repaired: "
                                    "gradients change";
        if (places > 1)
            message += fmt::format(" (and {} more)", places - 1);
        text += warning_text(message, first != nullptr ? first->place : Place{}, machine_readable);
    }
    if (const std::string demand = heap_demand(rewritten.heap_kernels); !demand.empty())
        text += warning_text(demand, {output}, machine_readable);
    return text;
}

} // namespace slimgrad::slangc
