#include "attributes/conditional_text.h"

#include "attributes/conditional_statements.h"
#include "attributes/expression_text.h"
#include "rewriter/integer_expression.h"
#include "rewriter/literate_text.h"

#include <algorithm>
#include <cctype>

namespace slimgrad {

namespace {

bool overlaps(ByteRange a, ByteRange b) {
    return a.begin < b.end && b.begin < a.end;
}

/// Where the comment or the quoted text at `at` ends; `at` where there is none.
std::size_t end_of_skipped(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//"))
        return std::min(text.find('\n', at), text.size());
    if (rest.starts_with("/*")) {
        const auto end = text.find("*/", at + 2);
        return end == std::string_view::npos ? text.size() : end + 2;
    }
    if (text[at] != '"' && text[at] != '\'')
        return at;
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at] && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
}

/// The end of the line, or of the last one that a `\` joins to it.
std::size_t end_of_directive(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] != '\n') {
        const bool joined = text[at] == '\\' && (text.substr(at + 1).starts_with("\n") ||
                                                 text.substr(at + 1).starts_with("\r\n"));
        if (joined)
            at = text.find('\n', at) + 1;
        else if (text.substr(at).starts_with("/*"))
            at = end_of_skipped(text, at);
        else
            ++at;
    }
    return std::min(at, text.size());
}

/// Whether the text is attributes, `[A] [B(1)]`, and directives that choose among them.
bool holds_attributes_alone(std::string_view text) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '#') {
            const std::string keyword = first_name(trimmed(text.substr(at + 1)));
            if (depth > 0 ||
                !(keyword.starts_with("if") || keyword.starts_with("el") || keyword == "endif"))
                return false;
            at = end_of_directive(text, at);
            continue;
        }
        const std::size_t skipped = end_of_skipped(text, at);
        const bool is_comment = text[at] == '/' && skipped > at;
        if (depth == 0 && !is_comment && text[at] != '[' && !is_space(text[at]))
            return false;
        depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
        at = skipped > at ? skipped : at + 1;
    }
    return depth == 0;
}

/// "G" of `#ifndef G` and of `#if !defined(G)`; "" of others.
std::string guarded_name(std::string_view keyword, std::string_view rest) {
    if (keyword == "ifndef")
        return first_name(rest);
    const std::string text = compact(rest);
    if (keyword != "if" || !text.starts_with("!defined"))
        return "";
    return compact(std::string_view(text).substr(8));
}

} // namespace

/// Reads the directives of one file, in all branches.
class ConditionalText::Reader {
  public:
    Reader(ConditionalText& result, std::uint32_t file)
        : result_(result), file_(file), code_(code_text(result.model_.files[file])), text_(code_) {}

    void read() {
        bool line_has_token = false;
        for (std::size_t at = 0; at < text_.size();) {
            if (const std::size_t end = end_of_skipped(text_, at); end > at) {
                line_has_token = line_has_token || text_[at] != '/';
                outside_ = outside_ || (open_.empty() && text_[at] != '/');
                at = end;
                continue;
            }
            if (text_[at] == '\n') {
                line_has_token = false;
            } else if (text_[at] == '#' && !line_has_token && is_left_out(at)) {
                const std::size_t end = end_of_directive(text_, at);
                directive({std::uint32_t(at), std::uint32_t(end)});
                at = end;
                continue;
            } else if (!std::isspace(static_cast<unsigned char>(text_[at]))) {
                if (!line_has_token)
                    import(at);
                line_has_token = true;
                outside_ = outside_ || open_.empty();
            }
            ++at;
        }
        while (!open_.empty())
            close(std::uint32_t(text_.size()));
        if (outside_ || top_level_ != 1 || guard_.empty())
            return;
        // The whole file stands in it.
        std::erase_if(result_.groups_[file_],
                      [&](const Group& group) { return group.directive == guard_; });
        for (Include& include : result_.includes_) {
            if (include.from == file_ && include.is_conditional && !include.by_macro)
                include.is_conditional =
                    std::any_of(result_.groups_[file_].begin(), result_.groups_[file_].end(),
                                [&](const Group& group) {
                                    return group.range.contains(include.directive.range);
                                });
        }
    }

  private:
    struct Open {
        ByteRange directive;
        std::string guards; ///< while nothing but the definition of this name came
        bool is_guard = false;
    };

    /// Text that the preprocessor keeps holds no directive.
    bool is_left_out(std::size_t at) const {
        const auto& ranges = result_.model_.inactive[file_];
        return std::any_of(ranges.begin(), ranges.end(),
                           [&](ByteRange range) { return range.begin <= at && at < range.end; });
    }

