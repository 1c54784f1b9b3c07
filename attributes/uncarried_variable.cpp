#include "attributes/uncarried_variable.h"

#include "attributes/builtins.h"
#include "attributes/decided_test.h"
#include "attributes/expression_text.h"
#include "attributes/loop_twice.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"
#include "rewriter/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {
namespace {

bool holds(Site outer, Site inner) {
    return outer.file == inner.file && outer.range.contains(inner.range);
}

class Uncarrying {
  public:
    Uncarrying(const RuleInput& input, CheckpointedLoops& loops, Index loop, Index local)
        : model_(input.model), name_(loops.name_of(loop)), loop_(model_.loops[loop]),
          local_(model_.locals[local]), local_index_(local),
          flow_(loops.flows().of(loop_.function)), file_(model_.files[loop_.site.file]),
          place_(loops.place_of(loop)) {}

    Result<Fix> run() {
        if (std::string why = read(); !why.empty())
            return fail(std::move(why), place_);
        const bool is_late = is_read_before_it_is_set();
        const std::string lost =
            is_late ? why_value_is_lost(*statements_[write_].set_to) : std::string();
        std::string why = is_late && lost.empty() ? set_at_start() : test_at_end();
        if (!why.empty())
            return fail(is_late && !read_test() ? lost : std::move(why), place_);
        return std::move(fix_);
    }

  private:
    Site site(ByteRange range) const { return {loop_.site.file, range}; }

    // ---- What there is

    /// "" or why nothing can be done.
    std::string read() {
        const Site body = site(loop_.body);
        const Site whole = site(loop_.with_attributes);
        if (!flow_.incomplete.empty() || model_.is_macro(whole) || model_.is_broken(whole) ||
            loop_.from_macro || loop_.kind == LoopKind::do_while_loop ||
            loop_.kind == LoopKind::compile_time_for)
            return "its loop is no `for` or `while` that is read as a whole";
        if (!holds_block(body))
            return "the loop's body is no block";
        const std::string text = without_comments(model_.text(whole));
        for (const std::string_view word : {"continue", "defer"})
            if (has_word(text, word))
                return fmt::format("a `{}` stands in the loop", word);
        statements_ = statements_of(model_, body);
        if (std::string why = find_declaration(); !why.empty())
            return why;
        return find_write();
    }

    bool holds_block(Site body) const {
        return model_.text(body).starts_with('{') && model_.text(body).ends_with('}');
    }

    std::string find_declaration() {
        // Further out it would be carried from one run of the loop to the next one.
        const ByteRange block = loop_.parent == none ? *model_.functions[loop_.function].body
                                                     : model_.loops[loop_.parent].body;
        bool has_loop = false;
        for (const BlockStatement& statement : statements_of(model_, site(block))) {
            has_loop |= statement.site.range == loop_.with_attributes;
            if (statement.declared == local_.site)
                declaration_ = statement.site;
        }
        const auto is_between = [&](ByteRange range) {
            return declaration_ && range.begin >= declaration_->range.begin &&
                   range.begin < loop_.site.range.end;
        };
        const auto& inactive = model_.inactive[loop_.site.file];
        if (std::any_of(inactive.begin(), inactive.end(), is_between))
            return "a preprocessor line stands between its declaration and the loop's end";
        if (!declaration_ || !has_loop || !local_.initializer)
            return "it is not declared by a statement of its own in the block that holds the loop";
        if (!is_constant(*local_.initializer))
            return "what it begins with is no constant";
        const auto shadows = [&](const LocalVariable& other) {
            return other.name == local_.name && holds(site(loop_.site.range), other.site);
        };
        if (std::any_of(model_.locals.begin(), model_.locals.end(), shadows))
            return "its name is declared again in the loop";
        return "";
    }

    /// A number, or a vector of numbers: the same wherever it stands.
    bool is_constant(Site value) const {
        for (Site name : names_of(model_, value))
            if (!is_builtin_type(model_.text(name)))
                return false;
        return !model_.is_macro(value);
    }

    std::string find_write() {
        Index variable = none;
        for (Index i = 0; i < flow_.variables.size(); ++i)
            if (flow_.variables[i].kind == VariableKind::local &&
                flow_.variables[i].index == local_index_)
                variable = i;
        std::size_t writes = 0;
        write_ = statements_.size();
        for (const Definition& definition : flow_.definitions)
            writes +=
                definition.variable == variable && definition.kind != DefinitionKind::declaration;
        for (std::size_t i = 0; i < statements_.size(); ++i)
            if (statements_[i].set && model_.text(*statements_[i].set) == local_.name)
                write_ = i;
        if (variable == none || writes != 1 || write_ == statements_.size())
            return "it is not set by one statement of the loop's body, in each trip";
        for (const Use& use : flow_.uses)
            if (use.variable == variable)
                uses_.push_back(use.site);
        if (std::any_of(uses_.begin(), uses_.end(),
                        [&](Site use) { return !holds(site(loop_.site.range), use); }))
            return "it is used outside of the loop";
        return "";
    }

