#include "attributes/expression_text.h"
#include "attributes/syntax_error.h"
#include "plugin/cli/model_report.h"
#include "plugin/cli/model_words.h"
#include "plugin/cli/placed_lines.h"
#include "plugin/cli/slang_names.h"
#include "plugin/cli/variable_text.h"
#include "rewriter/overload.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace slimgrad {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

/// Writes the report block by block: the head, each function, what stands outside of functions.
class ModelWriter {
  public:
    ModelWriter(const ModelReport& report, const TextOptions& options)
        : report_(report), model_(report.model), options_(options), names_(report.compiled),
          lines_(options.directory) {}

    std::string write() {
        head();
        for (Index i = 0; i < model_.functions.size(); ++i) {
            function(i);
            end_block();
        }
        globals();
        end_block();
        outside_functions();
        end_block();
        return std::move(text_);
    }

  private:
    void end_block() {
        const std::string block = lines_.take();
        if (!block.empty())
            text_ += '\n' + block;
    }

    std::string shown(Site site) const { return lines_.shown(model_.place(site)); }

    void line(const Place& place, int depth, std::string_view words) {
        lines_.add(place, depth, words);
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
        for (std::uint32_t file = 0; file < model_.files.size(); ++file)
            syntax_errors(file);
        for (std::uint32_t file = 0; file < model_.files.size(); ++file)
            if (const auto comment = comment_to_the_end(model_, file))
                line(*comment, 0, comment_not_closed);
        for (const Site& unread : model_.unread)
            line(unread, 0, nests_too_deep);
        for (const Site& included : model_.included)
            line(included, 0, included_inside);
        if (!report_.problem.message.empty()) {
            Place place = report_.problem.place;
            if (place.file.empty())
                place.file = model_.files.front().path();
            line(place, 0,
                 fmt::format("slangc {} does not compile it: {}", report_.slang_version,
                             report_.problem.message));
            line(Place(), 0,
                 report_.rows.empty()
                     ? "what follows is what the text alone gives, without the compiler's report"
                     : "what follows is what the text gives; the compiler's report may lack rows");
        }
        text_ += lines_.take();
    }

    void syntax_errors(std::uint32_t file) {
        const std::vector<ByteRange>& errors = model_.trees[file].errors();
        if (errors.empty())
            return;
        const Error first = first_syntax_error(model_, report_.compiled, file);
        line(first.place, 0, first.message);
        for (std::size_t i = 1; i < errors.size(); ++i)
            line(Site{file, errors[i]}, 0, "and here");
    }

    // ---- A function

    void function(Index index) {
        const Function& f = model_.functions[index];
        const ModelReport::OfFunction& facts = report_.functions[index];
        // In a differentiated function each use says why it has none.
        const std::optional<std::string> reason =
            facts.is_differentiated ? std::nullopt : common_reason(facts.flow);
        attributes(f.attributes, 0);
        line(f.name_site, 0, "function " + signature_text(f) + notes(f, facts, reason));
        const Site name = f.name_site;
        rows_at(name.file, name.range.begin, 1);
        for (const Index requirement : facts.requirements)
            implements(name, model_.functions[requirement]);
        for (const Index derivative : facts.derivatives) {
            const Function& other = model_.functions[derivative];
            line(name, 1,
                 fmt::format("its derivative is, or uses, {} at {}", other.qualified_name,
                             shown(other.name_site)));
        }
        in_the_order_of_the_text(index);
        const VariableText variables(model_, facts.flow, index, !reason);
        for (Index i = 0; i < facts.flow.variables.size(); ++i) {
            variables.add_to(lines_, i, 1);
            const Variable& variable = facts.flow.variables[i];
            if (variable.kind == VariableKind::local)
                rows_at(variable.site.file, variable.site.range.begin, 2);
        }
        if (!facts.flow.incomplete.empty())
            line(name, 1, "definitions may be missing: " + facts.flow.incomplete);
        effects(facts.effects);
    }

    std::string notes(const Function& f, const ModelReport::OfFunction& facts,
                      const std::optional<std::string>& reason) const {
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
        else if (model_.has_included_text(f.site))
            notes.push_back("text is included into it: not examined");
        else if (facts.is_broken)
            notes.push_back("with a syntax error: not examined");
        if (reason)
            notes.push_back("no derivatives: " + *reason);
        return notes.empty() ? "" : fmt::format("  ({})", joined(notes, ", "));
    }

