#include "plugin/cli/model_words.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace slimgrad {
namespace {

constexpr std::size_t longest_text = 60;

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

std::string names_of(const std::vector<SetAside::Item>& items) {
    std::vector<std::string> names;
    for (const SetAside::Item& item : items)
        if (std::find(names.begin(), names.end(), item.name) == names.end())
            names.push_back(item.name);
    return joined(names, ", ");
}

std::string_view kind_text(LoopKind kind) {
    switch (kind) {
    case LoopKind::for_loop:
        return "for";
    case LoopKind::while_loop:
        return "while";
    case LoopKind::do_while_loop:
        return "do-while";
    case LoopKind::compile_time_for:
        return "$for";
    }
    return "";
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

} // namespace

std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (!std::isspace(static_cast<unsigned char>(c)))
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (line.ends_with(' '))
        line.pop_back();
    if (line.size() <= longest_text)
        return line;
    std::size_t head = longest_text / 2, tail = line.size() - longest_text / 2;
    while (head > 0 && is_continuation(line[head]))
        --head;
    while (tail < line.size() && is_continuation(line[tail]))
        ++tail;
    return line.substr(0, head) + ".." + line.substr(tail);
}

std::string attributes_text(const std::vector<Attribute>& attributes) {
    std::vector<std::string> words;
    for (const Attribute& attribute : attributes)
        words.push_back(fmt::format("[{}{}]{}", attribute.name,
                                    attribute.arguments.empty()
                                        ? ""
                                        : fmt::format("({})", joined(attribute.arguments, ", ")),
                                    attribute.from_macro ? " (from a macro: never edited)" : ""));
    return joined(words, " ");
}

std::string signature_text(const Function& function) {
    std::vector<std::string> generics, parameters;
    for (const GenericParameter& generic : function.generics)
        generics.push_back(
            fmt::format("{}{}{}", generic.is_value ? "let " : "", generic.name,
                        generic.constraint.empty() ? "" : " : " + generic.constraint));
    for (const Parameter& parameter : function.parameters) {
        std::vector<std::string> words = parameter.modifiers;
        words.push_back(parameter.type);
        if (!parameter.name.empty())
            words.push_back(parameter.name);
        if (!parameter.semantic.empty())
            words.push_back(": " + parameter.semantic);
        if (parameter.default_value)
            words.push_back("= " + *parameter.default_value);
        parameters.push_back(joined(words, " "));
    }
    std::string text =
        fmt::format("{}{}({})", function.qualified_name,
                    generics.empty() ? "" : fmt::format("<{}>", joined(generics, ", ")),
                    joined(parameters, ", "));
    if (!function.return_type.empty() && function.name != "__init")
        text += " -> " + function.return_type;
    if (!function.semantic.empty())
        text += " : " + function.semantic;
    return text;
}

std::string loop_text(const ModuleModel& model, const Loop& loop) {
    std::string text = fmt::format("{} loop", kind_text(loop.kind));
    if (loop.counter.empty())
        return text;
    text += " over " + loop.counter;
    if (!loop.start.empty())
        text += " from " + in_one_line(loop.start);
    if (loop.condition && !loop.from_macro)
        text += (leaves_in_body(loop) ? " until " : " while ") +
                in_one_line(model.text({loop.site.file, *loop.condition}));
    else if (!loop.comparison.empty()) // written in a range or a macro
        text += fmt::format(" while {} {} {}", loop.counter, loop.comparison, loop.end);
    if (!loop.scaling.empty())
        text += fmt::format(", {} {} each trip", loop.scaling, loop.factor);
    else if (!loop.step.empty())
        text += ", by " + loop.step;
    return text;
}

