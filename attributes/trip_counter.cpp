#include "attributes/trip_counter.h"

#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/loop_counter.h"
#include "attributes/loop_form.h"
#include "attributes/loop_twice.h"
#include "attributes/outlined_function.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// Far from where the product of step and trip may not fit: loops of so many trips are never
/// stored.
constexpr std::int64_t largest_step = 1024;

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

} // namespace

std::optional<ByteRange> last_step(const ModuleModel& model, const Loop& loop) {
    const SourceFile& file = model.files[loop.site.file];
    const auto statements = statements_of(model, {loop.site.file, loop.body});
    if (!loop.update || statements.empty() || !statements.back().site.range.contains(*loop.update))
        return std::nullopt;
    const ByteRange step = statements.back().site.range;
    const std::string_view text = file.slice(step);
    if (!text.ends_with(';') || file.slice(loop.body).find('#') != std::string_view::npos ||
        compact(text.substr(0, text.size() - 1)) != compact(file.slice(*loop.update)))
        return std::nullopt;
    return step;
}

ByteRange whole_line(const SourceFile& file, ByteRange statement) {
    const std::string_view text = file.text();
    const auto end = text.find('\n', statement.end);
    if (!begins_line(file, statement.begin) || end == text.npos ||
        !trimmed(text.substr(statement.end, end - statement.end)).empty())
        return statement;
    return {file.line_start(statement.begin), std::uint32_t(end) + 1};
}

TripCounter::TripCounter(const RuleInput& input, FunctionFlows& flows, Index loop,
                         std::int64_t most_trips)
    : input_(input), model_(input.model), loop_(input.model.loops[loop]),
      file_(model_.files[loop_.site.file]), flow_(flows.of(loop_.function)),
      most_trips_(most_trips) {}

std::string TripCounter::why_not() {
    if (std::string why = why_head_is_kept(input_, loop_); !why.empty())
        return why;
    if (is_while() ? !read_while() : !read_head())
        return is_while() ? "its counter is not declared before it for it alone and stepped by its "
                            "last statement"
                          : "it is no `for` that declares one counter and steps it";
    const auto type = counter_type(model_, loop_);
    if (!type)
        return fmt::format("the type of '{}' is not known", loop_.counter);
    type_ = model_.locals[loop_.counter_local].type;
    if (type_ == "var" || type_ == "let")
        type_ = type->is_unsigned() ? "uint" : "int";
    if (type->is_narrow())
        return fmt::format("'{}' has less than 32 bits", loop_.counter);
    if (std::string why = why_step_is_kept(); !why.empty())
        return why;
    if (loop_.counter_written_in_body)
        return fmt::format("the body changes '{}'", loop_.counter);
    if (is_declared_again())
        return fmt::format("'{}' is declared again in it", loop_.counter);
    if (!is_simple_start() && !is_while() && !block_around(model_, site_of(loop_.with_attributes)))
        return "it is no statement of a block, where its start could be kept";
    for (const Site& name : names_of(model_, site_of(*loop_.condition)))
        if (const MacroDefinition* macro = model_.find_macro(model_.text(name));
            macro && !names_in(macro->body).empty())
            return fmt::format("its condition uses the macro '{}'", macro->name);
    return "";
}

void TripCounter::count_trips(Fix& fix, std::size_t number, std::int64_t trips) const {
    const std::string suffix = number == 0 ? "" : std::to_string(number + 1);
    const std::string trip = free_name(model_, "trip" + suffix);
    std::string start = compact(loop_.start);
    if (!is_simple_start() || is_while())
        start = free_name(model_, "first" + suffix);
    if (!is_simple_start() && !is_while()) {
        const std::uint32_t at = loop_.with_attributes.begin;
        fix.edits.push_back(
            insert_line_above(file_, begins_line(file_, at) ? above_comments(file_, at) : at,
                              fmt::format("{} {} = {};", type_, start, loop_.start)));
    }
    const std::string value = this->value(start, trip);
    const bool is_sum = operator_ == "+" || operator_ == "-";
    if (is_while())
        edit_while(fix, trip, start);
    else
        edit_for(fix, trip);
    if (trips > 0)
        fix.edits.push_back({file_.path(), *loop_.condition, fmt::format("{} < {}", trip, trips)});
    else
        for (const Site& use : names_of(model_, site_of(*loop_.condition)))
            if (model_.text(use) == loop_.counter)
                fix.edits.push_back({file_.path(), use.range,
                                     is_sum && is_operand(use.range) ? value : "(" + value + ")"});
    declare(fix, fmt::format("{} {} = {};", type_, loop_.counter, value));
}

