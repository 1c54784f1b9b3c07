#include "rewriter/module_model.h"

#include "rewriter/call_resolution.h"
#include "rewriter/core_writes.h"
#include "rewriter/file_reader.h"
#include "rewriter/hidden_names.h"
#include "rewriter/included_text.h"
#include "rewriter/macro_declarations.h"
#include "rewriter/macro_expansion.h"
#include "rewriter/macro_marks.h"
#include "rewriter/macro_text.h"
#include "rewriter/syntax_node.h"
#include "rewriter/unread_macros.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace slimgrad {

namespace {

template <class Items, class Matches> Index find_index(const Items& items, Matches matches) {
    const auto found = std::find_if(items.begin(), items.end(), matches);
    return found == items.end() ? none : Index(found - items.begin());
}

template <class Items> auto* find_named(const Items& items, std::string_view name) {
    const auto found = std::find_if(items.begin(), items.end(),
                                    [&](const auto& item) { return item.name == name; });
    return found == items.end() ? nullptr : &*found;
}

/// Where a body is not closed, the tree that goes on behind it, if that has fewer errors.
SyntaxTree parse_closed(const std::string& text, std::vector<UnclosedBrace>& unclosed) {
    SyntaxTree tree = SyntaxTree::parse(text);
    auto closed = tree.errors().empty() ? std::nullopt : close_bodies(text);
    if (!closed)
        return tree;
    SyntaxTree other = SyntaxTree::parse(closed->text);
    if (other.errors().size() >= tree.errors().size())
        return tree;
    std::vector<ByteRange> bodies;
    for (const UnclosedBrace& brace : closed->unclosed)
        bodies.push_back(brace.body);
    other.add_errors(bodies);
    unclosed = std::move(closed->unclosed);
    return other;
}

/// An insertion (empty range) at the edge of the other range is outside it.
bool overlaps(ByteRange a, ByteRange b) {
    return a.begin < b.end && b.begin < a.end;
}

bool has_modifier(const Parameter& parameter, std::string_view modifier) {
    return std::find(parameter.modifiers.begin(), parameter.modifiers.end(), modifier) !=
           parameter.modifiers.end();
}

bool is_written(const Parameter& parameter) {
    return has_modifier(parameter, "out") || has_modifier(parameter, "inout") ||
           has_modifier(parameter, "__ref") || has_modifier(parameter, "ref");
}

/// Whether a backward derivative takes this parameter as an inout pair. Types with unknown names
/// may have derivatives.
bool has_derivative(const Parameter& parameter) {
    constexpr std::array<std::string_view, 3> without{"int", "uint", "bool"};
    return !has_modifier(parameter, "no_diff") &&
           std::none_of(without.begin(), without.end(), [&](std::string_view type) {
               const std::string_view text = parameter.type;
               return text.starts_with(type) &&
                      text.find_first_not_of("0123456789x_t", type.size()) ==
                          std::string_view::npos;
           });
}

/// An object of one of the module's types: no DifferentialPair, so that a backward derivative only
/// reads it.
bool is_plain_object(const ModuleModel& model, Site argument) {
    const std::string_view type = model.type_of(argument);
    const std::string_view name = type.substr(0, type.find('<'));
    const TypeDeclaration* declared = type.ends_with(']') ? nullptr : model.find_type(name);
    return declared && !declared->is_interface &&
           (name == type || type.find('>') == type.size() - 1);
}

} // namespace

bool Function::has_attribute(std::string_view attribute) const {
    return find_attribute(attribute) != nullptr;
}

const Attribute* Function::find_attribute(std::string_view attribute) const {
    return find_named(attributes, attribute);
}

bool Function::is_differentiable() const {
    constexpr std::array<std::string_view, 6> names{
        "Differentiable",     "BackwardDifferentiable", "ForwardDifferentiable",
        "BackwardDerivative", "ForwardDerivative",      "TreatAsDifferentiable"};
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view attribute) { return has_attribute(attribute); });
}

