#include "attributes/exit_flag.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/expression_text.h"
#include "attributes/loop_form.h"
#include "attributes/loop_twice.h"
#include "attributes/outlined_function.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {

namespace {

/// What several `return`s do that give the same value.
struct Exit {
    std::string value; ///< "return acc * x;"
    std::string flag;  ///< "" where what stands behind the loop does the same
    std::vector<ReturnStatement> returns;
};

/// A loop that stands in no other one, and all `return`s in it.
class ReturningLoop {
  public:
    ReturningLoop(const RuleInput& input, Index loop)
        : input_(input), model_(input.model), loop_(input.model.loops[loop]),
          file_(model_.files[loop_.site.file]), site_{loop_.site.file, loop_.with_attributes} {
        for (const ReturnStatement& found : returns_in(model_, site_)) {
            const std::string text(model_.text(found.site));
            const auto known = std::find_if(exits_.begin(), exits_.end(),
                                            [&](const Exit& exit) { return exit.value == text; });
            if (known == exits_.end())
                exits_.push_back({text, "", {found}});
            else
                known->returns.push_back(found);
        }
    }

    bool returns() const { return !exits_.empty(); }

    std::string why_not() const {
        for (const Loop* loop : loops()) {
            if (!block_around(model_, {site_.file, loop->with_attributes}))
                return "a loop is no statement of a block";
            if (std::string why = why_head_is_kept(input_, *loop); !why.empty())
                return why;
        }
        if (cuts_directives(model_.text(site_)))
            return "an #if around a part of the loop ends in it";
        if (has_defer(model_, site_))
            return "it holds a `defer`";
        for (const Exit& exit : exits_)
            for (const ReturnStatement& statement : exit.returns)
                if (std::string why = why_kept(statement); !why.empty())
                    return why;
        return "";
    }

    Fix fix(const std::string& name) {
        name_flags();
        Fix fix;
        const std::uint32_t start = site_.range.begin;
        const std::uint32_t above =
            begins_line(file_, start) ? above_comments(file_, start) : start;
        bool has_flag = false;
        for (const Exit& exit : exits_) {
            has_flag |= !exit.flag.empty();
            if (!exit.flag.empty())
                fix.edits.push_back(
                    insert_line_above(file_, above, fmt::format("bool {} = false;", exit.flag)));
            for (const ReturnStatement& statement : exit.returns)
                fix.edits.push_back(leave(statement, exit));
        }
        for (const Loop* loop : loops())
            if (const std::string text = behind(*loop); !text.empty())
                fix.edits.push_back({file_.path(), end_of(*loop), text});
        fix.description =
            has_flag ? fmt::format("leave {} by a flag and `break`, and return behind it", name)
                     : fmt::format("leave {} by `break`", name);
        return fix;
    }

  private:
    /// Those that a `return` leaves, the outermost one first.
    std::vector<const Loop*> loops() const {
        std::vector<const Loop*> found;
        for (const Loop& loop : model_.loops)
            if (loop.site.file == site_.file && site_.range.contains(loop.site.range) &&
                std::any_of(exits_.begin(), exits_.end(),
                            [&](const Exit& exit) { return !returns_of(exit, loop).empty(); }))
                found.push_back(&loop);
        return found;
    }

    static std::vector<ReturnStatement> returns_of(const Exit& exit, const Loop& loop) {
        std::vector<ReturnStatement> found = exit.returns;
        std::erase_if(found, [&](const ReturnStatement& statement) {
            return !loop.site.range.contains(statement.site.range);
        });
        return found;
    }

    std::string why_kept(const ReturnStatement& statement) const {
        const std::string_view text = model_.text(statement.site);
        if (model_.is_macro(statement.site) || !text.starts_with("return") || !text.ends_with(';'))
            return "a `return` comes from a macro, which is not edited";
        if (statement.in_switch)
            return "a `return` stands in a `switch`, which is what a `break` would leave";
        if (text.find('#') != text.npos || text.find("=>") != text.npos)
            return "what it returns is not known well enough to be written elsewhere";
        const auto names =
            statement.value ? names_of(model_, *statement.value) : std::vector<Site>();
        for (const Site& site : names) {
            const std::string name(model_.text(site));
            const auto is_own = [&](const LocalVariable& local) {
                return local.name == name && local.site.file == site_.file &&
                       site_.range.contains(local.site.range);
            };
            const MacroDefinition* macro = model_.find_macro(name);
            if (std::any_of(model_.locals.begin(), model_.locals.end(), is_own))
                return fmt::format("it returns '{}', which the loop declares", name);
            if (model_.functions[loop_.function].hidden_names.contains(name) ||
                (macro && !names_in(macro->body).empty()))
                return fmt::format("a macro may say what '{}' is in the loop", name);
        }
        return declares_type(model_, site_) ? "it declares a type" : "";
    }