void TripCounter::edit_for(Fix& fix, const std::string& trip) const {
    fix.edits.push_back({file_.path(), declaration_, fmt::format("{} {} = 0", type_, trip)});
    fix.edits.push_back({file_.path(), *loop_.update, trip + "++"});
}

/// The counter's declaration becomes that of its start.
void TripCounter::edit_while(Fix& fix, const std::string& trip, const std::string& first) const {
    const ByteRange keyword{loop_.keyword, loop_.condition->begin};
    const ByteRange close{loop_.condition->end, close_};
    const LocalVariable& local = model_.locals[loop_.counter_local];
    fix.edits.push_back({file_.path(), local.site.range, first});
    fix.edits.push_back({file_.path(), keyword, fmt::format("for ({} {} = 0; ", type_, trip)});
    fix.edits.push_back({file_.path(), close, fmt::format("; {}++)", trip)});
    fix.edits.push_back({file_.path(), whole_line(file_, step_statement_), ""});
}

std::string TripCounter::value(const std::string& start, const std::string& trip) const {
    const std::string steps = step_ == "1" ? trip : fmt::format("{} * {}", trip, step_);
    if (operator_ == "+" && start == "0")
        return steps;
    const bool is_sum = operator_ == "+" || operator_ == "-";
    return fmt::format("{} {} {}", start, operator_,
                       is_sum || step_ == "1" ? steps : "(" + steps + ")");
}

bool TripCounter::read_head() {
    if (loop_.kind != LoopKind::for_loop || loop_.counter_local == none ||
        loop_.start_range.empty() || !loop_.condition || !loop_.update ||
        model_.text(site_of(loop_.body)) == ";")
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
           without_comments(file_.slice(*loop_.condition)) == file_.slice(*loop_.condition) &&
           without_comments(file_.slice(declaration_)) == file_.slice(declaration_);
}

/// `int i = start; .. while (i < n) { ..; i++; }`
bool TripCounter::read_while() {
    if (loop_.counter_local == none || !loop_.condition || !loop_.update ||
        file_.text()[loop_.body.begin] != '{' || model_.is_macro(site_of(loop_.site.range)))
        return false;
    const LocalVariable& local = model_.locals[loop_.counter_local];
    const auto statement = last_step(model_, loop_);
    const std::string_view head = file_.slice({loop_.keyword, loop_.body.begin});
    if (!statement || local.loop != loop_.parent || local.is_const || !local.initializer ||
        compact(model_.text(*local.initializer)) != compact(loop_.start) ||
        local.site.range.begin >= loop_.keyword || !is_only_step() ||
        without_comments(head) != head)
        return false;
    step_statement_ = *statement;
    const ByteRange condition = *loop_.condition;
    close_ =
        condition.end + std::uint32_t(file_.slice({condition.end, loop_.body.begin}).find(')')) + 1;
    if (compact(file_.slice({loop_.keyword, condition.begin})) != "while(" ||
        trimmed(file_.slice({condition.end, close_})) != ")" ||
        !trimmed(file_.slice({close_, loop_.body.begin})).empty())
        return false;
    // Nobody else sees it.
    const Function& function = model_.functions[loop_.function];
    const auto names = names_of(model_, {loop_.site.file, *function.body});
    return std::none_of(names.begin(), names.end(), [&](const Site& name) {
        return model_.text(name) == loop_.counter && name != local.site &&
               !loop_.site.range.contains(name.range);
    });
}

/// Whether the update is `i++`, `i += 2`, `i <<= 1` and nothing more.
bool TripCounter::is_only_step() const {
    const std::string update = compact(file_.slice(*loop_.update));
    const std::string& i = loop_.counter;
    if (!loop_.scaling.empty())
        return update == i + loop_.scaling + "=" + compact(loop_.factor);
    for (const char* sign : {"+", "-"})
        if (update == i + sign + sign || update == std::string(sign) + sign + i ||
            (update.starts_with(i + sign + "=") &&
             (number(loop_.step) || is_identifier(update.substr(i.size() + 2)))))
            return true;
    return false;
}

