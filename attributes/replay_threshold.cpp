#include "attributes/replay_threshold.h"

#include "attributes/constants.h"
#include "attributes/function_names.h"
#include "attributes/generic_list.h"
#include "attributes/loop_form.h"
#include "attributes/loop_twice.h"
#include "attributes/specialised_trips.h"
#include "rewriter/integer_expression.h"
#include "rewriter/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>

namespace slimgrad {

namespace {

constexpr std::uint32_t longest_head = 1000; ///< of the `if` before a loop, with its comments

/// Whether the name stands in the text as a word.
bool mentions(std::string_view text, std::string_view name) {
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !is_name(text[at - 1])) && (end == text.size() || !is_name(text[end])))
            return true;
    }
    return false;
}

/// Why there may be calls that the model does not hold, or other uses of the function, or "".
std::string why_calls_are_unknown(const ModuleModel& model, const Function& function) {
    for (const Function& other : model.functions)
        for (const Attribute& attribute : other.attributes)
            for (const std::string& argument : attribute.arguments)
                if (mentions(argument, function.name))
                    return fmt::format("an attribute names '{}'", function.name);
    for (const MacroDefinition& macro : model.macros)
        if (mentions(macro.body, function.name))
            return fmt::format("the macro {} names '{}'", macro.name, function.name);
    for (const ConditionalBranch& branch : model.not_taken)
        if (mentions(model.files[branch.file].slice(branch.body), function.name))
            return fmt::format("another build has other calls of '{}'", function.name);
    return "";
}

/// "N" and "R" of `if (N > R) {` where the text ends with it.
std::optional<std::pair<std::string, std::string>> read_if(std::string_view text) {
    text = trimmed(text);
    if (text.ends_with('{'))
        text = trimmed(text.substr(0, text.size() - 1));
    if (!text.ends_with(')'))
        return std::nullopt;
    int depth = 0;
    std::size_t open = text.size();
    do {
        --open;
        depth += text[open] == ')' ? 1 : text[open] == '(' ? -1 : 0;
    } while (depth > 0 && open > 0);
    const std::string_view head = trimmed(text.substr(0, open));
    if (depth != 0 || !head.ends_with("if") || (head.size() > 2 && is_name(head[head.size() - 3])))
        return std::nullopt;
    const std::string_view condition = text.substr(open + 1, text.size() - open - 2);
    const auto greater = condition.rfind('>');
    if (greater == std::string_view::npos)
        return std::nullopt;
    return std::pair(std::string(trimmed(condition.substr(0, greater))),
                     std::string(trimmed(condition.substr(greater + 1))));
}

/// Whether the text is the `} else {` between two statements.
bool is_else(const std::string& text) {
    std::string code;
    std::copy_if(text.begin(), text.end(), std::back_inserter(code),
                 [](char c) { return !is_space(c); });
    return code == "}else{" || code == "else";
}

/// The unrolled copy of a loop.
Index copy_behind(const ModuleModel& model, Index loop) {
    const Loop& l = model.loops[loop];
    for (Index i = loop + 1; i < model.loops.size(); ++i) {
        const Loop& next = model.loops[i];
        if (next.function != l.function || next.parent != l.parent ||
            next.site.file != l.site.file || next.with_attributes.begin < l.site.range.end)
            continue;
        const bool is_copy =
            is_unrolled(next) && is_else(without_comments(model.files[l.site.file].slice(
                                     {l.site.range.end, next.with_attributes.begin})));
        return is_copy ? i : none;
    }
    return none;
}

/// The value parameter of an integer type, by its name.
std::optional<std::size_t> threshold_parameter(const Function& function, const std::string& name) {
    for (std::size_t i = 0; i < function.generics.size(); ++i) {
        const GenericParameter& generic = function.generics[i];
        if (generic.name == name && generic.is_value && integer_type(generic.constraint))
            return i;
    }
    return std::nullopt;
}

/// A name that no text of the function, and no global, has.
std::string new_name(const ModuleModel& model, const Function& function) {
    const std::string_view text = model.text(function.site);
    std::string name = "replayAbove";
    for (int i = 2; text.find(name) != std::string_view::npos || model.find_global(name) ||
                    model.find_macro(name) || !model.find_functions(name).empty();
         ++i)
        name = fmt::format("replayAbove{}", i);
    return name;
}

} // namespace