    /// The `return` of the same value stands behind the loop, or the function's end.
    bool is_repeated_behind(const Exit& exit) const {
        const bool in_inner =
            std::any_of(exit.returns.begin(), exit.returns.end(), [&](const auto& statement) {
                return std::any_of(model_.loops.begin(), model_.loops.end(), [&](const Loop& loop) {
                    return &loop != &loop_ && loop.site.file == site_.file &&
                           site_.range.contains(loop.site.range) &&
                           loop.site.range.contains(statement.site.range);
                });
            });
        const Site block = *block_around(model_, site_);
        std::string_view rest = file_.slice({site_.range.end, block.range.end});
        for (const BlockStatement& statement : statements_of(model_, block))
            if (statement.site.range.begin >= site_.range.end)
                return !in_inner && model_.text(statement.site) == exit.value &&
                       is_blank(file_.slice({site_.range.end, statement.site.range.begin}));
        return !in_inner && exit.value == "return;" && is_blank(rest.substr(0, rest.size() - 1)) &&
               block.range == model_.functions[loop_.function].body;
    }

    static bool is_blank(std::string_view text) { return trimmed(without_comments(text)).empty(); }

    void name_flags() {
        std::size_t named = 0;
        for (Exit& exit : exits_)
            if (!is_repeated_behind(exit))
                exit.flag =
                    free_name(model_, ++named == 1 ? "isDone" : fmt::format("isDone{}", named));
    }

    /// In place of the `return`.
    SourceEdit leave(const ReturnStatement& statement, const Exit& exit) const {
        const std::uint32_t start = statement.site.range.begin;
        std::string text = "break;";
        if (!exit.flag.empty() && !block_around(model_, statement.site))
            text = fmt::format("{{ {} = true; break; }}", exit.flag);
        else if (!exit.flag.empty())
            text = fmt::format("{} = true;{}break;", exit.flag,
                               begins_line(file_, start)
                                   ? std::string(file_.line_ending()) + indentation(file_, start)
                                   : " ");
        return {file_.path(), statement.site.range, text};
    }

    /// What the loop's end is followed by: `break`s in loops, `return`s behind the outermost.
    std::string behind(const Loop& loop) const {
        const std::string line(file_.line_ending());
        const std::string indent = indentation(file_, loop.with_attributes.begin);
        const std::string inner = line + indent + indent_unit(file_, loop.with_attributes, indent);
        std::string flags, text;
        for (const Exit& exit : exits_) {
            if (exit.flag.empty() || returns_of(exit, loop).empty())
                continue;
            flags += (flags.empty() ? "" : " || ") + exit.flag;
            text += fmt::format("{}{}if ({}){}{}", line, indent, exit.flag, inner, exit.value);
        }
        if (&loop == &loop_ || flags.empty())
            return text;
        return fmt::format("{}{}if ({}){}break;", line, indent, flags, inner);
    }

    /// Behind a comment on the line that the loop ends on.
    ByteRange end_of(const Loop& loop) const {
        const std::uint32_t end = loop.with_attributes.end;
        std::string_view rest = file_.slice({end, std::uint32_t(file_.text().size())});
        rest = rest.substr(0, rest.find_first_of("\r\n"));
        const std::string_view code = trimmed(rest);
        const auto at = code.empty() || (code.starts_with("//") && !code.ends_with('\\'))
                            ? end + std::uint32_t(rest.size())
                            : end;
        return {at, at};
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    const Loop& loop_;
    const SourceFile& file_;
    Site site_;
    std::vector<Exit> exits_;
};

} // namespace

std::vector<Finding> exit_flag(const RuleInput& input) {
    const ModuleModel& model = input.model;
    CheckpointedLoops loops(input);
    std::set<Index> outermost;
    for (Index index : loops.loops()) {
        if (loops.carried_bytes(model.loops[index].function) == 0)
            continue;
        while (model.loops[index].parent != none)
            index = model.loops[index].parent;
        outermost.insert(index);
    }
    std::vector<Finding> findings;
    for (Index index : outermost) {
        ReturningLoop loop(input, index);
        if (!loop.returns())
            continue;
        const Index function = model.loops[index].function;
        Finding finding;
        finding.rule = "exit-flag";
        finding.place = loops.place_of(index);
        finding.bytes = loops.carried_bytes(function);
        finding.message =
            fmt::format("'{}' stores {} B for the trips of its loops, of which this one is left by "
                        "a `return`; left by a `break` it may store less",
                        model.functions[function].name, finding.bytes);
        if (std::string why = loop.why_not(); why.empty()) {
            finding.severity = Severity::cost;
            finding.fixes.push_back(loop.fix(loops.name_of(index)));
        } else {
            finding.why_not.push_back(std::move(why));
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
