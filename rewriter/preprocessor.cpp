#include "rewriter/preprocessor.h"

#include "rewriter/condition.h"
#include "rewriter/line_splices.h"
#include "rewriter/literate_text.h"
#include "rewriter/macro_reach.h"
#include "rewriter/words.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

namespace slimgrad {

namespace {

/// A directive's text with comments replaced by a space.
std::string directive_text(std::string_view raw) {
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw.substr(i, 2) == "//") {
            break;
        } else if (raw.substr(i, 2) == "/*") {
            const auto end = raw.find("*/", i + 2);
            if (end == std::string_view::npos)
                break;
            text += ' ';
            i = end + 1;
        } else {
            text += raw[i];
        }
    }
    return std::string(trimmed(text));
}

std::string_view take_name(std::string_view& text) {
    text = trimmed(text);
    std::size_t length = 0;
    while (length < text.size() && is_name(text[length]))
        ++length;
    std::string_view name = text.substr(0, length);
    text.remove_prefix(length);
    return name;
}

/// One #if ... #endif that is open at the current line.
struct Branch {
    bool parent_active = true;
    bool active = true;
    bool taken = false;       ///< an earlier branch was taken for certain
    ByteRange directive = {}; ///< that opened the part that is being read
    bool undecided = false;   ///< its condition could not be evaluated
};

class Preprocessor {
  public:
    /// `macros`: those of the command line.
    Preprocessor(const std::vector<SourceFile>& files, MacroTable macros, ActiveText& result)
        : files_(files), command_line_(std::move(macros)), result_(result),
          seen_(files.size(), false) {
        for (const SourceFile& file : files) {
            kept_.emplace_back(file.text().size(), false);
            spliced_.emplace_back(code_text(file));
        }
    }

    void read_unit(std::uint32_t file) {
        depth_ = 0;
        read_bytes_ = 0;
        if (is_literate(files_[file].path())) {
            for (const ByteRange& block : code_blocks(files_[file]))
                read_afresh(file, block);
            seen_[file] = true;
        } else {
            read_afresh(file, whole(file));
        }
    }

    bool seen(std::uint32_t file) const { return seen_[file]; }

    /// Bytes that stay; everything else is blanked.
    const std::vector<bool>& kept(std::uint32_t file) const { return kept_[file]; }
    const MacroReach& reach() const { return reach_; }

  private:
    ByteRange whole(std::uint32_t file) const {
        return {0, static_cast<std::uint32_t>(files_[file].text().size())};
    }

    void read_afresh(std::uint32_t file, ByteRange range) {
        macros_ = command_line_;
        reach_.changed();
        read(file, range);
    }

    void read(std::uint32_t index, ByteRange lines) {
        constexpr int deepest_include = 64;
        // Files that include each other several times would be read for ever long before that
        // depth.
        constexpr std::size_t most_bytes = 64 << 20, least_bytes = 4096;
        const SplicedText& spliced = spliced_[index];
        const std::string& text = spliced.text();
        const std::size_t text_end = spliced.from_file(lines.end);
        if (depth_ >= deepest_include || (depth_ > 0 && read_bytes_ + text.size() > most_bytes))
            return;
        ++depth_;
        read_bytes_ += std::max(text.size(), least_bytes);
        seen_[index] = true;
        std::vector<Branch> branches;
        std::size_t at = spliced.from_file(lines.begin);
        bool line_has_token = false;
        const auto active = [&] { return branches.empty() || branches.back().active; };
        const auto keep = [&](std::size_t begin, std::size_t end) {
            // A comment that is left open ends with its part of a literate file.
            if (!active() || end > text_end)
                return;
            const ByteRange range = spliced.in_file(begin, end);
            std::fill(kept_[index].begin() + range.begin, kept_[index].begin() + range.end, true);
        };
        const auto spliced_at = [&](std::size_t first) { // between this byte and the next
            const ByteRange range = spliced.in_file(first, first + 1);
            return range.end - range.begin > 1;
        };
        while (at < text_end) {
            const char c = text[at];
            std::string_view rest = std::string_view(text).substr(at);
            std::size_t end = at + 1;
            if (c == '\n') {
                line_has_token = false;
            } else if (c == '#' && !line_has_token) {
                end = directive_end(text, at);
                directive(index,
                          directive_text(std::string_view(text).substr(at + 1, end - at - 1)),
                          spliced.in_file(at, end), branches);
                at = end;
                continue;
            } else if (rest.starts_with("//")) {
                end = std::min(text.find('\n', at), text.size());
            } else if (rest.starts_with("/*")) {
                end = text.find("*/", at + 2);
                end = end == std::string::npos ? text.size() : end + 2;
            } else if (rest.starts_with("R\"") && (at == 0 || !is_name(text[at - 1]))) {
                end = raw_string_end(text, at);
                line_has_token = true;
            } else if (c == '"' || c == '\'') {
                end = quoted_end(text, at);
                line_has_token = true;
            } else if (is_name(c)) {
                line_has_token = true;
                while (end < text.size() && is_name(text[end]))
                    ++end;
                if (active() && !is_digit(c)) {
                    const auto next = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
                    reach_.word(rest.substr(0, end - at), text.compare(next, 1, "(") == 0, macros_);
                }
            } else if (!is_space(c)) {
                line_has_token = true;
            }
            // A parser of the text as it stands would not know this comment.
            const bool comment = rest.starts_with("/*") || rest.starts_with("//");
            if (!comment || !(spliced_at(at) || (rest[1] == '*' && spliced_at(end - 2))))
                keep(at, end);
            at = end;
        }
        --depth_;
    }

