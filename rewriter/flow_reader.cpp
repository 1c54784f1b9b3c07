#include "rewriter/flow_reader.h"

#include "rewriter/line_splices.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace slimgrad {

namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

FlowModel::FlowModel(const ModuleModel& module, GlobalWriter writer)
    : model(module), may_write(std::move(writer)), own(module), locals(module.functions.size()),
      calls(module.functions.size()), loops(module.functions.size()), static_members(module) {
    const auto sort = [](const auto& items, std::vector<std::vector<Index>>& by_function) {
        for (Index i = 0; i < items.size(); ++i) {
            if (items[i].function != none)
                by_function[items[i].function].push_back(i);
        }
    };
    sort(module.locals, locals);
    sort(module.calls, calls);
    sort(module.loops, loops);
}

FlowReader::FlowReader(const FlowModel& shared, Index function, FunctionFlow& flow)
    : model_(shared.model), own_(shared.own), may_write_(shared.may_write),
      static_members_(shared.static_members), function_(function), flow_(flow),
      file_(model_.functions[function].site.file), types_(model_, function),
      body_(body_is_differentiated(model_, own_, function)) {
    const auto key = [](const Site& site) { return std::pair(site.range.begin, site.range.end); };
    for (Index i : shared.locals[function])
        local_at_.emplace(key(model_.locals[i].site), i);
    for (Index i : shared.calls[function])
        call_at_.emplace(key(model_.calls[i].site), &model_.calls[i]);
    for (Index i : shared.loops[function])
        loop_at_.emplace(model_.loops[i].keyword, i);
}

void FlowReader::read() {
    block_ = new_block();
    add_parameters();
    const Function& function = model_.functions[function_];
    if (!function.body)
        return;
    const SyntaxNode body = model_.trees[file_].root().named_at(*function.body);
    if (!body.is("block") || body.range() != *function.body)
        return set_incomplete("its body cannot be read");
    if (model_.is_broken({file_, *function.body}))
        set_incomplete(model_.has_included_text({file_, *function.body})
                           ? "text is included into it"
                           : "it has a syntax error");
    for (const UnreadMacro& macro : model_.unread_macros) {
        if (macro.function == function_)
            set_incomplete(fmt::format("what the macro {} does is not known", macro.name));
    }
    statement(body);
    define_in_calls();
}

/// What called functions may write: globals, and fields of the same object.
void FlowReader::define_in_calls() {
    graph_.replace_calls([&](Index call) {
        std::vector<Index> definitions;
        const CalledThere& there = calls_[call];
        const bool is_call = there.writes_globals; // else a field or the object is assigned to
        for (const auto& [name, index] : outside_) {
            const Variable& variable = flow_.variables[index];
            const bool of_object = (variable.kind == VariableKind::field && there.writes_fields) ||
                                   (variable.kind == VariableKind::object && there.writes_object);
            const GlobalKind kind = variable.kind == VariableKind::global
                                        ? model_.globals[variable.index].kind
                                        : GlobalKind::constant;
            const bool of_memory = kind == GlobalKind::groupshared ||
                                   kind == GlobalKind::mutable_static ||
                                   kind == GlobalKind::writable_buffer;
            const bool is_written =
                of_memory && there.writes_globals &&
                (!there.call || !may_write_ || may_write_(*there.call, variable.index));
            if (!of_object && !is_written)
                continue;
            definitions.push_back(Index(flow_.definitions.size()));
            flow_.definitions.push_back(
                {index, is_call ? DefinitionKind::call : DefinitionKind::assignment, there.site,
                 there.loop, true});
        }
        return definitions;
    });
}

// ---- Variables

void FlowReader::add_parameters() {
    const Function& function = model_.functions[function_];
    for (Index i = 0; i < function.parameters.size(); ++i) {
        const Parameter& parameter = function.parameters[i];
        const Index index =
            declare({parameter.name, VariableKind::parameter, i, parameter.type, parameter.site});
        if (!has(parameter.modifiers, "out"))
            define(index, DefinitionKind::entry, {file_, {}}, false);
    }
}

Index FlowReader::declare(Variable variable) {
    const Index index = Index(flow_.variables.size());
    names_.emplace_back(variable.name, index);
    flow_.variables.push_back(std::move(variable));
    return index;
}

/// A local variable, or a name that a lambda or a catch clause declares. Code that is read again
/// declares what it did the first time.
Index FlowReader::declare_local(SyntaxNode name, std::string_view type) {
    for (Index i = 0; i < flow_.variables.size(); ++i) {
        if (flow_.variables[i].kind == VariableKind::local &&
            flow_.variables[i].site == site(name) && flow_.variables[i].name == text(name)) {
            names_.emplace_back(flow_.variables[i].name, i);
            return i;
        }
    }
    Variable variable{std::string(text(name)), VariableKind::local, none, std::string(type),
                      site(name)};
    const auto [first, last] =
        local_at_.equal_range({variable.site.range.begin, variable.site.range.end});
    for (auto known = first; known != last; ++known) {
        const LocalVariable& local = model_.locals[known->second];
        if (local.name != variable.name)
            continue;
        variable.index = known->second;
        if (local.type != "var" && local.type != "let")
            variable.type = local.type; // macros in it are replaced
    }
    return declare(std::move(variable));
}