std::vector<ThresholdPair> threshold_pairs(const ModuleModel& model, TripCounts& trips) {
    std::vector<ThresholdPair> pairs;
    for (Index loop = 0; loop < model.loops.size(); ++loop) {
        const Loop& l = model.loops[loop];
        if (l.function == none || is_unrolled(l) || model.functions[l.function].generics.empty() ||
            !model.functions[l.function].body)
            continue;
        const std::uint32_t begin = l.with_attributes.begin;
        const ByteRange before{std::max(model.functions[l.function].body->begin,
                                        begin < longest_head ? 0 : begin - longest_head),
                               begin};
        const auto condition = read_if(without_comments(model.files[l.site.file].slice(before)));
        const auto parameter =
            condition ? threshold_parameter(model.functions[l.function], condition->second)
                      : std::nullopt;
        const Index copy = parameter ? copy_behind(model, loop) : none;
        if (copy == none)
            continue;
        const TripCount& count = trips.of(loop);
        if (count.expression_is_constant && !count.exact &&
            same_expression(count.exact_expression, condition->first))
            pairs.push_back({loop, copy, *parameter});
    }
    return pairs;
}

std::vector<Index> ReplayThreshold::calls_of(Index function) const {
    std::vector<Index> calls;
    for (Index i = 0; i < model_.calls.size(); ++i) {
        const auto callees = model_.callees(model_.calls[i]);
        if (std::find(callees.begin(), callees.end(), function) != callees.end())
            calls.push_back(i);
    }
    return calls;
}

std::map<Index, std::int64_t> ReplayThreshold::trips_by_call(Index loop) {
    std::map<Index, std::int64_t> trips;
    for (const SpecialisedTrips& special : specialised_trips(model_, loop, trips_.of(loop)))
        trips[special.call] = special.trips;
    return trips;
}

std::vector<ReplayThreshold::CallSite> ReplayThreshold::sites_of(Index loop) {
    std::vector<CallSite> sites;
    for (const auto& [index, trips] : trips_by_call(loop)) {
        const Call& call = model_.calls[index];
        if (call.kind == CallKind::plain &&
            (call.function == none || !differentiated_[call.function]))
            continue;
        const auto known = std::find_if(sites.begin(), sites.end(), [&](const CallSite& site) {
            const Call& other = model_.calls[site.calls.front()];
            return other.function == call.function &&
                   other.generic_arguments == call.generic_arguments;
        });
        if (known != sites.end())
            known->calls.push_back(index);
        else
            sites.push_back({{index}, trips});
    }
    return sites;
}

std::string ReplayThreshold::why_call_is_kept(const Call& call) const {
    const std::string& path = model_.files[call.site.file].path();
    if (!input_.editable(path))
        return fmt::format("a call stands in {}, which is outside the project", path);
    const Site head{call.site.file, {call.site.range.begin, call.open_parenthesis}};
    if (call.callee_kind == CalleeKind::macro || model_.is_macro(head))
        return "a call comes from a macro, which is not edited";
    if (model_.is_broken(head))
        return "a call stands in a syntax error";
    return "";
}

std::string ReplayThreshold::why_not_introduced(const std::vector<Index>& nest) const {
    const Loop& outermost = model_.loops[nest.front()];
    const Function& function = model_.functions[outermost.function];
    const SourceFile& file = model_.files[function.site.file];
    if (function.from_macro || !function.body || outermost.site.file != function.site.file ||
        model_.is_macro(
            {function.site.file, {function.site.range.begin, function.name_site.range.end}}))
        return fmt::format("the head of '{}' comes from a macro", function.name);
    if (model_.find_functions(function.name).size() > 1)
        return fmt::format("'{}' is overloaded", function.name);
    if (const TypeDeclaration* type = model_.find_type(function.parent_type);
        type && (type->is_interface || !type->bases.empty()))
        return fmt::format("'{}' may be what an interface requires", function.name);
    if (std::string why = why_calls_are_unknown(model_, function); !why.empty())
        return why;
    for (ByteRange range : model_.inactive[outermost.site.file])
        if (range.begin < outermost.with_attributes.end &&
            outermost.with_attributes.begin < range.end)
            return "a preprocessor line stands in the loop";
    for (Index loop : nest) {
        if (std::string why = why_head_is_kept(input_, model_.loops[loop]); !why.empty())
            return why;
        if (std::string why = why_form_is_kept(model_, model_.loops[loop]); !why.empty())
            return why;
    }
    if (!input_.editable(file.path()))
        return fmt::format("'{}' stands outside the project", function.name);
    return "";
}

