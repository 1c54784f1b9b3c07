#include "attributes/zero_based_loop.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/function_flows.h"
#include "attributes/function_names.h"
#include "attributes/loop_counter.h"
#include "attributes/loop_form.h"
#include "attributes/loop_twice.h"
#include "attributes/outlined_function.h"
#include "attributes/text_layout.h"
#include "attributes/trip_count.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace slimgrad {

namespace {

/// Far from where the product of step and trip may not fit: loops of so many trips are never
/// stored.
constexpr std::int64_t largest_step = 1024;

/// What nvcc says of a variable that slangc uses and never declares.
bool is_known_error(std::string_view error) {
    return error.find("\"_S") != error.npos && error.find("undefined") != error.npos;
}

class ZeroBasedLoop {
  public:
    ZeroBasedLoop(const RuleInput& input, FunctionFlows& flows, Index loop)
        : input_(input), model_(input.model), loop_(input.model.loops[loop]),
          file_(model_.files[loop_.site.file]), flow_(flows.of(loop_.function)) {}

    std::string why_not() {
        if (std::string why = why_head_is_kept(input_, loop_); !why.empty())
            return why;
        if (!read_head())
            return "it is no `for` that declares one counter and steps it";
        const auto type = counter_type(model_, loop_);
        if (!type)
            return fmt::format("the type of '{}' is not known", loop_.counter);
        type_ = model_.locals[loop_.counter_local].type;
        if (type_ == "var" || type_ == "let")
            type_ = type->is_unsigned() ? "uint" : "int";
        if (type->is_narrow())
            return fmt::format("'{}' has less than 32 bits", loop_.counter);
        if (step_ == 0 || std::abs(step_) > largest_step)
            return "it steps by more than a small number";
        if (loop_.counter_written_in_body)
            return fmt::format("the body changes '{}'", loop_.counter);
        if (is_declared_again())
            return fmt::format("'{}' is declared again in it", loop_.counter);
        if (!is_unchanged_start() && !block_around(model_, site_of(loop_.with_attributes)))
            return "it is no statement of a block, where its start could be kept";
        for (const Site& name : names_of(model_, site_of(*loop_.condition)))
            if (const MacroDefinition* macro = model_.find_macro(model_.text(name));
                macro && !names_in(macro->body).empty())
                return fmt::format("its condition uses the macro '{}'", macro->name);
        return "";
    }

    /// `number`: of the loops of the function that are rewritten before.
    Fix fix(const std::string& name, std::size_t number) const {
        const std::string suffix = number == 0 ? "" : std::to_string(number + 1);
        const std::string trip = free_name(model_, "trip" + suffix);
        Fix fix;
        fix.description = fmt::format("count {} from 0", name);
        std::string start = compact(loop_.start);
        if (!is_unchanged_start()) {
            start = free_name(model_, "first" + suffix);
            const std::uint32_t at = loop_.with_attributes.begin;
            fix.edits.push_back(
                insert_line_above(file_, begins_line(file_, at) ? above_comments(file_, at) : at,
                                  fmt::format("{} {} = {};", type_, start, loop_.start)));
        }
        const std::string factor =
            std::abs(step_) == 1 ? "" : fmt::format(" * {}", std::abs(step_));
        const std::string value =
            fmt::format("{} {} {}{}", start, step_ < 0 ? "-" : "+", trip, factor);
        fix.edits.push_back({file_.path(), declaration_, fmt::format("{} {} = 0", type_, trip)});
        for (const Site& use : names_of(model_, site_of(*loop_.condition)))
            if (model_.text(use) == loop_.counter)
                fix.edits.push_back(
                    {file_.path(), use.range, is_operand(use.range) ? value : "(" + value + ")"});
        fix.edits.push_back({file_.path(), *loop_.update, trip + "++"});
        declare(fix, fmt::format("{} {} = {};", type_, loop_.counter, value));
        return fix;
    }

  private:
    Site site_of(ByteRange range) const { return {loop_.site.file, range}; }

