#include "attributes/loop_blocks.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/loop_counter.h"
#include "attributes/loop_form.h"
#include "attributes/loop_twice.h"
#include "attributes/outlined_function.h"
#include "attributes/proved_bound.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace slimgrad {

namespace {

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

} // namespace

Result<LoopBlocks> LoopBlocks::read(const RuleInput& input, CheckpointedLoops& loops, Index index) {
    LoopBlocks blocks(input.model, input.model.loops[index]);
    if (std::string why = blocks.why_not_cut(input, loops, index); !why.empty())
        return fail(std::move(why), loops.place_of(index));
    blocks.line_ = std::string(input.model.files[blocks.loop_.site.file].line_ending());
    blocks.first_ = free_name(input.model, "first");
    blocks.trip_ = free_name(input.model, "trip");
    return blocks;
}

std::string LoopBlocks::why_not_cut(const RuleInput& input, CheckpointedLoops& loops, Index index) {
    const TripCount& trips = loops.trips().of(index);
    const Site head{loop_.site.file, {loop_.with_attributes.begin, loop_.body.begin}};
    if (std::string why = why_form_is_kept(input.model, loop_); !why.empty())
        return why;
    if (loop_.kind != LoopKind::for_loop || loop_.counter_local == none || loop_.start.empty() ||
        !head.range.contains(model_.locals[loop_.counter_local].site.range))
        return "it is no `for` with a counter of its own";
    // Another build may have another head.
    for (ByteRange range : model_.inactive[loop_.site.file])
        if (range.begin < head.range.end && head.range.begin < range.end)
            return "a preprocessor line stands in its head";
    if (cuts_directives(model_.files[loop_.site.file].slice(loop_.with_attributes)))
        return "an #if begins or ends in it";
    const auto type = counter_type(model_, loop_);
    const auto step = number(loop_.step);
    const bool falls = loop_.comparison == ">" || loop_.comparison == ">=";
    const bool rises = loop_.comparison == "<" || loop_.comparison == "<=";
    if (!type || !step || !(rises ? *step > 0 : falls && *step < 0) || !loop_.more_tests.empty())
        return "its counter does not go to one end by a number";
    if (trips.may_end_early || loop_.counter_written_in_body)
        return "it may end early";
    if (without_comments(model_.text(head)) != model_.text(head) || loop_.end_range.empty())
        return "a comment stands in its head";
    for (const Attribute& attribute : loop_.attributes)
        if (attribute.name != "MaxIters")
            return fmt::format("it is marked [{}]", attribute.name);
    bound_ = loops.bound_of(index);
    trips_ = loops.most_trips(index);
    if (trips_ <= 0)
        return "no bound is known for every build";
    // The last block may go past the end.
    constexpr std::int64_t far = std::int64_t{1} << 30;
    const auto start =
        trips.starts_at ? trips.starts_at : constant_value(model_, loop_.function, loop_.start);
    if (trips_ > far / std::abs(*step) || !start || std::abs(*start) > far)
        return "where it starts is not known";
    if (!type->holds(*start + *step * 2 * trips_))
        return "its counter may not hold what is behind its end";
    step_ = *step;
    type_ = type->is_unsigned() ? "uint" : "int";
    if (const std::string& written = model_.locals[loop_.counter_local].type;
        written != "var" && written != "let")
        type_ = written;
    is_constant_ = has_constant_trips(trips);
    if (trips.exact)
        trips_ = *trips.exact;
    const auto names = names_in(trips.exact_expression);
    const auto is_own = [&](const std::string& name) {
        return is_variable_name(model_, loop_.function, name);
    };
    if (trips.exact && names_in(loop_.start + " " + loop_.end).empty())
        exact_ = bound_ = std::to_string(trips_);
    else if (trips.expression_is_constant && trips.condition.empty() &&
             std::none_of(names.begin(), names.end(), is_own))
        exact_ = trips.exact_expression;
    return why_end_changes(loops);
}

/// The end is tested in each trip, as it was: it has to be the same all along.
std::string LoopBlocks::why_end_changes(CheckpointedLoops& loops) const {
    if (loops.trips().of(Index(&loop_ - model_.loops.data())).exact ||
        is_constant_expression(model_, loop_.function, loop_.end))
        return "";
    if (loop_.end.find_first_of("([") != std::string::npos)
        return "its end may not stay the same";
    const FunctionFlow& flow = loops.flows().of(loop_.function);
    for (const std::string& name : names_in(loop_.end)) {
        std::uint32_t position = 0;
        const bool is_own = find_parameter(model_, loop_.function, name, position) ||
                            is_local_name(model_, loop_.function, name) ||
                            is_generic(model_, loop_.function, name);
        const bool is_set = std::any_of(
            flow.definitions.begin(), flow.definitions.end(), [&](const Definition& definition) {
                return flow.variables[definition.variable].name == name &&
                       loop_.body.contains(definition.site.range) && !definition.site.range.empty();
            });
        if (!is_own || is_set || !flow.incomplete.empty())
            return fmt::format("its end '{}' may not stay the same", loop_.end);
    }
    return "";
}

