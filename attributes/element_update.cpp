#include "attributes/element_update.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/loop_form.h"
#include "attributes/loop_twice.h"
#include "attributes/outlined_function.h"
#include "attributes/proved_bound.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// "16" of "float[16]"; "" where it is no such type.
std::string length_of(const std::string& type) {
    const auto open = type.find('['), close = type.find(']');
    return close + 1 == type.size() && open < close
               ? compact(type.substr(open + 1, close - open - 1))
               : "";
}

} // namespace

ElementUpdate::ElementUpdate(const RuleInput& input, CheckpointedLoops& loops, Index loop,
                             Index array)
    : model_(input.model), loops_(loops), index_(loop), loop_(model_.loops[loop]),
      array_(model_.locals[array]), file_(model_.files[loop_.site.file]), local_(array) {
    for (const Access& access : model_.accesses) {
        if (access.local != array || access.site.file != loop_.site.file)
            continue;
        if (is_in_loop(access))
            (access.kind == AccessKind::read ? reads_ : writes_).push_back(&access);
        else if (access.site.range.begin >= loop_.site.range.end)
            behind_.push_back(&access);
    }
}

bool ElementUpdate::is_in_loop(const Access& access) const {
    return loop_.with_attributes.contains(access.site.range);
}

Result<ElementUpdate> ElementUpdate::read(const RuleInput& input, CheckpointedLoops& loops,
                                          Index loop, Index array) {
    ElementUpdate update(input, loops, loop, array);
    if (std::string why = update.why_not_elements(); !why.empty())
        return fail(std::move(why), loops.place_of(loop));
    return update;
}

std::string ElementUpdate::why_not_elements() const {
    if (length_of(array_.type).empty())
        return fmt::format("'{}' is no array of one dimension", array_.name);
    if (loop_.kind != LoopKind::for_loop || loop_.counter_local == none || loop_.step.empty() ||
        loop_.counter_written_in_body ||
        !loop_.site.range.contains(model_.locals[loop_.counter_local].site.range))
        return "it is no `for` with a counter of its own";
    const std::string element = array_.name + "[" + loop_.counter + "]";
    for (const auto* accesses : {&reads_, &writes_})
        for (const Access* access : *accesses)
            if (!compact(model_.text(access->site)).starts_with(element) ||
                !loop_.body.contains(access->site.range))
                return fmt::format("it uses other elements of '{}' than '{}'", array_.name,
                                   element);
    // Another variable of the counter's name may hide it.
    for (const LocalVariable& other : model_.locals)
        if (other.name == loop_.counter && other.function == loop_.function &&
            other.site.file == loop_.site.file && loop_.body.contains(other.site.range))
            return fmt::format("'{}' is declared in it again", loop_.counter);
    return "";
}

std::string ElementUpdate::why_not_set_apart() const {
    if (loop_.parent != none)
        return "the loop around it carries the array, too";
    if (statement_of(loop_.with_attributes).empty() || statement_of(array_.site.range).empty())
        return "the loop or the array stands in a block of its own";
    if (behind_.empty())
        return fmt::format("'{}' is not used behind the loop", array_.name);
    if (std::string why = why_set_otherwise(); !why.empty())
        return why;
    const ByteRange head{loop_.with_attributes.begin, loop_.body.begin};
    for (ByteRange range : model_.inactive[loop_.site.file])
        if (!sets_all() && range.begin < head.end && head.begin < range.end)
            return "a preprocessor line stands in the loop's head";
    return why_not_renamed();
}

/// It has to be set once, as a whole, after it was read.
std::string ElementUpdate::why_set_otherwise() const {
    if (writes_.size() != 1)
        return fmt::format("the loop sets an element of '{}' in several places", array_.name);
    const Access& write = *writes_[0];
    const std::string_view behind = std::string_view(file_.text()).substr(write.site.range.end);
    const std::string_view assigned = trimmed(behind);
    if (write.kind != AccessKind::write || write.loop != index_ || !write.members.empty() ||
        !assigned.starts_with('=') || assigned.starts_with("=="))
        return fmt::format("the loop does not set an element of '{}' by `=`", array_.name);
    const auto end = behind.find(';');
    if (end == behind.npos || behind.substr(0, end).find('{') != behind.npos)
        return "the end of what it is set to is not known";
    for (const Access* read : reads_)
        if (read->site.range.begin >= write.site.range.end + end)
            return fmt::format("the loop reads the element of '{}' again after it set it",
                               array_.name);
    return "";
}

