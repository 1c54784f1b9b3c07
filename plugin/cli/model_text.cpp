#include "plugin/cli/model_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace slimgrad {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

std::string attribute_text(const Attribute& attribute) {
    return fmt::format(
        "[{}{}]", attribute.name,
        attribute.arguments.empty() ? "" : fmt::format("({})", joined(attribute.arguments, ", ")));
}

/// "march<let N : int>(float x, no_diff int n) -> float"
std::string signature_text(const Function& function) {
    std::vector<std::string> generics, parameters;
    for (const GenericParameter& generic : function.generics)
        generics.push_back(
            fmt::format("{}{}{}", generic.is_value ? "let " : "", generic.name,
                        generic.constraint.empty() ? "" : " : " + generic.constraint));
    for (const Parameter& parameter : function.parameters) {
        std::vector<std::string> words = parameter.modifiers;
        words.push_back(parameter.type);
        words.push_back(parameter.name);
        parameters.push_back(joined(words, " "));
        if (!parameter.semantic.empty())
            parameters.back() += " : " + parameter.semantic;
    }
    return fmt::format("{}{}({}){}", function.qualified_name,
                       generics.empty() ? "" : fmt::format("<{}>", joined(generics, ", ")),
                       joined(parameters, ", "),
                       function.return_type.empty() ? "" : " -> " + function.return_type);
}

/// Writes the report line by line: each begins with the place that it is about.
class ModelWriter {
  public:
    ModelWriter(const ModelReport& report, const TextOptions& options)
        : report_(report), model_(report.model), options_(options) {}

    std::string write() {
        head();
        for (Index i = 0; i < model_.functions.size(); ++i)
            function(i);
        globals();
        outside_functions();
        return std::move(text_);
    }

  private:
    std::string shown(const Place& place) const {
        return printable(to_string(display_place(place, options_.directory)));
    }
    std::string shown(Site site) const { return shown(model_.place(site)); }
    /// "16:9" where the line's own place names the file, else all of it.
    std::string short_shown(Site site, std::uint32_t file) const {
        const Place place = model_.place(site);
        return site.file == file ? fmt::format("{}:{}", place.line, place.column) : shown(place);
    }

    void line(const Place& place, int depth, std::string_view words) {
        text_ += fmt::format("{}: {:{}}{}\n", shown(place), "", depth * 2, printable(words));
    }
    void line(Site site, int depth, std::string_view words) {
        line(model_.place(site), depth, words);
    }

    void head() {
        std::vector<std::string> files;
        for (const SourceFile& file : model_.files)
            files.push_back(printable(display_path(file.path(), options_.directory)));
        text_ += fmt::format("{}{}{}: functions: {}, loops: {}, calls: {}; read from {}\n",
                             options_.style.bold(), files.front(), options_.style.reset(),
                             model_.functions.size(), model_.loops.size(), model_.calls.size(),
                             joined(files, ", "));
        if (!report_.problem.empty())
            text_ += fmt::format("  slangc {} does not compile it: {}\n"
                                 "  what follows is what the text alone gives: no rows of the "
                                 "compiler's report\n",
                                 report_.slang_version, printable(report_.problem));
        for (std::uint32_t file = 0; file < model_.files.size(); ++file)
            errors(file);
        for (const Site& unread : model_.unread)
            line(unread, 1, "nested too deep: nothing inside is read or edited");
    }

    void errors(std::uint32_t file) {
        const auto& unclosed = model_.unclosed[file];
        for (const ByteRange& error : model_.trees[file].errors()) {
            const auto brace = std::find_if(unclosed.begin(), unclosed.end(),
                                            [&](const auto& one) { return one.body == error; });
            if (brace == unclosed.end())
                line(Site{file, error}, 1, "syntax error here: nothing inside is read or edited");
            else
                line(model_.place(file, brace->offset), 1,
                     fmt::format("this brace is not closed: nothing from line {} to line {} is "
                                 "read or edited",
                                 model_.place(file, error.begin).line,
                                 model_.place(file, error.end - 1).line));
        }
    }

    void attributes(const std::vector<Attribute>& attributes, int depth) {
        for (const Attribute& attribute : attributes)
            line(attribute.site, depth,
                 attribute_text(attribute) +
                     (attribute.from_macro ? ", from a macro: never edited" : ""));
    }