    bool read_head() {
        if (loop_.kind != LoopKind::for_loop || loop_.counter_local == none ||
            loop_.start_range.empty() || !loop_.condition || !loop_.update ||
            model_.text(site_of(loop_.body)) == ";")
            return false;
        const std::string_view step = loop_.step;
        const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), step_);
        if (error != std::errc() || end != step.data() + step.size())
            return false;
        const LocalVariable& local = model_.locals[loop_.counter_local];
        const ByteRange head{loop_.keyword, loop_.body.begin};
        const std::string_view text = file_.slice(head);
        const auto open = text.find('('), close = text.rfind(')');
        if (!head.contains(local.site.range) || !head.contains(loop_.start_range) ||
            open == text.npos || close == text.npos)
            return false;
        close_ = head.begin + std::uint32_t(close) + 1;
        const auto between = [&](std::uint32_t from, std::uint32_t to) {
            return from <= to ? trimmed(file_.slice({from, to})) : "?";
        };
        // Nothing else is declared, nothing else is stepped, and no comment is lost.
        declaration_ = {head.begin + std::uint32_t(open) + 1, loop_.start_range.end};
        while (is_space(file_.text()[declaration_.begin]))
            ++declaration_.begin;
        return between(declaration_.begin, local.site.range.begin) == local.type &&
               between(local.site.range.end, loop_.start_range.begin) == "=" &&
               between(loop_.start_range.end, loop_.condition->begin) == ";" &&
               between(loop_.condition->end, loop_.update->begin) == ";" &&
               between(loop_.update->end, close_) == ")" && is_only_step() &&
               without_comments(file_.slice(declaration_)) == file_.slice(declaration_);
    }

    /// Whether the update is `i++`, `i += 2` and nothing more.
    bool is_only_step() const {
        const std::string update = compact(file_.slice(*loop_.update));
        const std::string_view sign = step_ < 0 ? "-" : "+";
        const std::string& i = loop_.counter;
        return update == fmt::format("{0}{1}{1}", i, sign) ||
               update == fmt::format("{1}{1}{0}", i, sign) ||
               update == fmt::format("{}{}={}", i, sign, std::abs(step_));
    }

    bool is_declared_again() const {
        return std::any_of(model_.locals.begin(), model_.locals.end(), [&](const auto& local) {
            return local.name == loop_.counter && local.site.file == loop_.site.file &&
                   loop_.body.contains(local.site.range);
        });
    }

    /// Whether the start is a variable of the counter's type, or less it, that the loop leaves as
    /// it is: then it can be written wherever the counter stands.
    bool is_unchanged_start() const {
        std::string name = compact(loop_.start);
        if (name.starts_with('-'))
            name.erase(0, 1);
        if (!is_identifier(name) || model_.find_macro(name) || !flow_.incomplete.empty() ||
            model_.functions[loop_.function].hidden_names.contains(name))
            return false;
        std::uint32_t index = 0;
        const Parameter* parameter = find_parameter(model_, loop_.function, name, index);
        const LocalVariable* local = find_local(model_, loop_.function, name);
        if ((parameter ? parameter->type
             : local   ? local->type
                       : "") != type_ ||
            (parameter && is_local_name(model_, loop_.function, name)))
            return false;
        return std::none_of(flow_.definitions.begin(), flow_.definitions.end(),
                            [&](const Definition& definition) {
                                return flow_.variables[definition.variable].name == name &&
                                       loop_.site.range.contains(definition.site.range) &&
                                       !definition.site.range.empty();
                            });
    }

    /// Whether a sum in its place needs no parentheses: a side of a comparison is all it is.
    bool is_operand(ByteRange use) const {
        const ByteRange condition = *loop_.condition;
        const std::string_view before = trimmed(file_.slice({condition.begin, use.begin}));
        const std::string_view after = trimmed(file_.slice({use.end, condition.end}));
        constexpr std::string_view ends = "<>=!&|()";
        return (before.empty() || ends.find(before.back()) != ends.npos) &&
               (after.empty() || ends.find(after.front()) != ends.npos);
    }

    /// Declares the counter where the body begins, in a block if that is none.
    void declare(Fix& fix, const std::string& declaration) const {
        const std::string line(file_.line_ending());
        const std::string indent = indentation(file_, loop_.with_attributes.begin);
        const std::string inner = indent + indent_unit(file_, loop_.with_attributes, indent);
        const ByteRange body = loop_.body;
        const auto insert = [&](std::uint32_t at, const std::string& text) {
            fix.edits.push_back({file_.path(), {at, at}, text});
        };
        if (file_.text()[body.begin] == '{') {
            if (const auto end = end_of_line(body.begin + 1))
                insert(*end, line + inner + declaration);
            else
                insert(body.begin + 1, " " + declaration);
        } else if (begins_line(file_, body.begin)) {
            const std::uint32_t first = above_comments(file_, file_.line_start(body.begin));
            const bool on_line = opens_on_line(model_, model_.functions[loop_.function]);
            if (on_line)
                insert(close_, " {");
            insert(first, (on_line ? "" : indent + "{" + line) + inner + declaration + line);
            insert(end_of_line(body.end).value_or(body.end), line + indent + "}");
        } else {
            insert(body.begin, "{ " + declaration + " ");
            insert(body.end, " }");
        }
    }

    /// The end of the line, if nothing but a comment stands before it.
    std::optional<std::uint32_t> end_of_line(std::uint32_t offset) const {
        std::string_view rest = std::string_view(file_.text()).substr(offset);
        rest = rest.substr(0, rest.find_first_of("\r\n"));
        const std::string_view code = trimmed(rest);
        if (!code.empty() && (!code.starts_with("//") || code.ends_with('\\')))
            return std::nullopt;
        return offset + std::uint32_t(rest.size());
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    const Loop& loop_;
    const SourceFile& file_;
    const FunctionFlow& flow_;
    std::int64_t step_ = 0;
    std::string type_;
    ByteRange declaration_;   ///< of the counter, in the head
    std::uint32_t close_ = 0; ///< behind the head's `)`
};

