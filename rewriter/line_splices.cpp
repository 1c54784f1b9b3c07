#include "rewriter/line_splices.h"

#include <algorithm>

namespace slimgrad {

std::size_t splice_length(std::string_view text, std::size_t at) {
    if (text[at] != '\\')
        return 0;
    const std::string_view line_end = text.substr(at + 1, 2);
    if (line_end == "\r\n")
        return 3;
    return line_end.starts_with('\n') || line_end.starts_with('\r') ? 2 : 0;
}

std::string without_splices(std::string_view text) {
    if (text.find('\\') == std::string_view::npos)
        return std::string(text);
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t splice = splice_length(text, at)) {
            at += splice;
            continue;
        }
        result += text[at++];
    }
    return result;
}

SplicedText::SplicedText(std::string_view text) : text_(without_splices(text)) {
    if (text_.size() != text.size()) {
        offsets_.reserve(text_.size() + 1);
        for (std::size_t at = 0; at < text.size();) {
            if (const std::size_t splice = splice_length(text, at))
                at += splice;
            else
                offsets_.push_back(std::uint32_t(at++));
        }
        offsets_.push_back(std::uint32_t(text.size()));
    }
    for (std::size_t at = 0; at < text_.size(); ++at) {
        if (text_[at] == '\r' && text_.compare(at + 1, 1, "\n") != 0)
            text_[at] = '\n';
    }
}

std::size_t SplicedText::from_file(std::uint32_t offset) const {
    if (offsets_.empty())
        return offset;
    return static_cast<std::size_t>(std::lower_bound(offsets_.begin(), offsets_.end(), offset) -
                                    offsets_.begin());
}

} // namespace slimgrad