    void directive(ByteRange range) {
        std::string_view rest = trimmed(text_.substr(range.begin + 1, range.end - range.begin - 1));
        const std::string keyword = first_name(rest);
        rest = trimmed(rest.substr(keyword.size()));
        if (keyword.starts_with("if")) {
            open_.push_back({range, guarded_name(keyword, rest)});
            return;
        }
        if (open_.empty()) {
            if (keyword == "include")
                include(rest, range, false);
            return;
        }
        Open& open = open_.back();
        if (keyword == "define" && !open.guards.empty() && first_name(rest) == open.guards)
            open.is_guard = true;
        else if (keyword == "else" || keyword == "elif")
            open.is_guard = false;
        open.guards.clear();
        if (keyword == "include")
            include(rest, range, true);
        else if (keyword == "endif")
            close(range.end);
    }

    void close(std::uint32_t end) {
        const Open& open = open_.back();
        result_.groups_[file_].push_back({{open.directive.begin, end}, open.directive});
        if (open_.size() == 1) {
            ++top_level_;
            guard_ = open.is_guard ? open.directive : ByteRange{};
        }
        open_.pop_back();
    }

    /// A name that is a macro's may be another one's in another build.
    void include(std::string_view operand, ByteRange directive, bool is_conditional) {
        if (operand.empty())
            return;
        if (operand[0] != '"' && operand[0] != '<') {
            for (const MacroDefinition& macro : result_.model_.macros) {
                if (macro.name == operand)
                    include_file(macro.body, directive, true, true);
            }
            return;
        }
        include_file(operand, directive, is_conditional, false);
    }

    void include_file(std::string_view operand, ByteRange directive, bool is_conditional,
                      bool by_macro) {
        if (operand.empty())
            return;
        const auto close = operand.find_first_of("\">", 1);
        if (close == std::string_view::npos)
            return;
        std::string_view name = operand.substr(1, close - 1);
        // All files that it may be.
        name = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
        add(std::string(name), directive, is_conditional, by_macro);
    }

    /// `import a.b;` and `__include a;`
    void import(std::size_t at) {
        std::string_view rest = text_.substr(at, text_.find_first_of(";\n", at) - at);
        std::string keyword = first_name(rest);
        if (keyword == "__exported") {
            rest = trimmed(rest.substr(keyword.size()));
            keyword = first_name(rest);
        }
        if (keyword != "import" && keyword != "__include")
            return;
        std::string name = compact(rest.substr(keyword.size()));
        std::erase(name, '"');
        for (const std::string_view ending : {".md", ".slang"})
            if (name.ends_with(ending))
                name.resize(name.size() - ending.size());
        name = name.substr(name.find_last_of("./") + 1); // npos + 1 is 0
        const ByteRange range{std::uint32_t(at), std::uint32_t(at + rest.size())};
        for (const char separator : {'_', '-'}) {
            std::string file = name;
            std::replace(file.begin(), file.end(), '_', separator);
            for (const std::string_view ending : {".slang", ".slang.md"})
                add(file + std::string(ending), range, !open_.empty(), false);
        }
    }

    void add(const std::string& name, ByteRange directive, bool is_conditional, bool by_macro) {
        const auto& files = result_.model_.files;
        for (std::uint32_t to = 0; to < files.size(); ++to) {
            if (files[to].path() == name || files[to].path().ends_with("/" + name))
                result_.includes_.push_back(
                    {file_, to, {file_, directive}, is_conditional, by_macro});
        }
    }

    ConditionalText& result_;
    const std::uint32_t file_;
    const std::string code_;
    const std::string_view text_;
    std::vector<Open> open_;
    int top_level_ = 0;    ///< groups that stand in no other
    ByteRange guard_;      ///< #if of the last one, if it may be an include guard
    bool outside_ = false; ///< something but comments and directives stands in no group
};

ConditionalText::ConditionalText(const ModuleModel& model)
    : model_(model), groups_(model.files.size()), included_by_(model.files.size()) {
    for (std::uint32_t file = 0; file < model.files.size(); ++file)
        Reader(*this, file).read();
    follow_includes();
}

void ConditionalText::follow_includes() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const Include& include : includes_) {
            if (included_by_[include.to] || include.to == 0)
                continue;
            if (include.is_conditional)
                included_by_[include.to] = include.directive;
            else
                included_by_[include.to] = included_by_[include.from];
            changed = changed || included_by_[include.to];
        }
    }
}

std::optional<Site> ConditionalText::deciding(Site site, Site reader) const {
    for (const Group& group : groups_[site.file]) {
        const bool around_both = site.file == reader.file && group.range.contains(reader.range);
        if (overlaps(group.range, site.range) && !around_both)
            return Site{site.file, group.directive};
    }
    return site.file == reader.file ? std::nullopt : included_by_[site.file];
}