std::string_view ModuleModel::text(Site site) const {
    return files[site.file].slice(site.range);
}

Place ModuleModel::place(Site site) const {
    return place(site.file, site.range.begin);
}

Place ModuleModel::place(std::uint32_t file, std::uint32_t offset) const {
    return files[file].place(offset);
}

Index ModuleModel::find_file(std::string_view path) const {
    return find_index(files, [&](const SourceFile& file) { return file.path() == path; });
}

std::vector<Index> ModuleModel::find_functions(std::string_view name) const {
    return names.functions.find(functions, name);
}

const GlobalVariable* ModuleModel::find_global(std::string_view name) const {
    const auto& found = names.globals.find(globals, name);
    return found.empty() ? nullptr : &globals[found.front()];
}

const GlobalVariable* ModuleModel::find_global(std::string_view name, Index function) const {
    const bool hidden = function != none && functions[function].hidden_names.contains(name);
    return hidden ? nullptr : find_global(name);
}

const TypeDeclaration* ModuleModel::find_type(std::string_view name) const {
    const auto& found = names.types.find(types, name);
    return found.empty() ? nullptr : &types[found.front()];
}

const MacroDefinition* ModuleModel::find_macro(std::string_view name) const {
    const auto& found = names.macros.find(macros, name);
    return found.empty() ? nullptr : &macros[found.back()]; // the last definition holds
}

const MacroDefinition* ModuleModel::find_only_macro(std::string_view name) const {
    const MacroDefinition* last = find_macro(name);
    const auto& all = names.macros.find(macros, name);
    const bool is_only = std::all_of(all.begin(), all.end(), [&](Index i) {
        return macros[i].body == last->body && macros[i].function_like == last->function_like;
    });
    return is_only ? last : nullptr;
}

bool ModuleModel::is_function_like_macro(std::string_view name) const {
    const MacroDefinition* macro = find_macro(name);
    return macro && macro->function_like;
}

const ExpandedUse* ModuleModel::expanded_use(Site use) const {
    const auto found = std::lower_bound(expanded_uses.begin(), expanded_uses.end(), use,
                                        [](const ExpandedUse& before, const Site& site) {
                                            return std::pair(before.file(), before.use().begin) <
                                                   std::pair(site.file, site.range.begin);
                                        });
    return found != expanded_uses.end() && found->file() == use.file && found->use() == use.range
               ? &*found
               : nullptr;
}

bool ModuleModel::may_write_argument(const Call& call, std::uint32_t argument) const {
    if (is_function_like_macro(call.callee))
        return !is_arithmetic(*this, call.callee, call.arguments.size()) &&
               !only_reads(*this, call.callee, call.arguments.size(), argument);
    const bool backward = call.kind == CallKind::backward_derivative;
    const auto candidates = callees(call);
    if (candidates.empty())
        return backward || core_may_write_argument(*this, call, argument);
    return std::any_of(candidates.begin(), candidates.end(), [&](Index candidate) {
        const auto& parameters = functions[candidate].parameters;
        // Past the parameters of a backward derivative comes the result's derivative, which is
        // read.
        return argument < parameters.size() &&
               (is_written(parameters[argument]) ||
                (backward && has_derivative(parameters[argument]) &&
                 !is_plain_object(*this, call.arguments[argument])));
    });
}

std::vector<Index> ModuleModel::callees(const Call& call) const {
    std::vector<Index> result = call.candidates;
    if (call.target != none && std::find(result.begin(), result.end(), call.target) == result.end())
        result.insert(result.begin(), call.target);
    return result;
}

std::string_view ModuleModel::type_of(Site expression) const {
    const auto key = [](const Site& site) { return std::pair(site.file, site.range); };
    const auto found = std::lower_bound(
        expression_types.begin(), expression_types.end(), expression,
        [&](const ExpressionType& known, const Site& site) { return key(known.site) < key(site); });
    return found != expression_types.end() && found->site == expression
               ? std::string_view(type_names[found->type])
               : std::string_view();
}

