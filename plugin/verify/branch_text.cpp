#include "plugin/verify/branch_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>

namespace slimgrad::verify {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}
bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c));
}

/// "_S12" with prefix "_S".
bool is_numbered(std::string_view text, std::string_view prefix) {
    return text.size() > prefix.size() && text.starts_with(prefix) &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(prefix.size()), text.end(),
                       is_digit);
}

/// "v_2 > t_0" -> "v > t", "_S12" -> "_S"; what `instrument` put there goes, too.
std::string without_suffixes(std::string_view condition) {
    std::string result;
    for (std::size_t i = 0; i < condition.size();) {
        if (!is_word(condition[i])) {
            result += condition[i++];
            continue;
        }
        std::size_t end = i;
        while (end < condition.size() && is_word(condition[end]))
            ++end;
        std::string_view word = condition.substr(i, end - i);
        i = end;
        if (word.starts_with("slimgrad_at")) {
            i = std::min(condition.find(", ", i), condition.size() - 2) + 2;
            continue;
        }
        if (!is_digit(word.front())) {
            while (is_digit(word.back()))
                word.remove_suffix(1);
            if (word.size() > 1 && word.back() == '_')
                word.remove_suffix(1);
        }
        result += word;
    }
    return result;
}

class BranchInstrumenter {
  public:
    BranchInstrumenter(std::string_view code, const std::set<std::string>& unreachable)
        : code_(code), unreachable_(unreachable) {
        find_declarations();
    }

    BranchText run() {
        // Slang's prelude has no #line.
        const std::size_t begin = std::min(code_.find("\n#line "), code_.size());
        position_ = begin;
        while (position_ < code_.size())
            step();
        std::string code = fmt::format(
            "#include <stdint.h>\n"
            "extern \"C\" {{\n"
            "__attribute__((visibility(\"default\"))) unsigned char slimgrad_ways[{}];\n"
            "__attribute__((visibility(\"default\"))) uint32_t slimgrad_way_count = {};\n"
            "}}\n"
            "static inline bool slimgrad_branch(uint32_t way, bool taken) {{\n"
            "    slimgrad_ways[taken ? way : way + 1] = 1;\n"
            "    return taken;\n"
            "}}\n",
            ways_ + 1, ways_);
        code += code_.substr(0, begin);
        code += result_.code;
        result_.code = std::move(code);
        return std::move(result_);
    }

  private:
    /// Conditions that have a name, and integers that get their value later.
    void find_declarations() {
        for (const std::string_view type : {" bool ", " int32_t ", " int "})
            for (std::size_t at = code_.find(type); at != std::string_view::npos;
                 at = code_.find(type, at + 1)) {
                const std::size_t begin = at + type.size();
                std::size_t end = begin;
                while (end < code_.size() && is_word(code_[end]))
                    ++end;
                const std::string_view name = code_.substr(begin, end - begin),
                                       after = code_.substr(end);
                if (type != " bool " && after.starts_with(";"))
                    stages_.insert(name);
                else if (type == " bool " && is_numbered(name, "_S") && after.starts_with(";"))
                    merged_conditions_.insert(name);
                else if (type == " bool " && is_numbered(name, "_S") && after.starts_with(" = "))
                    definitions_[name] = after.substr(3, after.find(';') - 3);
            }
    }

    /// The condition itself, where the compiler gave it a name.
    std::string_view resolved(std::string_view condition) const {
        for (int names = 0; names < 8; ++names) // names are unique; should they not be, it ends
            if (const auto found = definitions_.find(condition); found != definitions_.end())
                condition = found->second;
        return condition;
    }

    enum class Origin { shader, doubtful, compiler };

    /// The compiler makes conditions up to leave loops and functions in one place only: a flag, or
    /// a comparison of a number for the way that was left by.
    Origin origin(std::string_view condition) const {
        while (condition.starts_with("!(") && condition.ends_with(")"))
            condition = condition.substr(2, condition.size() - 3);
        if (condition.starts_with("!"))
            condition = resolved(condition.substr(1));
        const std::size_t end = static_cast<std::size_t>(
            std::find_if_not(condition.begin(), condition.end(), is_word) - condition.begin());
        const std::string_view name = condition.substr(0, end), rest = condition.substr(end);
        const bool unnamed = is_numbered(name, "_S");
        if (rest.empty())
            return (unnamed && !merged_conditions_.contains(name)) ||
                           name.starts_with("_runFlag_") || name.starts_with("_bflag_")
                       ? Origin::compiler
                       : Origin::shader;
        if (stages_.contains(name) &&
            (rest.starts_with(" != ") || (unnamed && rest.starts_with(" == "))))
            return unnamed ? Origin::compiler : Origin::doubtful;
        return is_numbered(name, "_dc_") && rest.starts_with(" >= ") ? Origin::compiler
                                                                     : Origin::shader;
    }