    // ---- Edits

    void edit(ByteRange range, std::string text) {
        fix_.edits.push_back({file_.path(), range, std::move(text)});
    }

    /// A statement with its line where it is alone on it, else with the blanks before it.
    ByteRange whole_line(ByteRange statement) const {
        const std::string& text = file_.text();
        const auto next = text.find_first_not_of(" \t", statement.end);
        const bool ends_line =
            next == std::string::npos || text[next] == '\n' || text[next] == '\r';
        std::uint32_t end = statement.end;
        if (begins_line(file_, statement.begin) && ends_line) {
            const auto line = next == std::string::npos ? text.size() : text.find('\n', next);
            end = std::uint32_t(line == std::string::npos ? text.size() : line + 1);
            return {file_.line_start(statement.begin), end};
        }
        std::uint32_t begin = statement.begin;
        while (!begins_line(file_, statement.begin) && begin > 0 &&
               (text[begin - 1] == ' ' || text[begin - 1] == '\t'))
            --begin;
        if (begin == statement.begin && next != std::string::npos && !ends_line)
            end = std::uint32_t(next);
        return {begin, end};
    }

    std::string declared(std::string_view value) const {
        return fmt::format("{} {} = {}", local_.type, local_.name, value);
    }

    /// A statement as the last one of the loop's body.
    void append(const std::string& text) {
        const BlockStatement& last = statements_.back();
        const std::string indent = begins_line(file_, last.site.range.begin)
                                       ? indentation(file_, last.site.range.begin)
                                       : "";
        const std::string line(file_.line_ending());
        edit({last.site.range.end, last.site.range.end},
             (indent.empty() ? " " : line + indent) + text);
    }

    // ---- Set last: its value is still there in the next trip

    bool is_read_before_it_is_set() const {
        return std::all_of(uses_.begin(), uses_.end(), [&](Site use) {
            return std::any_of(statements_.begin(), statements_.begin() + long(write_),
                               [&](const BlockStatement& s) { return holds(s.site, use); });
        });
    }

    std::string set_at_start() {
        const Site value = *statements_[write_].set_to;
        const std::string is_later = later_trip();
        if (is_later.empty())
            return "no counter of the loop tells its first trip";
        const std::string start(model_.text(*local_.initializer));
        const std::string_view now = model_.text(value);
        const bool is_plain = now.find_first_of("?,=") == std::string_view::npos;
        edit(whole_line(declaration_->range), "");
        const std::uint32_t first = statements_.front().site.range.begin;
        const std::string text =
            declared(fmt::format("{} ? {} : {};", is_later,
                                 is_plain ? std::string(now) : fmt::format("({})", now), start));
        fix_.edits.push_back(insert_line_above(file_, above_comments(file_, first), text));
        edit(whole_line(statements_[write_].site.range), "");
        fix_.description = fmt::format("take '{}' from what {} carries anyway", local_.name, name_);
        return "";
    }

    std::string why_value_is_lost(Site value) const {
        for (Site name : names_of(model_, value)) {
            const std::string_view text = model_.text(name);
            if (text == "detach")
                continue;
            const bool is_carried =
                std::any_of(flow_.variables.begin(), flow_.variables.end(), [&](const Variable& v) {
                    return v.name == text &&
                           (v.kind == VariableKind::parameter ||
                            (v.kind == VariableKind::local && v.index != none &&
                             !holds(site(loop_.site.range), model_.locals[v.index].site)));
                });
            const auto is_declared_again =
                std::count_if(flow_.variables.begin(), flow_.variables.end(),
                              [&](const Variable& v) { return v.name == text; });
            if (!is_carried || is_declared_again != 1)
                return fmt::format("the loop does not carry '{}', which it is set to", text);
            for (const Definition& definition : flow_.definitions)
                if (flow_.variables[definition.variable].name == text &&
                    !definition.site.range.empty() &&
                    holds(site(loop_.site.range), definition.site) &&
                    definition.site.range.begin >= statements_[write_].site.range.begin)
                    return fmt::format("'{}', which it is set to, is changed after that", text);
        }
        for (const Call& call : model_.calls)
            if (holds(value, call.site) && call.callee != "detach")
                return "it is set to what a call gives";
        for (const Access& access : model_.accesses)
            if (holds(value, access.site) && access.kind != AccessKind::read)
                return "what it is set to has an effect";
        return "";
    }