/// All that means the array behind the loop has to be seen.
std::string ElementUpdate::why_not_renamed() const {
    const Function& function = model_.functions[loop_.function];
    const ByteRange rest{loop_.with_attributes.begin, function.body->end};
    const std::string unknown =
        fmt::format("a macro or another branch of #if may use '{}'", array_.name);
    for (ByteRange range : model_.inactive[loop_.site.file])
        if (range.begin < rest.end && rest.begin < range.end &&
            has_word(file_.slice(range), array_.name))
            return unknown;
    for (const MacroDefinition& macro : model_.macros)
        if (has_word(macro.body, array_.name))
            return unknown;
    for (Site name : names_of(model_, {loop_.site.file, rest})) {
        if (model_.text(name) != array_.name)
            continue;
        const auto declares = [&](const LocalVariable& local) { return local.site == name; };
        if (std::any_of(model_.locals.begin(), model_.locals.end(), declares))
            continue;
        const auto is_this = [&](const Access& access) {
            return access.site.file == name.file && access.site.range.begin == name.range.begin;
        };
        const auto access = std::find_if(model_.accesses.begin(), model_.accesses.end(), is_this);
        if (access == model_.accesses.end() || access->local == none || model_.is_macro(name))
            return fmt::format("what '{}' means is not known everywhere", array_.name);
    }
    return "";
}

/// Whether the loop sets every element, in every build.
bool ElementUpdate::sets_all() const {
    const TripCount& trips = loops_.trips().of(index_);
    const std::string length = length_of(array_.type);
    const auto number = constant_value(model_, loop_.function, length);
    const bool is_each = compact(loop_.start) == "0" && loop_.step == "1" &&
                         loop_.comparison == "<" && !trips.may_end_early &&
                         loop_.more_tests.empty();
    const bool is_as_long = compact(loop_.end) == length || (number && trips.exact == number &&
                                                             wrong_in_other_builds(trips).empty());
    if (!is_each || !is_as_long || has_word(file_.slice(loop_.body), "continue"))
        return false;
    const auto statements = statements_of(model_, {loop_.site.file, loop_.body});
    return std::any_of(statements.begin(), statements.end(), [&](const BlockStatement& statement) {
        return statement.site.range.begin == writes_[0]->site.range.begin;
    });
}

ByteRange ElementUpdate::statement_of(ByteRange range) const {
    const Function& function = model_.functions[loop_.function];
    for (const BlockStatement& statement :
         statements_of(model_, {function.site.file, *function.body})) {
        const ByteRange at = statement.site.range;
        const bool declares =
            at.contains(range) &&
            file_.slice({at.begin, range.begin}).find_first_of("({") == std::string_view::npos;
        if (at == range || declares)
            return at;
    }
    return {};
}

std::vector<SourceEdit> ElementUpdate::set_apart() const {
    const bool snake = array_.name.find('_') != std::string::npos;
    const std::string name = free_name(model_, array_.name + (snake ? "_next" : "Next"));
    const auto open = array_.type.find('[');
    const std::string declaration =
        fmt::format("{} {}{}", array_.type.substr(0, open), name, array_.type.substr(open));
    std::vector<SourceEdit> edits;
    if (sets_all()) {
        const ByteRange statement = statement_of(array_.site.range);
        const std::string line =
            std::string(file_.line_ending()) + indentation(file_, statement.begin);
        std::uint32_t end = statement.end;
        const std::string_view rest =
            std::string_view(file_.text())
                .substr(end, file_.text().find_first_of("\r\n", end) - end);
        const bool ends_line = trimmed(rest).empty() || trimmed(rest).starts_with("//");
        if (ends_line)
            end += std::uint32_t(rest.size());
        edits.push_back({file_.path(), {end, end}, (ends_line ? line : " ") + declaration + ";"});
    } else {
        edits.push_back(insert_line_above(file_, loop_.with_attributes.begin,
                                          fmt::format("{} = {};", declaration, array_.name)));
    }
    std::vector<const Access*> renamed = behind_;
    renamed.insert(renamed.begin(), writes_.begin(), writes_.end());
    for (const Access* access : renamed) {
        const std::uint32_t begin = access->site.range.begin;
        edits.push_back({file_.path(), {begin, begin + std::uint32_t(array_.name.size())}, name});
    }
    return edits;
}

} // namespace slimgrad