std::string ReplayThreshold::describe(const CallSite& site, std::size_t arguments) const {
    const Call& call = model_.calls[site.calls.front()];
    std::string given;
    for (std::size_t i = 0; i < std::min(arguments, call.generic_arguments.size()); ++i)
        given += (i == 0 ? "" : ", ") + call.generic_arguments[i];
    return fmt::format("{}{} in '{}'", call.callee, given.empty() ? "" : "<" + given + ">",
                       call.function == none ? "?" : model_.functions[call.function].name);
}

std::string ReplayThreshold::why_not_unrolled(const std::vector<Index>& nest, std::int64_t trips) {
    std::int64_t written = 1;
    for (std::size_t i = 0; i < nest.size(); ++i)
        written = std::min(written * std::max<std::int64_t>(trips, 1), most_unrolled_trips + 1);
    if (written > most_unrolled_trips)
        return fmt::format("more than {} trips would be written out", most_unrolled_trips);
    for (Index loop : nest) {
        const std::string callee =
            written > most_trips_through_call ? cost_.carries_through(loop) : std::string();
        if (!callee.empty())
            return fmt::format("{} trips hand a value on through '{}', and slangc's time doubles "
                               "with every one of them",
                               written, callee);
    }
    return "";
}

bool ReplayThreshold::set_threshold(const CallSite& site, std::size_t position, std::int64_t value,
                                    std::vector<SourceEdit>& edits,
                                    std::vector<std::string>& why_not) const {
    for (Index index : site.calls) {
        const Call& call = model_.calls[index];
        std::string why = why_call_is_kept(call);
        const auto edit = set_generic_argument(model_, call, position, std::to_string(value));
        if (why.empty() && !edit)
            why = fmt::format("the generic arguments of a call of '{}' cannot be added to",
                              call.callee);
        if (!why.empty()) {
            why_not.push_back(std::move(why));
            return false;
        }
        edits.push_back(*edit);
    }
    return true;
}

/// Calls that a default does not serve get the threshold of the form that they have.
bool ReplayThreshold::keep_form(const std::vector<Index>& nest, const CallSite& changed,
                                std::vector<SourceEdit>& edits, std::vector<std::string>& why_not) {
    const Loop& outermost = model_.loops[nest.front()];
    const Function& function = model_.functions[outermost.function];
    const std::string& trips = trips_.of(nest.front()).exact_expression;
    const auto known = trips_by_call(nest.front());
    for (Index index : calls_of(outermost.function)) {
        const Call& call = model_.calls[index];
        if (call.kind == CallKind::plain || call.generic_arguments.empty() ||
            std::find(changed.calls.begin(), changed.calls.end(), index) != changed.calls.end())
            continue;
        std::string value = is_unrolled(outermost) ? "" : "0";
        for (std::size_t i = 0; value.empty() && i < call.generic_arguments.size(); ++i)
            if (function.generics.size() > i && function.generics[i].name == trips)
                value = call.generic_arguments[i];
        if (value.empty() && known.contains(index))
            value = std::to_string(known.at(index));
        std::string why = why_call_is_kept(call);
        const auto edit = set_generic_argument(model_, call, function.generics.size(), value);
        if (why.empty() && (!edit || value.empty()))
            why = fmt::format("a derivative of '{}' is taken with generic arguments that cannot be "
                              "added to",
                              function.name);
        if (!why.empty()) {
            why_not.push_back(std::move(why));
            return false;
        }
        edits.push_back(*edit);
    }
    return true;
}