    /// "i > 0": whether this is not the loop's first trip.
    std::string later_trip() const {
        const bool is_own = loop_.counter_local != none && loop_.kind == LoopKind::for_loop &&
                            holds(site({loop_.site.range.begin, loop_.body.begin}),
                                  model_.locals[loop_.counter_local].site);
        const bool is_number =
            !loop_.start.empty() && std::all_of(loop_.start.begin(), loop_.start.end(), is_digit);
        const bool steps =
            !loop_.step.empty() && loop_.step != "0" &&
            std::all_of(loop_.step.begin() + (loop_.step[0] == '-'), loop_.step.end(), is_digit);
        if (!is_own || !is_number || !steps || loop_.counter_written_in_body ||
            loop_.counter_is_float)
            return "";
        return fmt::format("{} {} {}", loop_.counter, loop_.step[0] == '-' ? "!=" : ">",
                           loop_.start);
    }

    // ---- Tested first: the test can end the trip before

    std::string test_at_end() {
        const auto test = read_test();
        if (!test)
            return "it is read other than in a first test and after it is set";
        if (std::string why = why_test_is_kept(test->condition); !why.empty())
            return why;
        const std::string condition(model_.text(test->condition));
        const std::string stop = test->stops ? condition : fmt::format("!({})", condition);
        const BlockStatement& write = statements_[write_];
        edit(test->removed, "");
        edit({write.site.range.begin, write.site.range.begin}, local_.type + " ");
        append(test->statement.empty() ? fmt::format("if ({})", stop) + line_of_break()
                                       : test->statement);
        const std::string loop = edited_loop();
        const std::string indent = indentation(file_, loop_.with_attributes.begin);
        const std::string unit = indent_unit(file_, loop_.body, indent);
        const std::string begins = at_start(test->condition);
        const auto is_known =
            decided_test(begins, [&](std::string_view name) { return value_at_start(name); });
        if (is_known == test->stops)
            return "the loop never runs";
        fix_.edits.clear();
        edit(whole_line(declaration_->range), "");
        edit(loop_.with_attributes,
             is_known ? loop
                      : fmt::format("if ({}){}{}{}{}",
                                    test->stops ? fmt::format("!({})", begins) : begins,
                                    file_.line_ending(), indent, unit,
                                    reindented(loop, indent, indent + unit)));
        fix_.description = fmt::format("test '{}' at the end of {}, where it need not be carried",
                                       local_.name, name_);
        return "";
    }

    struct Test {
        Site condition;
        bool stops = true;     ///< the loop ends where it holds, and not where it does not
        ByteRange removed;     ///< where it stood
        std::string statement; ///< "" for a part of the head
    };

    std::optional<Test> read_test() const {
        std::optional<Test> test;
        const BlockStatement& first = statements_.front();
        if (first.break_condition && write_ > 0)
            test = Test{*first.break_condition, true, whole_line(first.site.range),
                        std::string(model_.text(first.site))};
        const auto is_read_in = [&](Site code) {
            return std::any_of(uses_.begin(), uses_.end(),
                               [&](Site use) { return holds(code, use); });
        };
        if (!test || !is_read_in(test->condition))
            test = read_head(is_read_in);
        if (!test)
            return std::nullopt;
        for (Site use : uses_)
            if (!holds(test->condition, use) &&
                use.range.begin < statements_[write_].site.range.end)
                return std::nullopt;
        return test;
    }

    /// One of several conditions in the loop's head.
    template <class IsRead> std::optional<Test> read_head(IsRead is_read_in) const {
        if (!loop_.condition)
            return std::nullopt;
        const std::vector<Site> parts = conjuncts_of(model_, site(*loop_.condition));
        for (std::size_t i = 0; parts.size() > 1 && i < parts.size(); ++i)
            if (is_read_in(parts[i]))
                return Test{parts[i], false,
                            i == 0 ? ByteRange{parts[0].range.begin, parts[1].range.begin}
                                   : ByteRange{parts[i - 1].range.end, parts[i].range.end},
                            ""};
        return std::nullopt;
    }