    void implements(Site name, const Function& required) {
        line(name, 1,
             fmt::format("implements {} at {}{}", required.qualified_name,
                         shown(required.name_site),
                         required.attributes.empty()
                             ? ""
                             : ", which has " + attributes_text(required.attributes)));
    }

    /// Above what they belong to, as in the text.
    void attributes(const std::vector<Attribute>& attributes, int depth) {
        if (!attributes.empty())
            line(attributes.front().site, depth, attributes_text(attributes));
    }

    /// Loops, calls, stored values, macros and branches, each as deep as the loops around it.
    void in_the_order_of_the_text(Index index) {
        std::multimap<std::uint32_t, std::function<void()>> items;
        for (Index i = 0; i < model_.loops.size(); ++i)
            if (model_.loops[i].function == index)
                items.emplace(model_.loops[i].keyword, [this, i] { loop(i); });
        std::map<std::string, std::vector<Site>> built_in;
        for (Index i = 0; i < model_.calls.size(); ++i) {
            const Call& call = model_.calls[i];
            if (call.function != index)
                continue;
            if (is_macro_use(call.site))
                continue;
            const bool is_plain = (call.callee_kind == CalleeKind::builtin ||
                                   (call.callee_kind == CalleeKind::construction &&
                                    !model_.find_type(first_name(call.callee)))) &&
                                  call.kind == CallKind::plain;
            if (is_plain)
                built_in[call.callee].push_back(call.site);
            else
                items.emplace(call.open_parenthesis, [this, i] { this->call(i); });
        }
        for (const ModelReport::Row& row : report_.rows)
            if (row.function == index && row.is_of_expression)
                items.emplace(row.offset, [this, &row] {
                    this->row(row, depth_at(row.function, row.file, row.offset));
                });
        for (const MacroUse& use : report_.macro_uses)
            if (use.function == index)
                items.emplace(use.site.range.begin, [this, &use] {
                    macro_use(use, depth_at(use.function, use.site.file, use.site.range.begin));
                });
        for (const ModelReport::Inactive& inactive : report_.inactive)
            if (enclosing(inactive.branch) == index)
                items.emplace(inactive.branch.directive.begin,
                              [this, &inactive] { branch(inactive, 1); });
        for (const auto& [offset, write] : items)
            write();
        calls_of_core(built_in, model_.functions[index].site.file);
    }

    void calls_of_core(const std::map<std::string, std::vector<Site>>& calls, std::uint32_t file) {
        std::vector<std::string> words;
        Site first{file, {~0u, ~0u}};
        for (const auto& [name, sites] : calls) {
            std::vector<std::string> places;
            for (const Site& site : sites) {
                const Place place = model_.place(site);
                places.push_back(fmt::format("{}:{}", place.line, place.column));
                if (site.range.begin < first.range.begin)
                    first = site;
            }
            words.push_back(fmt::format("{} {}", name, joined(places, " ")));
        }
        if (!words.empty())
            line(first, 1, "calls of what Slang has built in: " + joined(words, ", "));
    }

    int depth_of(Index loop) const {
        int depth = 1;
        for (; loop != none; loop = model_.loops[loop].parent)
            ++depth;
        return depth;
    }

    int depth_at(Index function, std::uint32_t file, std::uint32_t offset) const {
        return 1 + int(std::count_if(model_.loops.begin(), model_.loops.end(), [&](const Loop& l) {
                   return l.function == function && l.site.file == file &&
                          l.site.range.contains(offset);
               }));
    }

    bool is_macro_use(const Site& site) const {
        return std::any_of(report_.macro_uses.begin(), report_.macro_uses.end(),
                           [&](const MacroUse& use) { return use.site == site; });
    }

    void loop(Index index) {
        const Loop& l = model_.loops[index];
        const ModelReport::OfLoop& facts = report_.loops[index];
        const int depth = depth_of(l.parent);
        attributes(l.attributes, depth);
        const Site head{l.site.file, {l.with_attributes.begin, l.body.begin}};
        const Place place = model_.place(l.site.file, l.keyword);
        line(place, depth,
             fmt::format("{}: {}{}", loop_text(model_, l), trips_text(facts.trips),
                         l.from_macro            ? " (from a macro: never edited)"
                         : model_.is_macro(head) ? " (touches a macro: never edited)"
                                                 : ""));
        for (const SpecialisedTrips& special : facts.specialised)
            line(place, depth + 1,
                 fmt::format("{} trip{} with {}, as called at {}", special.trips,
                             special.trips == 1 ? "" : "s", special.arguments,
                             shown(model_.calls[special.call].site)));
        rows_at(l.site.file, l.keyword, depth + 1);
    }