    void function(Index index) {
        const Function& f = model_.functions[index];
        const ModelReport::OfFunction& facts = report_.functions[index];
        std::vector<std::string> notes;
        if (!f.modifiers.empty())
            notes.push_back(joined(f.modifiers, " "));
        if (facts.is_entry_point)
            notes.push_back("entry point");
        if (facts.is_differentiated)
            notes.push_back("differentiated");
        if (!f.body)
            notes.push_back("no body");
        if (f.from_macro)
            notes.push_back("from a macro: never edited");
        if (!facts.contradiction.empty())
            notes.push_back(facts.contradiction + ": not examined");
        else if (facts.is_broken)
            notes.push_back("with a syntax error: not examined");
        text_ += '\n';
        line(f.name_site, 0,
             fmt::format("function {}{}", signature_text(f),
                         notes.empty() ? "" : fmt::format("  ({})", joined(notes, ", "))));
        rows(f.name_site.file, f.name_site.range.begin, 1);
        attributes(f.attributes, 1);
        for (const Index requirement : facts.requirements) {
            const Function& required = model_.functions[requirement];
            std::vector<std::string> words;
            for (const Attribute& attribute : required.attributes)
                words.push_back(attribute_text(attribute));
            line(f.name_site, 1,
                 fmt::format("implements {} at {}{}", required.qualified_name,
                             shown(required.name_site),
                             words.empty() ? "" : ", which has " + joined(words, " ")));
        }
        for (const Index derivative : facts.derivatives) {
            const Function& other = model_.functions[derivative];
            line(f.name_site, 1,
                 fmt::format("its derivative is, or uses, {} at {}", other.qualified_name,
                             shown(other.name_site)));
        }
        loops_and_calls(index);
        variables(facts.flow, f.site.file);
        effects(facts.effects);
        for (const MacroUse& use : report_.macro_uses)
            if (use.function == index)
                macro_use(use, 1);
        for (const ModelReport::Inactive& inactive : report_.inactive)
            if (enclosing(inactive.branch) == index)
                branch(inactive, 1);
    }

    Index enclosing(const ConditionalBranch& branch) const {
        return model_.function_at(branch.file, branch.directive.begin);
    }

    /// Loops and calls in the order of the text, each as deep as the loops around it.
    void loops_and_calls(Index index) {
        std::vector<std::pair<std::uint32_t, std::pair<bool, Index>>> items;
        for (Index i = 0; i < model_.loops.size(); ++i)
            if (model_.loops[i].function == index)
                items.push_back({model_.loops[i].keyword, {true, i}});
        std::map<std::string, std::vector<Site>> plain;
        for (Index i = 0; i < model_.calls.size(); ++i) {
            const Call& call = model_.calls[i];
            if (call.function != index)
                continue;
            const bool is_plain = (call.callee_kind == CalleeKind::builtin ||
                                   call.callee_kind == CalleeKind::construction) &&
                                  call.kind == CallKind::plain &&
                                  report_.rows_at(call.site.file, call.open_parenthesis).empty();
            if (is_plain)
                plain[call.callee].push_back(call.site);
            else
                items.push_back({call.open_parenthesis, {false, i}});
        }
        std::sort(items.begin(), items.end());
        for (const auto& [offset, item] : items)
            item.first ? loop(item.second) : call(item.second);
        std::vector<std::string> words;
        for (const auto& [name, sites] : plain) {
            std::vector<std::string> places;
            for (const Site& site : sites)
                places.push_back(short_shown(site, model_.functions[index].site.file));
            words.push_back(fmt::format("{} {}", name, joined(places, " ")));
        }
        if (!words.empty())
            line(model_.functions[index].name_site, 1,
                 "calls of what Slang has built in: " + joined(words, ", "));
    }

    int depth_of(Index loop) const {
        int depth = 1;
        for (; loop != none; loop = model_.loops[loop].parent)
            ++depth;
        return depth;
    }

    void loop(Index index) {
        const Loop& l = model_.loops[index];
        const ModelReport::OfLoop& facts = report_.loops[index];
        const int depth = depth_of(l.parent);
        std::string words = fmt::format("{} loop", name(l.kind));
        if (!l.counter.empty()) {
            words += fmt::format(" over {} from {}", l.counter, l.start.empty() ? "?" : l.start);
            if (!l.comparison.empty())
                words += fmt::format(" while {} {} {}{}", l.counter, l.comparison, l.end,
                                     l.has_other_conditions ? " and more" : "");
            if (!l.scaling.empty())
                words += fmt::format(", {} {} each trip", l.scaling, l.factor);
            else if (!l.step.empty())
                words += fmt::format(", by {}", l.step);
        }
        const Site head{l.site.file, {l.with_attributes.begin, l.body.begin}};
        const Place place = model_.place(l.site.file, l.keyword);
        line(place, depth,
             fmt::format("{}: {}{}", words, trips_text(facts.trips),
                         l.from_macro            ? " (from a macro: never edited)"
                         : model_.is_macro(head) ? " (touches a macro: never edited)"
                                                 : ""));
        attributes(l.attributes, depth + 1);
        for (const SpecialisedTrips& special : facts.specialised)
            line(place, depth + 1,
                 fmt::format("{} trips with {}, as called at {}", special.trips, special.arguments,
                             shown(model_.calls[special.call].site)));
        rows(l.site.file, l.keyword, depth + 1);
    }