    std::string why_test_is_kept(Site condition) const {
        if (without_comments(model_.text(condition)) != model_.text(condition))
            return "a comment stands in the test";
        for (Site name : names_of(model_, condition)) {
            if (model_.text(name) == loop_.counter)
                return "the test reads the loop's counter";
            for (const LocalVariable& local : model_.locals)
                if (local.function == loop_.function && local.name == model_.text(name) &&
                    holds(site(loop_.site.range), local.site))
                    return "the test reads what is declared in the loop";
        }
        for (const Call& call : model_.calls)
            if (holds(condition, call.site) && (call.callee_kind != CalleeKind::builtin &&
                                                call.callee_kind != CalleeKind::construction))
                return "the test calls a function of the module";
            else if (holds(condition, call.site) && !is_builtin_type(call.callee) &&
                     builtin_effect(call.callee) != BuiltinEffect::pure)
                return "the test does more than to compute a value";
        for (const Access& access : model_.accesses)
            if (holds(condition, access.site) &&
                (access.kind != AccessKind::read || access.subscript))
                return "the test does more than to compute a value";
        const auto is_used_behind = [&](const Use& use) {
            const Variable& variable = flow_.variables[use.variable];
            return variable.kind == VariableKind::local && variable.index == loop_.counter_local &&
                   !holds(site(loop_.site.range), use.site);
        };
        // slangc gets the derivatives of a `while` wrong that a `break` leaves behind a change of
        // what is carried; those of a `for` are right.
        if (loop_.kind != LoopKind::for_loop)
            return "the loop is no `for`";
        if (loop_.counter_local == none || loop_.step.empty() ||
            std::any_of(flow_.uses.begin(), flow_.uses.end(), is_used_behind))
            return "the loop has no counter that it alone uses";
        return "";
    }

    std::string line_of_break() const {
        const bool is_alone = begins_line(file_, statements_.back().site.range.begin);
        const std::string indent = indentation(file_, statements_.back().site.range.begin);
        const std::string outer = indentation(file_, loop_.keyword);
        return is_alone ? fmt::format("{}{}{}break;", file_.line_ending(), indent,
                                      indent_unit(file_, loop_.body, outer))
                        : " break;";
    }

    /// The condition with what the variable begins with.
    std::string at_start(Site condition) const {
        const std::string value(model_.text(*local_.initializer));
        std::string text(model_.text(condition));
        auto names = names_of(model_, condition);
        std::sort(names.begin(), names.end(),
                  [](const Site& a, const Site& b) { return a.range.begin > b.range.begin; });
        for (Site name : names)
            if (model_.text(name) == local_.name)
                text.replace(name.range.begin - condition.range.begin,
                             name.range.end - name.range.begin,
                             value.starts_with('-') ? fmt::format("({})", value) : value);
        return text;
    }

    /// The number that a variable has when the loop begins, where it is declared with it.
    std::optional<std::string> value_at_start(std::string_view name) const {
        std::optional<std::string> value;
        for (const LocalVariable& local : model_.locals)
            if (local.function == loop_.function && local.name == name) {
                if (value || !local.initializer || !is_constant(*local.initializer) ||
                    local.loop != loop_.parent)
                    return std::nullopt;
                value = model_.text(*local.initializer);
            }
        for (const Definition& definition : flow_.definitions)
            if (flow_.variables[definition.variable].name == name &&
                (flow_.variables[definition.variable].kind != VariableKind::local ||
                 (definition.kind != DefinitionKind::declaration &&
                  !holds(site(loop_.site.range), definition.site))))
                return std::nullopt;
        return value;
    }

    /// The loop's text with what was edited in it so far.
    std::string edited_loop() const {
        const auto changed = apply_edits({{file_.path(), file_.text()}}, fix_.edits);
        if (!changed || changed->empty())
            return std::string(model_.text(site(loop_.with_attributes)));
        const std::string& text = changed->begin()->second;
        const std::size_t behind = file_.text().size() - loop_.with_attributes.end;
        return text.substr(loop_.with_attributes.begin,
                           text.size() - behind - loop_.with_attributes.begin);
    }

    const ModuleModel& model_;
    const std::string name_;
    const Loop& loop_;
    const LocalVariable& local_;
    const Index local_index_;
    const FunctionFlow& flow_;
    const SourceFile& file_;
    const Place place_;
    std::vector<BlockStatement> statements_;
    std::optional<Site> declaration_;
    std::size_t write_ = 0; ///< the statement that sets it
    std::vector<Site> uses_;
    Fix fix_;
};

} // namespace

Result<Fix> without_carried(const RuleInput& input, CheckpointedLoops& loops, Index loop,
                            Index local) {
    return Uncarrying(input, loops, loop, local).run();
}

} // namespace slimgrad