std::vector<Fix> ReplayThreshold::introduce(const std::vector<Index>& nest, const std::string& name,
                                            const std::vector<std::string>& bounds,
                                            std::vector<std::string>& why_not) {
    const Index loop = nest.front();
    const Loop& outermost = model_.loops[loop];
    const Function& function = model_.functions[outermost.function];
    const std::string trips = trips_.of(loop).exact_expression;
    std::set<std::int64_t> different;
    for (const auto& [call, count] : trips_by_call(loop))
        different.insert(count);
    if (different.size() < 2)
        return {};
    std::string why = why_not_introduced(nest);
    if (why.empty() && trips.find_first_of("<>=!&|^?") != std::string::npos)
        why = "its trip count is no plain sum or product";
    const std::string parameter = new_name(model_, function);
    const bool unrolled = is_unrolled(outermost);
    const GenericParameter* generic = find_generic(model_, outermost.function, trips);
    const auto added = add_generic_parameter(model_, function,
                                             fmt::format("let {} : {} = {}", parameter,
                                                         generic ? generic->constraint : "int",
                                                         unrolled ? trips : "0"));
    if (why.empty() && !added)
        why = fmt::format("the generic parameters of '{}' cannot be added to", function.name);
    if (!why.empty()) {
        why_not.push_back("no threshold: " + why);
        return {};
    }
    const SourceEdit twice =
        write_twice(model_, nest, fmt::format("{} > {}", trips, parameter), bounds);
    std::vector<Fix> fixes;
    for (const CallSite& site : sites_of(loop)) {
        const std::string too_much = unrolled ? "" : why_not_unrolled(nest, site.trips);
        const std::int64_t value = unrolled ? site.trips - 1 : site.trips;
        if (value < 0 || !too_much.empty()) {
            if (!too_much.empty())
                why_not.push_back(too_much);
            continue;
        }
        Fix fix;
        fix.description = fmt::format("{} {} for {} (threshold {})", unrolled ? "replay" : "unroll",
                                      name, describe(site, function.generics.size()), value);
        fix.edits = {*added, twice};
        if (set_threshold(site, function.generics.size(), value, fix.edits, why_not) &&
            keep_form(nest, site, fix.edits, why_not))
            fixes.push_back(std::move(fix));
    }
    return fixes;
}

std::vector<Fix> ReplayThreshold::change(const ThresholdPair& pair, const std::string& name,
                                         std::vector<std::string>& why_not) {
    const Function& function = model_.functions[model_.loops[pair.replayed].function];
    const GenericParameter& parameter = function.generics[pair.parameter];
    const std::string& trips = trips_.of(pair.replayed).exact_expression;
    std::vector<Index> nest;
    for (Index loop = pair.unrolled; loop < model_.loops.size(); ++loop)
        if (model_.loops[pair.unrolled].site.range.contains(model_.loops[loop].site.range) &&
            model_.loops[loop].site.file == model_.loops[pair.unrolled].site.file)
            nest.push_back(loop);
    std::vector<Fix> fixes;
    for (const CallSite& site : sites_of(pair.replayed)) {
        const Call& call = model_.calls[site.calls.front()];
        std::optional<std::int64_t> threshold;
        if (pair.parameter < call.generic_arguments.size())
            threshold =
                constant_value(model_, call.function, call.generic_arguments[pair.parameter]);
        else if (parameter.default_value && same_expression(*parameter.default_value, trips))
            threshold = site.trips;
        else if (parameter.default_value)
            threshold = constant_value(model_, none, *parameter.default_value);
        if (!threshold)
            continue;
        const bool unrolled = site.trips <= *threshold;
        const std::int64_t value = unrolled ? site.trips - 1 : site.trips;
        const std::string too_much = unrolled ? "" : why_not_unrolled(nest, site.trips);
        if (value < 0 || !too_much.empty()) {
            if (!too_much.empty())
                why_not.push_back(too_much);
            continue;
        }
        Fix fix;
        fix.description = fmt::format("{} {} for {} (threshold {})", unrolled ? "replay" : "unroll",
                                      name, describe(site, pair.parameter), value);
        if (set_threshold(site, pair.parameter, value, fix.edits, why_not))
            fixes.push_back(std::move(fix));
    }
    return fixes;
}

} // namespace slimgrad
