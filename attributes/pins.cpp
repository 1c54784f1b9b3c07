#include "attributes/pins.h"

#include "rewriter/words.h"

#include <algorithm>
#include <string_view>

namespace slimgrad {

namespace {

constexpr std::string_view mark = "slimgrad: keep";

bool overlap(ByteRange a, ByteRange b) {
    return a.begin < b.end && b.begin < a.end;
}

/// Where the comment with the mark begins; npos where the line has none.
std::size_t find_pin(std::string_view line) {
    const auto found = line.find(mark);
    if (found == std::string_view::npos)
        return found;
    const std::string_view rest = line.substr(found + mark.size());
    return rest.empty() || !is_name(rest[0]) ? line.substr(0, found).find("//")
                                             : std::string_view::npos;
}

/// The head with the blanks before it: where an attribute is inserted above it.
ByteRange from_line_start(const SourceFile& file, ByteRange head) {
    const std::uint32_t start = file.line_start(head.begin);
    return trimmed(file.slice({start, head.begin})).empty() ? ByteRange{start, head.end} : head;
}

} // namespace

Pins::Pins(const ModuleModel& model) : model_(model), kept_(model.files.size()) {
    for (std::uint32_t file = 0; file < model.files.size(); ++file)
        if (model.files[file].text().find(mark) != std::string::npos)
            read_file(file);
}

void Pins::read_file(std::uint32_t index) {
    const SourceFile& file = model_.files[index];
    const std::string_view text = file.text();
    bool above = false; // a pin stands above, with nothing but comments in between
    for (std::uint32_t begin = 0; begin < text.size();) {
        const auto end = std::uint32_t(std::min(text.find('\n', begin), text.size()));
        const std::string_view line = text.substr(begin, end - begin);
        const auto pin = find_pin(line);
        const bool is_comment = trimmed(line).starts_with("//");
        if (!is_comment && (above || pin != std::string_view::npos))
            pin_line(index, {begin, end});
        above = is_comment && (above || pin != std::string_view::npos);
        begin = end + 1;
    }
}

void Pins::pin_line(std::uint32_t index, ByteRange line) {
    std::vector<ByteRange>& kept = kept_[index];
    kept.push_back(line);
    const SourceFile& file = model_.files[index];
    for (const Function& function : model_.functions) {
        const ByteRange head{function.site.range.begin,
                             function.body ? function.body->begin : function.site.range.end};
        if (function.site.file == index && overlap(head, line))
            kept.push_back(from_line_start(file, head));
    }
    for (const Loop& loop : model_.loops) {
        const ByteRange head{loop.with_attributes.begin, loop.body.begin};
        if (loop.site.file == index && overlap(head, line))
            kept.push_back(from_line_start(file, head));
    }
    for (const Call& call : model_.calls)
        if (call.site.file == index && line.contains(call.site.range.begin))
            kept.push_back(call.site.range);
}

bool Pins::keep(const SourceEdit& edit) const {
    const Index file = model_.find_file(edit.path);
    return file != none &&
           std::any_of(kept_[file].begin(), kept_[file].end(), [&](ByteRange range) {
               return overlap(range, edit.range) || range.contains(edit.range.begin);
           });
}

} // namespace slimgrad