    void call(Index index) {
        const Call& c = model_.calls[index];
        std::string words = c.kind == CallKind::backward_derivative  ? "bwd_diff call of "
                            : c.kind == CallKind::forward_derivative ? "fwd_diff call of "
                                                                     : "call of ";
        if (c.form != CallForm::call)
            words = c.form == CallForm::operation   ? "operator call of "
                    : c.form == CallForm::subscript ? "subscript call of "
                                                    : "property call of ";
        words += c.callee.empty() ? "an expression" : c.callee;
        if (!c.generic_arguments.empty())
            words += fmt::format("<{}>", joined(c.generic_arguments, ", "));
        if (!c.receiver.empty())
            words += fmt::format(" on {}", c.receiver);
        if (c.no_diff)
            words += ", no_diff";
        words += fmt::format(": {}", name(c.callee_kind));
        if (c.target != none)
            words += fmt::format(" {} at {}", model_.functions[c.target].qualified_name,
                                 shown(model_.functions[c.target].name_site));
        if (model_.is_macro(c.site) && c.callee_kind != CalleeKind::macro)
            words += " (in a macro's argument: never edited)";
        const int depth = depth_of(c.loop);
        line(model_.place(c.site.file, c.open_parenthesis), depth, words);
        for (const Index candidate : c.candidates)
            line(model_.functions[candidate].name_site, depth + 1,
                 fmt::format("may be {}", model_.functions[candidate].qualified_name));
        rows(c.site.file, c.open_parenthesis, depth + 1);
    }

    void rows(std::uint32_t file, std::uint32_t offset, int depth) {
        for (const ModelReport::Row* row : report_.rows_at(file, offset))
            line(row->place, depth,
                 fmt::format("stored for the backward pass of {}: {}, {} B", row->context,
                             row->type, row->bytes));
    }

    void variables(const FunctionFlow& flow, std::uint32_t file) {
        for (Index i = 0; i < flow.variables.size(); ++i) {
            const Variable& variable = flow.variables[i];
            const Place place = variable.site.range.empty() ? Place() : model_.place(variable.site);
            if (place.file.empty() && variable.kind == VariableKind::other)
                continue; // a name that the model does not know
            const std::string words = fmt::format(
                "{} {}{}", variable.kind == VariableKind::other ? "name" : name(variable.kind),
                variable.name, variable.type.empty() ? "" : " : " + variable.type);
            const std::string definitions = definitions_text(flow, i, file);
            const std::string uses = uses_text(flow, i, file);
            if (definitions.empty() && uses.empty())
                continue;
            if (place.file.empty())
                text_ += fmt::format("    {}\n", printable(words));
            else
                line(place, 1, words);
            if (!definitions.empty())
                text_ += fmt::format("        set: {}\n", printable(definitions));
            if (!uses.empty())
                text_ += fmt::format("        used: {}\n", printable(uses));
            if (variable.kind == VariableKind::local)
                rows(variable.site.file, variable.site.range.begin, 2);
        }
        if (!flow.incomplete.empty())
            text_ +=
                fmt::format("    definitions may be missing: {}\n", printable(flow.incomplete));
    }

    std::string definitions_text(const FunctionFlow& flow, Index variable, std::uint32_t file) {
        std::vector<std::string> parts;
        for (const Definition& definition : flow.definitions)
            if (definition.variable == variable && definition.kind != DefinitionKind::entry)
                parts.push_back(fmt::format("{} {}{}", short_shown(definition.site, file),
                                            name(definition.kind),
                                            definition.partial ? " (a part)" : ""));
        return joined(parts, ", ");
    }

    /// Places by what becomes of the derivative there, in the order of the text.
    std::string uses_text(const FunctionFlow& flow, Index variable, std::uint32_t file) {
        std::vector<std::pair<std::string, std::vector<std::string>>> groups;
        for (const Use& use : flow.uses) {
            if (use.variable != variable)
                continue;
            const std::string what =
                fmt::format("{}{}",
                            use.derivative == DerivativeUse::carries    ? "with its derivative"
                            : use.derivative == DerivativeUse::does_not ? "without derivative"
                                                                        : "derivative unknown",
                            use.reason.empty() ? "" : " (" + use.reason + ")");
            std::string place = short_shown(use.site, file);
            if (std::any_of(use.reaching.begin(), use.reaching.end(),
                            [](const ReachingDefinition& r) { return r.carried_by != none; }))
                place += " (also from the trip before)";
            const auto known = std::find_if(groups.begin(), groups.end(),
                                            [&](const auto& g) { return g.first == what; });
            if (known == groups.end())
                groups.push_back({what, {place}});
            else
                known->second.push_back(place);
        }
        std::vector<std::string> parts;
        for (const auto& [what, places] : groups)
            parts.push_back(fmt::format("{} at {}", what, joined(places, ", ")));
        return joined(parts, "; ");
    }