/// A loop that is the whole body of another one ends where that does: braces of both are inserted
/// there, the inner one's first.
void order_insertions(const ModuleModel& model, std::map<Index, Finding>& findings) {
    for (auto outer = findings.rbegin(); outer != findings.rend(); ++outer)
        for (const auto& [index, inner] : findings) {
            const Loop& loop = model.loops[index];
            const Loop& around = model.loops[outer->first];
            if (loop.site.file != around.site.file || loop.with_attributes != around.body ||
                inner.fixes.empty() || outer->second.fixes.empty())
                continue;
            std::vector<SourceEdit>& edits = outer->second.fixes[0].edits;
            const std::vector<SourceEdit>& first = inner.fixes[0].edits;
            edits.insert(edits.begin(), first.begin(), first.end());
        }
}

} // namespace

bool starts_at_run_time(const ModuleModel& model, const Loop& loop) {
    if (loop.function == none || loop.counter.empty() ||
        !model.functions[loop.function].is_differentiable())
        return false;
    const std::string& value = loop.start.empty() ? loop.counter : loop.start;
    return !constant_value(model, loop.function, value) &&
           !is_constant_expression(model, loop.function, value);
}

std::vector<Finding> zero_based_loop(const RuleInput& input) {
    const ModuleModel& model = input.model;
    if (!is_known_error(input.emitted_code_error))
        return {};
    FunctionFlows flows(model);
    TripCounts trips(model, input.promises);
    std::map<Index, std::size_t> rewritten; ///< loops per function
    std::map<Index, Finding> found;
    for (Index index = 0; index < model.loops.size(); ++index) {
        const Loop& loop = model.loops[index];
        if (!starts_at_run_time(model, loop) || loop.kind != LoopKind::for_loop ||
            is_unrolled(loop) || trips.of(index).exact)
            continue;
        Finding finding;
        finding.rule = "zero-based-loop";
        finding.place = model.place(loop.site.file, loop.keyword);
        finding.message =
            fmt::format("'{}' starts this loop at a value that is known only when it runs ('{}'): "
                        "Slang accepts that, but the code it emits does not compile: {}",
                        model.functions[loop.function].name,
                        loop.start.empty() ? loop.counter : loop.start, input.emitted_code_error);
        ZeroBasedLoop rewriting(input, flows, index);
        if (std::string why = rewriting.why_not(); why.empty()) {
            finding.severity = Severity::error;
            finding.fixes.push_back(
                rewriting.fix(loop_name(model, index), rewritten[loop.function]++));
        } else {
            finding.why_not.push_back(std::move(why));
        }
        found.emplace(index, std::move(finding));
    }
    order_insertions(model, found);
    std::vector<Finding> findings;
    for (auto& [index, finding] : found)
        findings.push_back(std::move(finding));
    return findings;
}

} // namespace slimgrad