std::string TripCounter::why_step_is_kept() {
    if (!loop_.scaling.empty())
        return shift();
    if (const auto step = number(loop_.step)) {
        if (*step == 0 || std::abs(*step) > largest_step)
            return "it steps by more than a small number";
        operator_ = *step < 0 ? "-" : "+";
        step_ = std::to_string(std::abs(*step));
        return "";
    }
    const std::string update = compact(file_.slice(*loop_.update));
    operator_ = update.substr(loop_.counter.size(), 1);
    step_ = update.substr(loop_.counter.size() + 2);
    if (!is_unchanged(step_))
        return fmt::format("its step '{}' may change, or has another type", step_);
    // Else the sum could be one that fits of a product that does not.
    return number(compact(loop_.start)).value_or(-1) < 0 ? "it starts and steps by variables" : "";
}

/// Of products with powers of two: no shift is by more bits than a trip that the bound allows.
std::string TripCounter::shift() {
    constexpr std::int64_t bits = 32;
    std::int64_t amount = number(compact(loop_.factor)).value_or(0);
    const bool is_product = loop_.scaling == "*" || loop_.scaling == "/";
    if (is_product) {
        std::int64_t power = 0;
        while (power < bits && (std::int64_t{1} << power) < amount)
            ++power;
        amount = (std::int64_t{1} << power) == amount ? power : 0;
    }
    if (amount <= 0)
        return fmt::format("its steps by '{}' are no shifts by a number", loop_.factor);
    if (loop_.scaling == "/" && !type_.starts_with("uint") &&
        number(compact(loop_.start)).value_or(-1) < 0)
        return "it may be negative, and is divided";
    if (most_trips_ <= 0 || most_trips_ > (bits - 1) / amount)
        return "its bound allows more trips than it has bits to be shifted by";
    operator_ = loop_.scaling == "*" || loop_.scaling == "<<" ? "<<" : ">>";
    step_ = std::to_string(amount);
    return "";
}

bool TripCounter::is_declared_again() const {
    return std::any_of(model_.locals.begin(), model_.locals.end(), [&](const auto& local) {
        return local.name == loop_.counter && local.site.file == loop_.site.file &&
               loop_.body.contains(local.site.range);
    });
}

/// Whether it is a variable of the counter's type that the loop leaves as it is: it can be read in
/// each trip.
bool TripCounter::is_unchanged(std::string name) const {
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

/// Whether the start can be written wherever the counter stands.
bool TripCounter::is_simple_start() const {
    const std::string start = compact(loop_.start);
    if (type_ == "int" && !start.empty() && std::all_of(start.begin(), start.end(), is_digit))
        return true;
    const bool is_sum = operator_ == "+" || operator_ == "-";
    return is_unchanged(is_sum && start.starts_with('-') ? start.substr(1) : start);
}

/// Whether a sum in its place needs no parentheses: a side of a comparison is all it is.
bool TripCounter::is_operand(ByteRange use) const {
    const ByteRange condition = *loop_.condition;
    const std::string_view before = trimmed(file_.slice({condition.begin, use.begin}));
    const std::string_view after = trimmed(file_.slice({use.end, condition.end}));
    constexpr std::string_view ends = "<>=!&|()";
    return (before.empty() || ends.find(before.back()) != ends.npos) &&
           (after.empty() || ends.find(after.front()) != ends.npos);
}

/// Declares the counter where the body begins, in a block if that is none.
void TripCounter::declare(Fix& fix, const std::string& declaration) const {
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
            insert(body.begin + 1,
                   " " + declaration + (is_space(file_.text()[body.begin + 1]) ? "" : " "));
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
std::optional<std::uint32_t> TripCounter::end_of_line(std::uint32_t offset) const {
    std::string_view rest = std::string_view(file_.text()).substr(offset);
    rest = rest.substr(0, rest.find_first_of("\r\n"));
    const std::string_view code = trimmed(rest);
    if (!code.empty() && (!code.starts_with("//") || code.ends_with('\\')))
        return std::nullopt;
    return offset + std::uint32_t(rest.size());
}

} // namespace slimgrad