    void effects(const Effects& effects) {
        const auto memory = [&](const std::map<MemoryRoot, Site>& roots, std::string_view verb) {
            for (const auto& [root, site] : roots)
                line(site, 1,
                     fmt::format("{} {}{}", verb, root.name,
                                 root.is_global ? "" : " (may overlap with others)"));
        };
        memory(effects.reads, "reads");
        memory(effects.writes, "writes");
        for (const auto& [why, site] : effects.impure)
            line(site, 1, why);
        for (const auto& [why, site] : effects.unknown)
            line(site, 1, "effects not known: " + why);
    }

    static std::string names_of(const std::vector<SetAside::Item>& items) {
        std::vector<std::string> names;
        for (const SetAside::Item& item : items)
            if (std::find(names.begin(), names.end(), item.name) == names.end())
                names.push_back(item.name);
        return joined(names, ", ");
    }

    static std::string contents_text(const SetAside& contents) {
        std::vector<std::string> parts;
        for (const auto& [items, word] :
             {std::pair{&contents.functions, "functions"}, std::pair{&contents.loops, "loops"},
              std::pair{&contents.calls, "calls of"}})
            if (!items->empty())
                parts.push_back(fmt::format("{} {}", word, names_of(*items)));
        if (!contents.is_complete)
            parts.push_back("more that cannot be read by itself");
        return parts.empty() ? "no functions, loops or calls" : joined(parts, "; ");
    }

    void macro_use(const MacroUse& use, int depth) {
        line(use.site, depth,
             fmt::format("macro {} stands for {}: not in the model, never edited", use.name,
                         contents_text(use.contents)));
    }

    void branch(const ModelReport::Inactive& inactive, int depth) {
        const Site directive{inactive.branch.file, inactive.branch.directive};
        std::string_view words = model_.text(directive);
        words = words.substr(0, words.find_first_of("\r\n"));
        const auto lines = model_.place(inactive.branch.file, inactive.branch.body.end).line -
                           model_.place(directive).line - 1;
        line(directive, depth,
             fmt::format("{} is not taken: {} line{} with {}, not in the model", words, lines,
                         lines == 1 ? "" : "s", contents_text(inactive.contents)));
        for (const SetAside::Item& function : inactive.contents.functions)
            line(function.site, depth + 1, fmt::format("inactive function {}", function.name));
    }

    void globals() {
        if (model_.globals.empty())
            return;
        text_ += '\n';
        for (const GlobalVariable& global : model_.globals)
            line(global.site, 0,
                 fmt::format("global {} : {}{}{}", global.name, global.type,
                             global.initializer ? " = " + *global.initializer : "",
                             kind_note(global.kind)));
    }

    static std::string_view kind_note(GlobalKind kind) {
        switch (kind) {
        case GlobalKind::constant:
            return "  (constant)";
        case GlobalKind::read_only_buffer:
            return "  (read-only buffer)";
        case GlobalKind::writable_buffer:
            return "  (writable buffer)";
        case GlobalKind::constant_buffer:
            return "  (constant buffer)";
        case GlobalKind::uniform:
            return "  (uniform)";
        case GlobalKind::groupshared:
            return "  (groupshared)";
        case GlobalKind::mutable_static:
            return "  (static, written)";
        }
        return "";
    }

    void outside_functions() {
        bool first = true;
        const auto gap = [&] {
            if (std::exchange(first, false))
                text_ += '\n';
        };
        for (const MacroUse& use : report_.macro_uses)
            if (use.function == none) {
                gap();
                macro_use(use, 0);
            }
        for (const ModelReport::Inactive& inactive : report_.inactive)
            if (enclosing(inactive.branch) == none) {
                gap();
                branch(inactive, 0);
            }
        for (const ConditionalBranch& undecided : model_.undecided) {
            gap();
            const Site directive{undecided.file, undecided.directive};
            line(directive, 0,
                 fmt::format("{} cannot be evaluated: its branches are all in the model",
                             model_.text(directive)));
        }
        for (const ModelReport::Row& row : report_.rows) {
            if (row.answered)
                continue;
            gap();
            const std::string place = shown(row.place);
            text_ += fmt::format(
                "{}: stored for the backward pass of {}: {}, {} B; nothing of the model stands "
                "there\n",
                place.empty() ? "(no place given)" : place, printable(row.context),
                printable(row.type), row.bytes);
        }
    }

    const ModelReport& report_;
    const ModuleModel& model_;
    const TextOptions& options_;
    std::string text_;
};

} // namespace

std::string model_text(const ModelReport& report, const TextOptions& options) {
    return ModelWriter(report, options).write();
}

} // namespace slimgrad