Index ModuleModel::function_at(std::uint32_t file, std::uint32_t offset) const {
    Index innermost = none;
    for (Index i = 0; i < functions.size(); ++i) {
        const Site& site = functions[i].site;
        if (site.file == file && site.range.contains(offset) &&
            (innermost == none || functions[innermost].site.range.contains(site.range)))
            innermost = i;
    }
    return innermost;
}

Index ModuleModel::call_at(std::uint32_t file, std::uint32_t open_parenthesis) const {
    return find_index(calls, [&](const Call& call) {
        return call.site.file == file && call.open_parenthesis == open_parenthesis;
    });
}

Index ModuleModel::loop_at(std::uint32_t file, std::uint32_t keyword) const {
    return find_index(
        loops, [&](const Loop& loop) { return loop.site.file == file && loop.keyword == keyword; });
}

Index ModuleModel::access_at(std::uint32_t file, std::uint32_t open_bracket) const {
    return find_index(accesses, [&](const Access& access) {
        return access.site.file == file && access.subscript &&
               access.subscript->range.begin == open_bracket;
    });
}

bool ModuleModel::is_broken(Site site) const {
    const auto touches = [&](const Site& other) {
        return other.file == site.file && overlaps(other.range, site.range);
    };
    return trees[site.file].is_broken(site.range) ||
           std::any_of(unread.begin(), unread.end(), touches) || has_included_text(site) ||
           std::any_of(contradictions.begin(), contradictions.end(),
                       [&](const Contradiction& contradiction) {
                           return touches(functions[contradiction.function].site);
                       });
}

bool ModuleModel::has_included_text(Site site) const {
    return std::any_of(included.begin(), included.end(), [&](const Site& directive) {
        return directive.file == site.file && overlaps(directive.range, site.range);
    });
}

bool ModuleModel::is_macro(Site site) const {
    const auto& uses = macro_uses[site.file];
    // They are in order: the first one that ends behind the range's begin decides.
    const auto use = std::partition_point(
        uses.begin(), uses.end(), [&](ByteRange before) { return before.end <= site.range.begin; });
    return (use != uses.end() && overlaps(*use, site.range)) ||
           std::any_of(macros.begin(), macros.end(), [&](const MacroDefinition& macro) {
               return macro.file == site.file && overlaps(macro.range, site.range);
           });
}

ModuleModel build_module_model(std::vector<SourceFile> files,
                               const std::vector<std::string>& defines) {
    ModuleModel model;
    ActiveText active = preprocess(files, defines);
    model.files = std::move(files);
    model.macros = std::move(active.macros);
    model.inactive = std::move(active.inactive);
    model.not_taken = std::move(active.not_taken);
    model.undecided = std::move(active.undecided);
    std::vector<std::vector<MacroDeclarations>> macro_declarations;
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        const std::string& text = active.texts[file];
        auto heads = find_statement_heads(model, file, text);
        std::string marked = text;
        join_attributes(marked, model);
        mark_statement_heads(marked, heads);
        mark_joined_names(marked, model);
        mark_braces(marked, model);
        mark_whole_statements(marked, model);
        macro_declarations.push_back(find_macro_declarations(model, text));
        mark_macro_declarations(marked, macro_declarations.back());
        model.unclosed.emplace_back();
        model.trees.push_back(parse_closed(marked, model.unclosed.back()));
        model.macro_uses.push_back(find_macro_uses(text, model.macros));
        std::move(heads.begin(), heads.end(), std::back_inserter(model.expanded_uses));
    }
    set_included_text_aside(model, active.inclusions, active.texts);
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        FileReader reader{model, file, active.texts[file]};
        read_declarations(reader, model.trees[file].root(), macro_declarations[file]);
    }
    find_hidden_names(model);
    find_unread_macros(model, active.texts);
    resolve_calls(model, active.texts);
    mark_writes(model);
    // From now on several threads may ask at once.
    model.find_functions("");
    model.find_global("");
    model.find_type("");
    model.find_macro("");
    return model;
}

} // namespace slimgrad