bool LoopBlocks::fits(std::int64_t size) const {
    return number(exact_) && trips_ % size == 0;
}

bool LoopBlocks::is_testable(std::int64_t size, bool for_each_trip) const {
    const std::int64_t left_over = trips_ % size;
    if (!is_constant_)
        return true;
    // Each trip but the first of a block goes past the end in the last one.
    return left_over == 0 ? !exact_.empty() : left_over == 1 || !for_each_trip;
}

std::string LoopBlocks::guard(std::int64_t size, bool is_unrolled) const {
    if (fits(size))
        return "";
    std::string condition = fmt::format("{} {} {}", loop_.counter, loop_.comparison, loop_.end);
    if (!exact_.empty() && trips_ % size == 0)
        condition =
            fmt::format("{} % {} == 0 || {}", is_identifier(exact_) ? exact_ : "(" + exact_ + ")",
                        size, condition);
    else if (is_unrolled && !is_constant_) // a block's first trip is what the loop around it tests
        condition = fmt::format("{} == 0 || {}", trip_, condition);
    return fmt::format("if ({})", condition);
}

std::string LoopBlocks::step_of(std::int64_t trips) const {
    const std::int64_t amount = std::abs(step_) * trips;
    return fmt::format("{} {}= {}", first_, step_ < 0 ? "-" : "+", amount);
}

std::string LoopBlocks::outer(std::int64_t size, const std::string& indent) const {
    const auto trips = number(bound_);
    const std::string bound = is_identifier(bound_) ? bound_ : "(" + bound_ + ")";
    const std::string blocks = trips ? std::to_string((*trips + size - 1) / size)
                                     : fmt::format("({} + {}) / {}", bound, size - 1, size);
    return fmt::format("[MaxIters({0})]{1}{2}for ({3} {4} = {5}; {4} {6} {7}; {8})", blocks, line_,
                       indent, type_, first_, loop_.start, loop_.comparison, loop_.end,
                       step_of(size));
}

/// Whether the body may use the counter.
bool LoopBlocks::is_counter_used() const {
    const auto names = names_of(model_, {loop_.site.file, loop_.body});
    return std::any_of(names.begin(), names.end(), [&](Site site) {
        const std::string_view name = model_.text(site);
        return name == loop_.counter || model_.find_macro(name);
    });
}

std::string LoopBlocks::inner(std::int64_t size, bool is_unrolled, const std::string& indent,
                              const std::string& unit) const {
    const std::string attribute = is_unrolled ? "ForceUnroll" : fmt::format("MaxIters({})", size);
    const std::string condition = guard(size, is_unrolled);
    const std::string factor = std::abs(step_) == 1 ? "" : fmt::format(" * {}", std::abs(step_));
    const std::string counter = condition.empty() && !is_counter_used()
                                    ? ""
                                    : fmt::format("{} {} = {} {} {}{};", type_, loop_.counter,
                                                  first_, step_ < 0 ? "-" : "+", trip_, factor);
    return fmt::format("{0}[{1}]{2}{0}for ({3} {4} = 0; {4} < {5}; {4}++){2}{6}", indent, attribute,
                       line_, type_, trip_, size, block(counter, condition, indent, unit));
}

/// What stands between the braces of a block whose lines are indented as they should be.
static std::string between_braces(std::string_view block, const std::string& indent) {
    std::string_view content = block.substr(1, block.size() - 2);
    while (!content.empty() && (content.back() == ' ' || content.back() == '\t'))
        content.remove_suffix(1);
    const auto first_line = content.find('\n');
    if (first_line == content.npos)
        return indent + std::string(trimmed(content));
    if (trimmed(content.substr(0, first_line)).empty())
        return std::string(content.substr(first_line + 1));
    return indent + std::string(content.substr(content.find_first_not_of(" \t")));
}

std::string LoopBlocks::block(const std::string& head, const std::string& guard,
                              const std::string& indent, const std::string& unit) const {
    const SourceFile& file = model_.files[loop_.site.file];
    const std::string from = indentation(file, loop_.keyword), inside = indent + unit;
    const std::string_view body = file.slice(loop_.body);
    const bool is_block = body.starts_with('{');
    const std::string braces_line = is_block ? "" : unit;
    if (head.empty() && guard.empty())
        return indent + braces_line + reindented(body, from, indent);
    std::string text = indent + "{" + line_ + inside + head + line_;
    if (!guard.empty()) {
        const bool on_line = is_block && !begins_line(file, loop_.body.begin);
        text += inside + guard + (on_line ? " " : line_ + inside + braces_line) +
                reindented(body, from, inside);
    } else if (is_block) {
        text += between_braces(reindented(body, from, indent), inside);
    } else {
        text += inside + reindented(body, from, indent);
    }
    return text + (text.ends_with('\n') ? "" : line_) + indent + "}";
}

} // namespace slimgrad