std::optional<Site> ConditionalText::deciding(Index index) const {
    const Loop& loop = model_.loops[index];
    if (loop.function == none)
        return std::nullopt;
    const Function& function = model_.functions[loop.function];
    const Site reader{loop.site.file, loop.with_attributes};
    Index outermost = index;
    while (model_.loops[outermost].parent != none)
        outermost = model_.loops[outermost].parent;
    const Site text{function.site.file,
                    {function.site.range.begin, model_.loops[outermost].site.range.end}};
    if (const auto found = deciding_statements(index, text, reader))
        return found;
    const auto is_integer_variable = [&](Site argument) {
        const std::string name(trimmed(model_.text(argument)));
        const auto is_it = [&](const auto& variable) {
            return variable.name == name && integer_type(variable.type);
        };
        return std::any_of(function.parameters.begin(), function.parameters.end(), is_it) ||
               std::any_of(model_.locals.begin(), model_.locals.end(),
                           [&](const LocalVariable& local) {
                               return local.function == loop.function && is_it(local);
                           });
    };
    for (const Call& call : model_.calls) {
        if (call.function != loop.function || !overlaps(call.site.range, text.range) ||
            std::none_of(call.arguments.begin(), call.arguments.end(), is_integer_variable))
            continue;
        for (const Index callee : model_.callees(call)) {
            const Function& called = model_.functions[callee];
            const Site head{called.site.file,
                            called.body ? ByteRange{called.site.range.begin, called.body->begin}
                                        : called.site.range};
            if (const auto found = deciding(head, reader))
                return found;
        }
    }
    return std::nullopt;
}

/// Whether the #if decides about attributes of the loop, or of another one of its function, and
/// nothing else: these say how it is compiled, not how often it runs.
bool ConditionalText::chooses_attributes(Index index, Site group) const {
    for (const Loop& loop : model_.loops) {
        if (loop.function == model_.loops[index].function && loop.site.file == group.file &&
            group.range.begin < loop.keyword && group.range.end <= loop.keyword &&
            !loop.from_macro &&
            holds_attributes_alone(
                model_.files[group.file].slice({group.range.begin, loop.keyword})))
            return true;
    }
    return false;
}

/// Of the text of a loop's function: an #if between statements that set nothing the loop's trips
/// rest on decides nothing.
std::optional<Site> ConditionalText::deciding_statements(Index index, Site text,
                                                         Site reader) const {
    const Function& function = model_.functions[model_.loops[index].function];
    std::set<std::string> names;
    MacroTexts macros;
    for (const Group& group : groups_[text.file]) {
        if (!overlaps(group.range, text.range) || group.range.contains(reader.range))
            continue;
        if (chooses_attributes(index, {text.file, group.range}))
            continue;
        bool cuts_head = !function.body || !function.body->contains(group.range);
        for (Index i = index; i != none; i = model_.loops[i].parent) {
            const Loop& loop = model_.loops[i];
            cuts_head |=
                overlaps(group.range, loop.with_attributes) && !loop.body.contains(group.range);
        }
        if (!cuts_head && names.empty()) {
            names = names_behind_trips(model_, index);
            macros = read_macro_texts(model_);
        }
        if (cuts_head || may_set(model_, *function.body, {text.file, group.range}, names, macros))
            return Site{text.file, group.directive};
    }
    return text.file == reader.file ? std::nullopt : included_by_[text.file];
}

std::optional<Site> ConditionalText::deciding_call(Index index, Site reader) const {
    const Call& call = model_.calls[index];
    if (call.function == none)
        return std::nullopt;
    const Function& function = model_.functions[call.function];
    if (const auto found = deciding(function.site, reader))
        return found;
    for (const ConditionalBranch& branch : model_.not_taken) {
        if (has_word(model_.files[branch.file].slice(branch.body), call.callee))
            return Site{branch.file, branch.directive};
    }
    return std::nullopt;
}

std::optional<Site> ConditionalText::deciding(const std::string& constant, Site reader) const {
    for (const GlobalVariable& global : model_.globals) {
        if (global.name != constant)
            continue;
        const SourceFile& file = model_.files[global.site.file];
        const auto end = file.text().find(';', global.site.range.end);
        const Site declaration{
            global.site.file,
            {file.line_start(global.site.range.begin),
             std::uint32_t(end == std::string::npos ? file.text().size() : end)}};
        if (const auto found = deciding(declaration, reader))
            return found;
    }
    return enumeration(constant, reader);
}

/// The model has no place of an enum: all that hold the name, as values follow from each other.
std::optional<Site> ConditionalText::enumeration(std::string_view constant, Site reader) const {
    const std::string name = last_name(constant);
    for (std::uint32_t file = 0; file < model_.files.size(); ++file) {
        const std::string& text = model_.files[file].text();
        for (auto at = text.find("enum"); at != std::string::npos; at = text.find("enum", at + 1)) {
            const auto end = std::min(text.find('}', at), text.size());
            if (!has_word(std::string_view(text).substr(at, end - at), name))
                continue;
            if (const auto found =
                    deciding(Site{file, {std::uint32_t(at), std::uint32_t(end)}}, reader))
                return found;
        }
    }
    return std::nullopt;
}

} // namespace slimgrad