std::string trips_text(const TripCount& trips) {
    const auto counted = [](auto count) {
        return fmt::format("{} trip{}", count, count == 1 ? "" : "s");
    };
    const bool upper_is_exact =
        trips.upper && *trips.upper >= 0 && std::uint64_t(*trips.upper) == trips.lowest;
    std::string text;
    if (trips.exact)
        text = counted(*trips.exact);
    else if (trips.expression_is_constant)
        text = fmt::format("{} trips", trips.exact_expression);
    else if (trips.upper)
        text = (upper_is_exact ? "" : "at most ") + counted(*trips.upper);
    else if (!trips.upper_expression.empty())
        text = fmt::format("at most {} trips", trips.upper_expression);
    else
        return fmt::format("trips not known: {}", trips.why_unknown);
    if (trips.may_end_early)
        text += " unless it ends early";
    if (!trips.exact && trips.lowest > 0 && !upper_is_exact)
        text += fmt::format(", at least {}", trips.lowest);
    if (trips.upper && (!trips.exact || trips.from_callers))
        text += fmt::format(": {}", trips.upper_from);
    if (trips.upper_is_promised)
        text += " (promised, not proved)";
    if (trips.from_callers)
        text += " (as far as this module goes)";
    if (trips.uses_macro)
        text += " (rests on a macro's value)";
    if (!trips.condition.empty())
        text += fmt::format(" (rests on what the directive at {} chooses)", trips.condition);
    return text;
}

std::string call_text(const ModuleModel& model, const Call& call) {
    // Of an element or a property the `[` or the name is where arguments would open.
    const auto before = [&](std::uint32_t end) {
        return in_one_line(model.text({call.site.file, {call.site.range.begin, end}}));
    };
    switch (call.form) {
    case CallForm::operation:
        return "operator " +
               (call.callee.starts_with("operator") ? call.callee.substr(8) : call.callee);
    case CallForm::subscript:
        return fmt::format("element {}[..]", before(call.open_parenthesis));
    case CallForm::property:
        return "property " + in_one_line(model.text(call.site));
    case CallForm::call:
        break;
    }
    const std::string written = before(call.open_parenthesis);
    return fmt::format("{}call of {}", call.no_diff ? "no_diff " : "",
                       written.empty() ? "an expression" : written);
}

std::string_view callee_text(CalleeKind kind) {
    switch (kind) {
    case CalleeKind::unresolved:
        return "not resolved";
    case CalleeKind::function:
        return "function";
    case CalleeKind::method:
        return "method";
    case CalleeKind::static_method:
        return "static method";
    case CalleeKind::constructor:
        return "constructor";
    case CalleeKind::construction:
        return "makes a value of that type";
    case CalleeKind::builtin:
        return "built into Slang";
    case CalleeKind::macro:
        return "macro";
    case CalleeKind::requirement:
        return "requirement";
    case CalleeKind::value:
        return "what a variable holds";
    }
    return "";
}

std::string contents_text(const SetAside& contents) {
    std::vector<std::string> parts;
    if (!contents.functions.empty())
        parts.push_back("functions " + names_of(contents.functions));
    if (!contents.loops.empty())
        parts.push_back("loops (" + names_of(contents.loops) + ")");
    if (!contents.calls.empty())
        parts.push_back("calls of " + names_of(contents.calls));
    if (!contents.is_complete)
        parts.push_back(parts.empty() ? "text that cannot be read by itself"
                                      : "text around them that cannot be read by itself");
    return parts.empty() ? "no functions, loops or calls" : joined(parts, "; ");
}

std::string_view kind_text(GlobalKind kind) {
    switch (kind) {
    case GlobalKind::constant:
        return "constant";
    case GlobalKind::read_only_buffer:
        return "read-only buffer";
    case GlobalKind::writable_buffer:
        return "writable buffer";
    case GlobalKind::constant_buffer:
        return "constant buffer";
    case GlobalKind::uniform:
        return "uniform";
    case GlobalKind::groupshared:
        return "groupshared";
    case GlobalKind::mutable_static:
        return "static";
    }
    return "";
}

} // namespace slimgrad