Index FlowReader::find(std::string_view name) {
    const auto inner = std::find_if(names_.rbegin(), names_.rend(),
                                    [&](const auto& entry) { return entry.first == name; });
    return inner != names_.rend() ? inner->second : find_outside(name);
}

Index FlowReader::find_outside(std::string_view name) {
    const auto outer = std::find_if(outside_.begin(), outside_.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return outer != outside_.end() ? outer->second : from_outside(name);
}

/// What the body does not declare. It has its value from before the first statement.
Index FlowReader::from_outside(std::string_view name) {
    const Function& function = model_.functions[function_];
    Variable variable{std::string(name), VariableKind::other, none, "", {file_, {}}};
    const GenericParameter* generic = nullptr;
    for (const auto* generics : {&function.outer_generics, &function.generics}) {
        for (const GenericParameter& one : *generics)
            generic = one.is_value && one.name == name ? &one : generic;
    }
    const bool hidden = function.hidden_names.contains(name);
    const GlobalVariable* global = model_.find_global(name, function_);
    DerivativeAnswer ignored;
    if (name == "this") {
        variable.kind = VariableKind::object;
        variable.type = function.parent_type;
    } else if (generic) {
        variable.type = generic->constraint;
        variable.site = generic->site;
    } else if (!hidden && is_field(name)) {
        variable.kind = VariableKind::field;
        variable.type = types_.member(function.parent_type, name, ignored);
    } else if (global) {
        variable.kind = VariableKind::global;
        variable.index = Index(global - model_.globals.data());
        variable.type = global->type;
        variable.site = global->site;
    }
    return add_outside(std::string(name), std::move(variable));
}

/// A static member variable of a type.
Index FlowReader::find_static(Index global) {
    const std::string& name = model_.globals[global].name;
    const auto known = std::find_if(outside_.begin(), outside_.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return known != outside_.end()
               ? known->second
               : add_outside(name, {name, VariableKind::global, global, model_.globals[global].type,
                                    model_.globals[global].site});
}

Index FlowReader::add_outside(std::string name, Variable variable) {
    const Index index = Index(flow_.variables.size());
    flow_.variables.push_back(std::move(variable));
    outside_.emplace_back(std::move(name), index);
    const Index definition = Index(flow_.definitions.size());
    flow_.definitions.push_back({index, DefinitionKind::entry, {file_, {}}, none, false});
    graph_.add_definition(0, definition);
    return index;
}

bool FlowReader::is_field(std::string_view name) const {
    const Function& function = model_.functions[function_];
    if (function.parent_type.empty() || has(function.modifiers, "static"))
        return false;
    DerivativeAnswer ignored;
    return !types_.member(function.parent_type, name, ignored).empty();
}

// ---- Blocks, definitions and uses

void FlowReader::continue_in(BlockId block) {
    graph_.add_edge(block_, block);
    block_ = block;
}

/// What follows in the text cannot be reached from here.
void FlowReader::leave_to(BlockId block) {
    graph_.add_edge(block_, block);
    block_ = new_block();
}

Index FlowReader::define(Index variable, DefinitionKind kind, Site place, bool partial) {
    const auto [entry, is_new] = definition_at_.try_emplace(
        {place.range.begin, place.range.end, variable, kind}, Index(flow_.definitions.size()));
    if (is_new)
        flow_.definitions.push_back({variable, kind, place, loop_, partial});
    graph_.add_definition(block_, entry->second);
    // An error may be thrown between two definitions.
    if (in_try_ > 0)
        continue_in(new_block());
    return entry->second;
}

void FlowReader::use(Index variable, Site place, DerivativeAnswer answer) {
    const auto [entry, is_new] = use_at_.try_emplace(
        {{place.range.begin, place.range.end}, variable}, Index(flow_.uses.size()));
    if (is_new) {
        answer = both(body_, answer);
        flow_.uses.push_back({variable, place, loop_, answer.use, std::move(answer.reason), {}});
    }
    graph_.add_use(block_, entry->second);
}

void FlowReader::set_incomplete(std::string reason) {
    if (flow_.incomplete.empty())
        flow_.incomplete = std::move(reason);
}

std::string_view FlowReader::text(SyntaxNode node) const {
    if (!node)
        return {};
    const std::string_view written =
        expanded_ ? expanded_->text(node.range()) : model_.text(site(node));
    if (written.find('\\') == std::string_view::npos)
        return written;
    return spliced_.emplace_back(without_splices(written));
}

const Call* FlowReader::call_of(SyntaxNode node) const {
    // What a macro holds of its own shares a place: only calls are told apart from the rest.
    if (expanded_ && !expanded_->is_in_arguments(node.range()) && !node.is("call_expression"))
        return nullptr;
    const ByteRange range = site(node).range;
    const auto found = call_at_.find({range.begin, range.end});
    return found == call_at_.end() ? nullptr : found->second;
}

} // namespace slimgrad
