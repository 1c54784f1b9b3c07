#include "plugin/slang/generated_code.h"

#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace slimgrad::slang_plugin {
namespace {

/// Tokens of C++ text: words and single characters; no comments, directives or literals' contents.
class Tokens {
  public:
    explicit Tokens(std::string_view text) : text_(text) {}

    /// The next token; empty at the end.
    std::string_view next() {
        skip_blank();
        if (at_ == text_.size())
            return {};
        const std::size_t begin = at_;
        if (is_name(text_[at_])) {
            while (at_ < text_.size() && is_name(text_[at_]))
                ++at_;
        } else if (text_[at_] == '"' || text_[at_] == '\'') {
            const char quote = text_[at_++];
            while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
                at_ += text_[at_] == '\\' ? 2 : 1;
            at_ = std::min(at_ + 1, text_.size());
        } else {
            ++at_;
        }
        return text_.substr(begin, at_ - begin);
    }

  private:
    void skip_blank() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                line_start_ = true;
                ++at_;
            } else if (is_space(c)) {
                ++at_;
            } else if (c == '#' && line_start_) {
                skip_directive();
            } else if (text_.substr(at_, 2) == "//") {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (text_.substr(at_, 2) == "/*") {
                auto end = text_.find("*/", at_ + 2);
                at_ = end == std::string_view::npos ? text_.size() : end + 2;
            } else {
                break;
            }
        }
        line_start_ = false;
    }

    void skip_directive() {
        bool continued = true;
        while (at_ < text_.size() && continued) {
            std::size_t end = std::min(text_.find('\n', at_), text_.size());
            continued = end > 0 && text_[end - 1] == '\\';
            at_ = std::min(end + 1, text_.size());
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool line_start_ = true;
};

/// Follows braces: a block after "name (...)" is a function's body, one after "struct name" a
/// structure's.
class Scanner {
  public:
    explicit Scanner(std::string_view code) : tokens_(code) {}

    GeneratedCode scan() {
        for (std::string_view token; !(token = tokens_.next()).empty();) {
            if (token == "{")
                open();
            else if (token == "}")
                close();
            else if (token == ";")
                end_statement();
            else
                take(token);
        }
        return std::move(result_);
    }

  private:
    enum class Block { function, structure, other };

    bool in_function() const { return !function_.empty(); }

    void take(std::string_view token) {
        if (in_function()) {
            if (token == "(" && !previous_.empty() && is_name(previous_.front()))
                result_.calls[function_].emplace(previous_);
            previous_ = token;
            return;
        }
        if (token == "(") {
            if (parentheses_++ == 0 && name_.empty() && !statement_.empty() &&
                is_name(statement_.back().front()))
                name_ = statement_.back();
        } else if (token == ")") {
            --parentheses_;
        }
        global_ = global_ || token == "__global__";
        statement_.push_back(token);
    }

    void open() {
        Block block = Block::other;
        if (!in_function()) {
            auto keyword = std::find(statement_.begin(), statement_.end(), "struct");
            if (!name_.empty()) {
                block = Block::function;
                function_ = name_;
                result_.calls[function_];
                if (global_)
                    result_.kernels.push_back(function_);
            } else if (keyword != statement_.end() && keyword + 1 != statement_.end()) {
                block = Block::structure;
                structures_.emplace_back(*(keyword + 1));
            }
            start_statement();
        }
        previous_ = {};
        blocks_.push_back(block);
    }

    void close() {
        if (blocks_.empty())
            return;
        if (blocks_.back() == Block::function)
            function_.clear();
        else if (blocks_.back() == Block::structure)
            structures_.pop_back();
        blocks_.pop_back();
        start_statement();
    }

    /// "type name" directly in a structure is a field.
    void end_statement() {
        previous_ = {};
        if (in_function())
            return;
        const bool field = !blocks_.empty() && blocks_.back() == Block::structure &&
                           name_.empty() && statement_.size() >= 2;
        if (field) {
            std::string type;
            for (std::size_t i = 0; i + 1 < statement_.size(); ++i)
                type += statement_[i];
            result_.fields[structures_.back()].push_back(std::move(type));
        }
        start_statement();
    }

    void start_statement() {
        statement_.clear();
        name_ = {};
        parentheses_ = 0;
        global_ = false;
    }

    Tokens tokens_;
    GeneratedCode result_;
    std::vector<Block> blocks_;
    std::vector<std::string> structures_;
    std::vector<std::string_view> statement_;
    std::string function_;
    std::string_view name_; ///< before the statement's first "("
    std::string_view previous_;
    int parentheses_ = 0;
    bool global_ = false;
};

std::uint64_t scalar_size(std::string_view name) {
    using Entry = std::pair<std::string_view, std::uint64_t>;
    static constexpr std::array<Entry, 22> sizes = {
        {{"bool", 1},   {"char", 1},     {"uchar", 1},     {"int8_t", 1},   {"uint8_t", 1},
         {"short", 2},  {"ushort", 2},   {"int16_t", 2},   {"uint16_t", 2}, {"half", 2},
         {"__half", 2}, {"int", 4},      {"uint", 4},      {"int32_t", 4},  {"uint32_t", 4},
         {"float", 4},  {"longlong", 8}, {"ulonglong", 8}, {"int64_t", 8},  {"uint64_t", 8},
         {"double", 8}, {"size_t", 8}}};
    auto found = std::find_if(sizes.begin(), sizes.end(),
                              [&](const Entry& entry) { return entry.first == name; });
    return found == sizes.end() ? 0 : found->second;
}

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace

std::uint64_t GeneratedCode::size_of(std::string_view type) const {
    if (type.ends_with('*'))
        return 8;
    if (std::uint64_t size = scalar_size(type))
        return size;
    if (auto structure = fields.find(type); structure != fields.end()) {
        std::uint64_t size = 0;
        for (const std::string& field : structure->second)
            size += size_of(field);
        return size;
    }
    // FixedArray<T,34>, Vector<T,3>, Matrix<T,2,3>
    if (auto open = type.find('<'); open != std::string_view::npos && type.ends_with('>')) {
        std::string_view element = type.substr(open + 1, type.size() - open - 2);
        std::uint64_t count = 1;
        for (int dimensions = type.starts_with("Matrix<") ? 2 : 1; dimensions > 0; --dimensions) {
            auto comma = element.rfind(',');
            if (comma == std::string_view::npos)
                return 0;
            count *= number(element.substr(comma + 1));
            element = element.substr(0, comma);
        }
        return count * size_of(element);
    }
    // float4 in CUDA
    if (!type.empty() && type.back() >= '2' && type.back() <= '4')
        return scalar_size(type.substr(0, type.size() - 1)) *
               static_cast<std::uint64_t>(type.back() - '0');
    return 0;
}

GeneratedCode scan_generated_code(std::string_view code) {
    return Scanner(code).scan();
}

} // namespace slimgrad::slang_plugin
