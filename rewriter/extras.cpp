#include "rewriter/extras.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace slimgrad {

namespace {

class Scan {
  public:
    explicit Scan(std::string_view text) : text_(text) {}

    ExtraCount count() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (std::isspace(static_cast<unsigned char>(c))) {
                ++at_;
            } else if (starts("//")) {
                skip_line();
            } else if (starts("/*")) {
                skip_block();
            } else if (c == '#') {
                read_directive();
            } else if (c == '\\' || is_mark(c)) {
                ++at_; // part of a spliced line or of a byte order mark
            } else {
                read_token();
            }
        }
        end_run();
        return count_;
    }

  private:
    static bool is_mark(char c) { return static_cast<unsigned char>(c) >= 0x80; }
    bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

    // Every beginning of a comment or directive in a skipped text counts as well: if the parser
    // sees the text as something else, there may be as many.
    void count_marker() {
        const bool comment = text_[at_] == '/' && at_ + 1 < text_.size() &&
                             (text_[at_ + 1] == '/' || text_[at_ + 1] == '*');
        run_ += comment || text_[at_] == '#';
        at_ += comment ? 2 : 1;
        while (comment && at_ < text_.size() && text_[at_] == '/')
            ++at_; // a line of slashes is one comment
    }

    void skip_line() {
        while (at_ < text_.size() && text_[at_] != '\n')
            count_marker();
    }

    void skip_block() {
        count_marker();
        while (at_ < text_.size() && !starts("*/"))
            count_marker();
        at_ = std::min(at_ + 2, text_.size());
    }

    // A branch that the parser may leave out holds no token for it.
    void read_directive() {
        std::string_view line = text_.substr(at_ + 1, text_.find('\n', at_) - at_ - 1);
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.starts_with("if"))
            open(!line.starts_with("if 0") && line.find("__cplusplus") == line.npos);
        else if (line.starts_with("el") && !read_.empty())
            leave_out();
        else if (line.starts_with("endif") && !read_.empty())
            close();
        while (at_ < text_.size() && text_[at_] != '\n') {
            if (starts("/*"))
                skip_block(); // goes on to other lines
            else
                count_marker();
        }
    }

    void end_run() {
        count_.all += run_;
        count_.longest_run = std::max(count_.longest_run, run_);
        run_ = 0;
    }

    void open(bool read) {
        read_.push_back(read);
        unread_ += !read;
    }

    void leave_out() {
        unread_ += read_.back();
        read_.back() = false;
    }

    void close() {
        unread_ -= !read_.back();
        read_.pop_back();
    }

    void read_token() {
        if (unread_ == 0)
            end_run();
        const char quote = text_[at_++];
        if (quote != '"' && quote != '\'')
            return;
        while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
            if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n')
                ++at_;
            count_marker();
        }
        if (at_ < text_.size() && text_[at_] == quote)
            ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0, run_ = 0;
    ExtraCount count_;
    std::vector<bool> read_; // of the conditionals around: is the branch certain to be read?
    std::size_t unread_ = 0; // how many are not
};

} // namespace

ExtraCount count_extras(std::string_view text) {
    return Scan(text).count();
}

} // namespace slimgrad