    static std::size_t directive_end(const std::string& text, std::size_t at) {
        while (at < text.size() && text[at] != '\n') {
            if (text.compare(at, 2, "/*") == 0) {
                const auto end = text.find("*/", at + 2);
                if (end == std::string::npos)
                    return text.size();
                at = end + 2;
                continue;
            }
            if (text.compare(at, 2, "//") == 0)
                return std::min(text.find('\n', at), text.size());
            ++at;
        }
        return at;
    }

    static std::size_t quoted_end(const std::string& text, std::size_t at) {
        const char quote = text[at];
        for (++at; at < text.size() && text[at] != '\n'; ++at) {
            if (text[at] == '\\')
                ++at;
            else if (text[at] == quote)
                return at + 1;
        }
        return std::min(at, text.size());
    }

    static std::size_t raw_string_end(const std::string& text, std::size_t at) {
        const auto open = text.find('(', at);
        if (open == std::string::npos)
            return at + 2;
        const std::string close = ")" + text.substr(at + 2, open - at - 2) + "\"";
        const auto end = text.find(close, open);
        return end == std::string::npos ? text.size() : end + close.size();
    }

    /// `rest`: what follows the `#`; `range`: the whole directive in the file.
    void directive(std::uint32_t file, std::string_view rest, ByteRange range,
                   std::vector<Branch>& branches) {
        const std::string_view keyword = take_name(rest);
        rest = trimmed(rest);
        const bool active = branches.empty() || branches.back().active;
        if (keyword == "if" || keyword == "ifdef" || keyword == "ifndef") {
            std::optional<std::int64_t> value = 0;
            if (active) {
                if (keyword == "if")
                    value = evaluate_condition(files_, rest, macros_);
                else
                    value = is_defined(take_name(rest)) == (keyword == "ifdef");
            }
            branches.push_back(
                {active, active && value.value_or(1) != 0, value.value_or(0) != 0, range, !value});
        } else if (keyword == "elif" && !branches.empty()) {
            Branch& branch = branches.back();
            close(file, branch, range);
            std::optional<std::int64_t> value = 0;
            if (branch.parent_active && !branch.taken)
                value = evaluate_condition(files_, rest, macros_);
            branch.active = branch.parent_active && !branch.taken && value.value_or(1) != 0;
            branch.taken = branch.taken || value.value_or(0) != 0;
            branch.undecided = !value;
        } else if (keyword == "else" && !branches.empty()) {
            Branch& branch = branches.back();
            close(file, branch, range);
            branch.active = branch.parent_active && !branch.taken;
        } else if (keyword == "endif" && !branches.empty()) {
            close(file, branches.back(), range);
            branches.pop_back();
        } else if (active && keyword == "define") {
            MacroDefinition macro;
            macro.name = take_name(rest);
            macro.function_like = rest.starts_with('(');
            if (macro.function_like)
                rest.remove_prefix(std::min(rest.find(')'), rest.size() - 1) + 1);
            macro.body = trimmed(rest);
            macro.file = file;
            macro.range = range;
            if (files_[file].text()[range.end - 1] == '\r')
                --macro.range.end; // of the line's end
            macros_[macro.name] = macro;
            reach_.changed();
            result_.macros.push_back(std::move(macro));
        } else if (active && keyword == "undef") {
            macros_.erase(std::string(take_name(rest)));
            reach_.changed();
        } else if (active && keyword == "include") {
            const auto included = find_include(file, rest);
            const Inclusion inclusion{file, range, included.value_or(Inclusion().included)};
            if (inclusions_.emplace(file, range.begin, inclusion.included).second)
                result_.inclusions.push_back(inclusion);
            if (included)
                read(*included, whole(*included));
        }
    }