    void call(Index index) {
        const Call& c = model_.calls[index];
        std::string words = fmt::format("{}: {}", call_text(model_, c), callee_text(c.callee_kind));
        const bool too_many =
            c.callee_kind == CalleeKind::unresolved && c.candidates.size() > most_candidates;
        if (too_many)
            words += fmt::format(", too many overloads ({})", c.candidates.size());
        if (c.target != none)
            words += fmt::format(" {} at {}", model_.functions[c.target].qualified_name,
                                 shown(model_.functions[c.target].name_site));
        // `f(VEC(3))` is none, though a macro stands in it.
        const Site opening{c.site.file, {c.open_parenthesis, c.open_parenthesis + 1}};
        if (model_.is_macro(opening) && c.callee_kind != CalleeKind::macro)
            words += " (in a macro's argument: never edited)";
        const int depth = depth_of(c.loop);
        const Place place = model_.place(c.site.file, c.open_parenthesis);
        line(place, depth, words);
        std::vector<std::string> candidates;
        for (const Index candidate : too_many ? std::vector<Index>() : c.candidates)
            candidates.push_back(fmt::format("{} at {}", model_.functions[candidate].qualified_name,
                                             shown(model_.functions[candidate].name_site)));
        if (!candidates.empty())
            line(place, depth + 1, "may be " + joined(candidates, ", "));
        rows_at(c.site.file, c.open_parenthesis, depth + 1);
    }

    void rows_at(std::uint32_t file, std::uint32_t offset, int depth) {
        for (const ModelReport::Row* row : report_.rows_at(file, offset))
            if (!row->is_of_expression)
                this->row(*row, depth);
    }

    static std::string specialisations_text(const ModelReport::Row& row) {
        if (row.specialisations < 2)
            return "";
        return fmt::format(" (in {} of {} specialisations)",
                           row.in == row.specialisations ? "each" : std::to_string(row.in),
                           row.specialisations);
    }

    void row(const ModelReport::Row& row, int depth) {
        if (row.repeats)
            return;
        const bool placed = !row.place.file.empty();
        const Place place =
            placed ? row.place : names_.place(row.context).value_or(Place{report_.file});
        line(place, depth,
             fmt::format(
                 "stored for the backward pass of {}: {}{}, {} B{}{}", names_.function(row.context),
                 row.expression.empty() ? "" : fmt::format("'{}', ", in_one_line(row.expression)),
                 names_.type(row.type), row.bytes, specialisations_text(row),
                 placed ? "" : "; slangc does not say for which part of it"));
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

    // ---- What is not in the model

    Index enclosing(const ConditionalBranch& branch) const {
        return model_.function_at(branch.file, branch.directive.begin);
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
        for (const GlobalVariable& global : model_.globals)
            line(global.site, 0,
                 fmt::format("global {} : {}{}  ({})", global.name, global.type,
                             global.initializer ? " = " + in_one_line(*global.initializer) : "",
                             kind_text(global.kind)));
    }

    void outside_functions() {
        for (const MacroUse& use : report_.macro_uses)
            if (use.function == none)
                macro_use(use, 0);
        for (const ModelReport::Inactive& inactive : report_.inactive)
            if (enclosing(inactive.branch) == none)
                branch(inactive, 0);
        for (const ConditionalBranch& undecided : model_.undecided) {
            const Site directive{undecided.file, undecided.directive};
            line(directive, 0,
                 fmt::format("{} cannot be evaluated: its branches are all in the model",
                             model_.text(directive)));
        }
        for (const ModelReport::Row& row : report_.rows)
            if (!row.answered && !row.is_of_expression)
                this->row(row, 0);
    }

    const ModelReport& report_;
    const ModuleModel& model_;
    const TextOptions& options_;
    const SlangNames names_;
    PlacedLines lines_;
    std::string text_;
};

} // namespace

std::string model_text(const ModelReport& report, const TextOptions& options) {
    return ModelWriter(report, options).write();
}

} // namespace slimgrad
