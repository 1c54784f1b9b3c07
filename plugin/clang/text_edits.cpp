#include "plugin/clang/text_edits.h"

#include <algorithm>
#include <utility>

namespace slimgrad {

unsigned TextEdits::offset(clang::SourceLocation place) const {
    return sources_.getFileOffset(sources_.getExpansionLoc(place));
}

unsigned TextEdits::end_of_token(clang::SourceLocation place) const {
    const clang::SourceLocation start = sources_.getExpansionLoc(place);
    return sources_.getFileOffset(start) +
           clang::Lexer::MeasureTokenLength(start, sources_, language_);
}

void TextEdits::replace(clang::SourceRange range, std::string text) {
    edits_.push_back({offset(range.getBegin()), end_of_token(range.getEnd()), std::move(text)});
}

void TextEdits::insert_before(clang::SourceLocation place, std::string text) {
    edits_.push_back({offset(place), offset(place), std::move(text)});
}

void TextEdits::insert_after(clang::SourceLocation place, std::string text) {
    const unsigned at = end_of_token(place);
    edits_.push_back({at, at, std::move(text)});
}

void TextEdits::replace_between(clang::SourceLocation token, clang::SourceLocation next,
                                std::string text) {
    edits_.push_back({end_of_token(token), offset(next), std::move(text)});
}

void TextEdits::remove_statement(clang::SourceRange range) {
    unsigned end = end_of_token(range.getEnd());
    const llvm::StringRef text = sources_.getBufferData(sources_.getMainFileID());
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next != llvm::StringRef::npos && text[next] == ';')
        end = static_cast<unsigned>(next) + 1;
    edits_.push_back({offset(range.getBegin()), end, ""});
}

void TextEdits::insert_in_front(clang::SourceLocation place, std::string text) {
    const llvm::StringRef all = sources_.getBufferData(sources_.getMainFileID());
    const auto line_of = [&](std::size_t at) {
        const std::size_t end = all.rfind('\n', at == 0 ? 0 : at - 1);
        return end == llvm::StringRef::npos || at == 0 ? 0 : end + 1;
    };
    std::size_t at = line_of(offset(place));
    if (at != 0 && all.substr(line_of(at - 1), at - line_of(at - 1)).starts_with("#line"))
        at = line_of(at - 1);
    edits_.push_back({static_cast<unsigned>(at), static_cast<unsigned>(at), std::move(text)});
}

void TextEdits::append(std::string text) {
    const auto end = static_cast<unsigned>(sources_.getBufferData(sources_.getMainFileID()).size());
    edits_.push_back({end, end, std::move(text)});
}

bool TextEdits::apply(std::string& text) const {
    std::vector<const Edit*> order;
    for (const Edit& edit : edits_)
        order.push_back(&edit);
    // Outer edits first; insertions before a replacement that begins at the same place.
    std::stable_sort(order.begin(), order.end(), [](const Edit* a, const Edit* b) {
        if (a->begin != b->begin)
            return a->begin < b->begin;
        const bool a_inserts = a->begin == a->end, b_inserts = b->begin == b->end;
        if (a_inserts != b_inserts)
            return a_inserts;
        return a->end > b->end;
    });
    std::string result;
    unsigned done = 0;
    const Edit* last = nullptr;
    for (const Edit* edit : order) {
        if (edit->begin < done) {
            if (edit->end > done)
                return false;
            continue; // inside the last one
        }
        if (last && last->begin == edit->begin && last->end == edit->end &&
            edit->begin != edit->end)
            continue;
        result.append(text, done, edit->begin - done);
        result += edit->text;
        done = edit->end;
        last = edit;
    }
    result.append(text, done, std::string::npos);
    text = std::move(result);
    return true;
}

std::string TextEdits::source(clang::SourceRange range) const {
    return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range), sources_,
                                       language_)
        .str();
}

} // namespace slimgrad