    /// Records the part of a conditional that ends with `next`.
    void close(std::uint32_t file, Branch& branch, ByteRange next) {
        const ConditionalBranch part{file, branch.directive, {branch.directive.end, next.begin}};
        // A file that is read again has its branches once.
        const bool is_new = known_.emplace(file, branch.directive.begin).second;
        if (branch.undecided && is_new)
            result_.undecided.push_back(part);
        if (branch.parent_active && !branch.active && is_new)
            result_.not_taken.push_back(part);
        branch.directive = next;
        branch.undecided = false;
    }

    bool is_defined(std::string_view name) const {
        return macros_.contains(std::string(name)) || is_predefined(name);
    }

    std::optional<std::uint32_t> find_include(std::uint32_t file, std::string_view operand) const {
        if (const auto macro = macros_.find(std::string(operand));
            macro != macros_.end() && !macro->second.function_like)
            operand = macro->second.body; // `#include HEADER`
        if (operand.size() < 2 || (operand.front() != '"' && operand.front() != '<'))
            return std::nullopt;
        const auto close = operand.find(operand.front() == '"' ? '"' : '>', 1);
        if (close == std::string_view::npos)
            return std::nullopt;
        namespace fs = std::filesystem;
        const std::string name(operand.substr(1, close - 1));
        const std::string beside =
            (fs::path(files_[file].path()).parent_path() / name).lexically_normal().string();
        const std::string tail = "/" + fs::path(name).lexically_normal().string();
        std::optional<std::uint32_t> by_tail;
        for (std::uint32_t i = 0; i < files_.size(); ++i) {
            if (files_[i].path() == beside)
                return i;
            if (!by_tail && files_[i].path().ends_with(tail))
                by_tail = i;
        }
        return by_tail;
    }

    const std::vector<SourceFile>& files_;
    MacroTable command_line_;
    std::vector<SplicedText> spliced_; ///< the files' code
    ActiveText& result_;
    std::vector<bool> seen_;
    std::vector<std::vector<bool>> kept_;
    MacroTable macros_; ///< in force
    MacroReach reach_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> known_; ///< files and offsets of branches
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>
        inclusions_; ///< files, offsets, what is included
    int depth_ = 0;
    std::size_t read_bytes_ = 0; ///< of this unit; files that are included again count again
};

MacroTable command_line_macros(const std::vector<std::string>& defines) {
    MacroTable macros;
    for (const std::string& define : defines) {
        const auto equals = define.find('=');
        MacroDefinition macro;
        macro.name = define.substr(0, equals);
        // As slangc: -DNAME alone defines it to nothing.
        macro.body = equals == std::string::npos ? "" : define.substr(equals + 1);
        macros[macro.name] = macro;
    }
    return macros;
}

} // namespace

const MacroDefinition* ActiveText::find_macro(std::string_view name) const {
    const auto found = std::find_if(macros.rbegin(), macros.rend(),
                                    [&](const auto& macro) { return macro.name == name; });
    return found == macros.rend() ? nullptr : &*found;
}

ActiveText preprocess(const std::vector<SourceFile>& files,
                      const std::vector<std::string>& defines) {
    ActiveText result;
    const MacroTable macros = command_line_macros(defines);
    for (const auto& [name, macro] : macros)
        result.macros.push_back(macro);

    Preprocessor preprocessor(files, macros, result);
    for (std::uint32_t file = 0; file < files.size(); ++file) {
        if (!preprocessor.seen(file))
            preprocessor.read_unit(file);
    }
    preprocessor.reach().apply(result.macros);
    // What is left out when a file is read again, as by its include guard, was taken before.
    std::erase_if(result.not_taken, [&](const ConditionalBranch& branch) {
        const std::vector<bool>& kept = preprocessor.kept(branch.file);
        return std::any_of(kept.begin() + branch.body.begin, kept.begin() + branch.body.end,
                           [](bool byte) { return byte; });
    });
    for (std::uint32_t file = 0; file < files.size(); ++file) {
        std::string text = files[file].text();
        std::vector<ByteRange> dropped;
        const std::vector<bool>& kept = preprocessor.kept(file);
        for (std::uint32_t i = 0; i < text.size(); ++i) {
            // Lines end with LF in what is parsed.
            if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))
                text[i] = '\n';
            if (kept[i])
                continue;
            if (!dropped.empty() && dropped.back().end == i)
                ++dropped.back().end;
            else
                dropped.push_back({i, i + 1});
            if (text[i] != '\n' && text[i] != '\r')
                text[i] = ' ';
        }
        result.texts.push_back(std::move(text));
        result.inactive.push_back(std::move(dropped));
    }
    return result;
}

std::optional<std::int64_t> evaluate_condition(std::string_view expression,
                                               const MacroTable& macros) {
    return evaluate_condition({}, expression, macros);
}

} // namespace slimgrad