    void copy_to(std::size_t end) {
        end = std::min(end, code_.size());
        line_ += static_cast<std::uint32_t>(
            std::count(code_.begin() + static_cast<std::ptrdiff_t>(position_),
                       code_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        result_.code += code_.substr(position_, end - position_);
        position_ = end;
    }

    void step() {
        const std::string_view rest = code_.substr(position_);
        if (rest.front() == '#' && (position_ == 0 || code_[position_ - 1] == '\n'))
            directive();
        else if (rest.starts_with("//"))
            copy_to(code_.find('\n', position_));
        else if (rest.front() == '"')
            copy_to(end_of_string());
        else if (is_word(rest.front()))
            word();
        else
            punctuation(rest.front());
    }

    void punctuation(char c) {
        depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
        copy_to(position_ + 1);
    }

    std::size_t end_of_string() const {
        std::size_t end = position_ + 1;
        while (end < code_.size() && code_[end] != '"')
            end += code_[end] == '\\' ? 2 : 1;
        return end + 1;
    }

    void directive() {
        const std::size_t end = std::min(code_.find('\n', position_), code_.size());
        const std::string_view text = code_.substr(position_, end - position_);
        copy_to(end + 1);
        if (!text.starts_with("#line "))
            return;
        line_ = 0;
        std::size_t i = 6;
        for (; i < text.size() && is_digit(text[i]); ++i)
            line_ = line_ * 10 + static_cast<std::uint32_t>(text[i] - '0');
        std::size_t quote = text.find('"', i);
        if (quote == std::string_view::npos)
            return;
        file_.clear();
        for (i = quote + 1; i < text.size() && text[i] != '"'; ++i) {
            if (text[i] == '\\' && i + 1 < text.size())
                ++i;
            file_ += text[i];
        }
    }

    void word() {
        std::size_t end = position_;
        while (end < code_.size() && is_word(code_[end]))
            ++end;
        const std::string_view text = code_.substr(position_, end - position_);
        const Place place{file_, line_, 0};
        if (text == "if" && code_.substr(end).starts_with("("))
            return condition(end + 1, place);
        if (depth_ == 0 && code_.substr(end).starts_with("(")) {
            function_ = without_suffixes(text);
            reachable_ = !unreachable_.contains(std::string(text));
        }
        if (text == "switch")
            switch_place_ = place;
        if (text == "case" || text == "default") {
            const std::size_t colon = std::min(code_.find(':', end), code_.size());
            const std::string label(code_.substr(position_, colon - position_));
            copy_to(colon + 1);
            result_.code += fmt::format(" slimgrad_branch({}, true);", ways_);
            result_.branches.push_back(
                {switch_place_, label, function_, ways_, ways_, false, reachable_});
            ++ways_;
            return;
        }
        copy_to(end);
    }

    void condition(std::size_t begin, const Place& place) {
        std::size_t end = begin;
        for (int depth = 1; end < code_.size(); ++end) {
            depth += code_[end] == '(' ? 1 : code_[end] == ')' ? -1 : 0;
            if (depth == 0)
                break;
        }
        const std::string_view text = resolved(code_.substr(begin, end - begin));
        copy_to(begin);
        const Origin from = origin(text);
        if (from == Origin::compiler)
            return;
        result_.code += fmt::format("slimgrad_branch({}, ", ways_);
        copy_to(end);
        result_.code += ')';
        result_.branches.push_back({place, without_suffixes(text), function_, ways_, ways_ + 1,
                                    from == Origin::doubtful, reachable_});
        ways_ += 2;
    }

    std::string_view code_;
    const std::set<std::string>& unreachable_;
    std::size_t position_ = 0;
    BranchText result_;
    std::uint32_t ways_ = 0;
    std::string file_;
    std::uint32_t line_ = 0;
    int depth_ = 0;        ///< of braces
    std::string function_; ///< the last one whose head was seen
    bool reachable_ = true;
    Place switch_place_;   ///< of the last one: its labels come before another one's
    std::map<std::string_view, std::string_view> definitions_; ///< `bool _S6 = v_0 > t_0;`
    std::set<std::string_view> merged_conditions_; ///< `bool _S10;`: the value of a `&&` or `||`
    std::set<std::string_view> stages_;            ///< `int32_t _S7;`, and the shader's own
};

} // namespace

BranchText instrument_branches(std::string_view code, const std::set<std::string>& unreachable) {
    return BranchInstrumenter(code, unreachable).run();
}

} // namespace slimgrad::verify
