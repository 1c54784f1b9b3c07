#include "attributes/memory_roots.h"

#include "attributes/entry_point.h"
#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/memory_types.h"
#include "attributes/memory_values.h"

#include <algorithm>
#include <string>
#include <utility>

namespace slimgrad {

namespace {

constexpr int deepest = 12; ///< names followed one after the other

/// `[min(k, 1)][2].x` and nothing behind it.
bool is_element(std::string_view text) {
    text = trimmed(text);
    while (!text.empty()) {
        std::size_t end = 0;
        if (text[0] == '.') {
            end = first_name(text.substr(1)).size() + 1;
        } else if (text[0] == '[') {
            int depth = 0;
            do {
                depth += (text[end] == '[') - (text[end] == ']');
                ++end;
            } while (depth > 0 && end < text.size());
            if (depth > 0)
                return false;
        }
        if (end < 2)
            return false;
        text.remove_prefix(end);
    }
    return true;
}

/// The local variable's type where it is used, typedefs replaced; as it is declared where that is
/// not known.
std::string type_in_use(const ModuleModel& model, const LocalVariable& local) {
    for (const Access& access : model.accesses) {
        if (access.local == none || &model.locals[access.local] != &local)
            continue;
        const std::uint32_t begin = access.site.range.begin;
        const Site name{access.site.file, {begin, begin + std::uint32_t(local.name.size())}};
        if (const std::string_view type = model.type_of(name); !type.empty())
            return std::string(type);
    }
    return local.type;
}

/// Whether the variable is written after its declaration. A backward derivative writes pairs only,
/// and what `out` and `inout` parameters get.
bool is_written(const ModuleModel& model, const LocalVariable& local) {
    const auto only_read = [&](const Access& access) {
        if (access.argument_of == none || local.type.starts_with("DifferentialPair"))
            return false;
        const Call& call = model.calls[access.argument_of];
        const auto candidates = model.find_functions(call.callee);
        return call.kind == CallKind::backward_derivative && !candidates.empty() &&
               std::all_of(candidates.begin(), candidates.end(), [&](Index candidate) {
                   const auto& parameters = model.functions[candidate].parameters;
                   return std::all_of(parameters.begin(), parameters.end(), [](const Parameter& p) {
                       return std::find(p.modifiers.begin(), p.modifiers.end(), "out") ==
                                  p.modifiers.end() &&
                              std::find(p.modifiers.begin(), p.modifiers.end(), "inout") ==
                                  p.modifiers.end();
                   });
               });
    };
    return std::any_of(model.accesses.begin(), model.accesses.end(), [&](const Access& access) {
        return access.local != none && &model.locals[access.local] == &local &&
               access.kind != AccessKind::read && !only_read(access);
    });
}

/// What `{ a, b }` gives the first of the members, for a structure of the module.
std::optional<std::string> member_value(const ModuleModel& model, const std::string& type,
                                        std::string_view value,
                                        const std::vector<std::string>& members) {
    const TypeDeclaration* declared = model.find_type(type);
    if (!declared || members.empty() || !declared->bases.empty() || !value.starts_with('{') ||
        !value.ends_with('}'))
        return std::nullopt;
    const std::string list = "list(" + compact(value.substr(1, value.size() - 2)) + ")";
    const auto values = call_arguments(list, "list");
    for (std::size_t i = 0; values && i < declared->fields.size() && i < values->size(); ++i)
        if (declared->fields[i].name == members.front())
            return (*values)[i];
    return std::nullopt;
}

} // namespace

MemoryTracer::MemoryTracer(const ModuleModel& model)
    : model_(model), derivatives_(model), calls_(model.functions.size()),
      passed_on_(model.functions.size(), false), meanings_(model.functions.size()),
      static_members_(model) {
    for (Index i = 0; i < model.functions.size(); ++i)
        functions_[model.functions[i].name].push_back(i);
    for (Index i = 0; i < model.calls.size(); ++i) {
        for (Index callee : model.callees(model.calls[i]))
            calls_[callee].push_back(i);
    }
    for (const Access& access : model.accesses) {
        if (access.function != none)
            meanings_[access.function][access.name].insert(access.local);
        if (names_variable(access))
            continue;
        for (Index function : named(access.name))
            passed_on_[function] = true;
    }
}

bool MemoryTracer::names_variable(const Access& access) const {
    std::uint32_t index = 0;
    return access.local != none || model_.find_global(access.name) ||
           (access.function != none &&
            (find_parameter(model_, access.function, access.name, index) ||
             is_field(access.function, access.name)));
}

const std::vector<Index>& MemoryTracer::named(const std::string& name) const {
    static const std::vector<Index> nobody;
    const auto found = functions_.find(name);
    return found == functions_.end() ? nobody : found->second;
}

std::optional<MemoryTracer::Path> MemoryTracer::as_path(std::string_view expression) {
    expression = trimmed(expression);
    Path path;
    path.name = first_name(expression);
    if (path.name.empty())
        return std::nullopt;
    std::size_t at = path.name.size();
    while (at < expression.size()) {
        if (expression[at] != '.')
            return std::nullopt;
        const std::string member = first_name(expression.substr(at + 1));
        if (member.empty())
            return std::nullopt;
        at += 1 + member.size();
        path.members.push_back(member);
    }
    return path;
}

std::string MemoryTracer::Path::text() const {
    std::string result = name;
    for (const std::string& member : members)
        result += "." + member;
    return result;
}

Roots MemoryTracer::trace(Index function, const std::string& name,
                          const std::vector<std::string>& members,
                          std::optional<Index> local) const {
    Search result;
    trace(function, {name, members}, local, 0, result);
    return finished(std::move(result));
}

Roots MemoryTracer::trace_expression(Index function, std::string_view expression) const {
    Search result;
    trace_argument(function, expression, {}, 0, result);
    return finished(std::move(result));
}

Roots MemoryTracer::finished(Search search) {
    if (search.roots.empty() && search.unknown.empty() && !search.parameter.empty())
        search.unknown.insert(search.parameter);
    return search;
}

bool MemoryTracer::Search::is_new(Index function, const Path& path, std::optional<Index> local) {
    return traced
        .insert(std::to_string(function) + " " + (local ? std::to_string(*local) : "") + " " +
                path.text())
        .second;
}

/// Through the local variables that a name in a text may mean. Whether it means nothing else.
bool MemoryTracer::trace_locals(Index function, const Path& path, int depth, Search& result) const {
    const auto meant = meanings_[function].find(path.name);
    bool only = false;
    for (Index i = 0; i < model_.locals.size(); ++i) {
        const LocalVariable& variable = model_.locals[i];
        if (variable.function != function || variable.name != path.name)
            continue;
        if (meant == meanings_[function].end() || meant->second.contains(i))
            trace_local(function, path, variable, depth, result);
        only = meant == meanings_[function].end() || !meant->second.contains(none);
    }
    return only;
}

void MemoryTracer::trace(Index function, const Path& path, std::optional<Index> local, int depth,
                         Search& result) const {
    if (depth > deepest) {
        result.unknown.insert(path.name);
        return;
    }
    if (!result.is_new(function, path, local))
        return;
    const Function& f = model_.functions[function];
    const auto member = static_member(function, path.name, path.members, local.value_or(none));
    if (member)
        trace_static(path, *member, result);
    if (member && member->is_certain)
        return;
    if (path.name == "this") {
        trace_this(function, path, depth, result);
        return;
    }
    if (local && *local != none) {
        trace_local(function, path, model_.locals[*local], depth, result);
        return;
    }
    if (!local && trace_locals(function, path, depth, result))
        return;
    bool found = false;
    for (std::uint32_t i = 0; i < f.parameters.size(); ++i) {
        if (f.parameters[i].name == path.name) {
            trace_parameter(function, path, i, depth, result);
            found = true;
        }
    }
    if (found)
        return;
    if (is_field(function, path.name)) {
        Path through_this{"this", {path.name}};
        through_this.members.insert(through_this.members.end(), path.members.begin(),
                                    path.members.end());
        trace_this(function, through_this, depth, result);
        return;
    }
    if (f.hidden_names.contains(path.name)) {
        result.unknown.insert(path.name);
        return;
    }
    bool is_global = false;
    for (const GlobalVariable& global : model_.globals) { // of all namespaces
        if (global.name == path.name) {
            trace_global(path, global, result);
            is_global = true;
        }
    }
    if (is_global)
        return;
    if (const MacroDefinition* macro = model_.find_macro(path.name)) {
        if (const auto meaning = as_path(macro->body); meaning && !macro->function_like) {
            Path expanded = *meaning;
            expanded.members.insert(expanded.members.end(), path.members.begin(),
                                    path.members.end());
            trace(function, expanded, {}, depth + 1, result);
        } else if (!macro->function_like && !macro->body.empty() &&
                   macro->body.find_first_not_of("0123456789.fuUxX+-*/() ") != std::string::npos) {
            result.unknown.insert(path.name);
        }
        return;
    }
    // Something of a namespace or of a type that is declared elsewhere.
    if (!member)
        result.unknown.insert(path.name);
}

void MemoryTracer::trace_local(Index function, const Path& path, const LocalVariable& local,
                               int depth, Search& result) const {
    const bool inferred = is_inferred_type(local.type);
    if (local.is_static) {
        result.roots.insert({true, model_.functions[local.function].name + "." + path.name});
        return;
    }
    const auto is_value = [&](const std::string& type) {
        return !is_memory_type(model_, member_type(model_, type, path.members));
    };
    if (!inferred && (is_value(local.type) || is_value(type_in_use(model_, local))))
        return;
    const bool reassigned = local.reassigned && (inferred || is_written(model_, local));
    if (!local.initializer || (reassigned && !inferred)) {
        result.unknown.insert(path.name);
        return;
    }
    const std::string_view value = trimmed(model_.text(*local.initializer));
    if (const auto member = member_value(model_, local.type, value, path.members)) {
        Path rest;
        rest.members.assign(path.members.begin() + 1, path.members.end());
        trace_argument(function, *member, rest, depth + 1, result);
        return;
    }
    const auto initial = as_path(value);
    if (initial && initial->name != path.name) {
        Path alias = *initial;
        alias.members.insert(alias.members.end(), path.members.begin(), path.members.end());
        if (!reassigned)
            return trace(function, alias, {}, depth + 1, result);
        Search behind;
        trace(function, alias, {}, depth + 1, behind);
        if (!behind.roots.empty() || !behind.unknown.empty())
            behind.unknown.insert(path.name);
        result.roots.merge(behind.roots);
        result.unknown.merge(behind.unknown);
        return;
    }
    if (!inferred) {
        result.unknown.insert(path.name);
        return;
    }
    const std::string_view type = model_.type_of(*local.initializer);
    if (type.empty() ? is_memory_value(model_, function, value) : is_memory_type(model_, type))
        result.unknown.insert(path.name);
}

void MemoryTracer::trace_parameter(Index function, const Path& path, std::uint32_t index, int depth,
                                   Search& result) const {
    const Function& f = model_.functions[function];
    const Parameter& parameter = f.parameters[index];
    if (!is_memory_type(model_, member_type(model_, parameter.type, path.members)))
        return;
    result.parameter = parameter.name;
    if (depth > deepest) { // a derivative may be its own primal
        result.unknown.insert(parameter.name);
        return;
    }
    if (is_entry_point(f))
        result.roots.insert({false, Path{f.name + "." + parameter.name, path.members}.text()});
    bool called = is_entry_point(f);
    if (passed_on_[function])
        result.unknown.insert(parameter.name);
    for (Index i : calls_[function]) {
        const Call& call = model_.calls[i];
        called = true;
        const bool shifted =
            call.kind != CallKind::plain &&
            std::any_of(f.parameters.begin(), f.parameters.end(), [](const Parameter& p) {
                return std::find(p.modifiers.begin(), p.modifiers.end(), "out") !=
                       p.modifiers.end();
            });
        if (shifted) // a derivative takes no argument for an `out` parameter
            result.unknown.insert(parameter.name);
        else if (index < call.arguments.size() && call.function != none)
            trace_argument(call.function, model_.text(call.arguments[index]), {"", path.members},
                           depth + 1, result);
        else // its default, or what a setter is given
            result.unknown.insert(parameter.name);
    }
    // A custom derivative is called by the generated code, with what its primal is called with.
    for (Index primal : derivatives_.primals(function)) {
        const auto& parameters = model_.functions[primal].parameters;
        std::uint32_t match = 0;
        while (match < parameters.size() && parameters[match].name != parameter.name)
            ++match;
        if (match == parameters.size())
            match = index;
        called = true;
        if (match < parameters.size())
            trace_parameter(primal, {parameters[match].name, path.members}, match, depth + 1,
                            result);
        else
            result.unknown.insert(parameter.name);
    }
    if (!called)
        result.unknown.insert(parameter.name);
}

void MemoryTracer::trace_this(Index function, const Path& path, int depth, Search& result) const {
    const Function& f = model_.functions[function];
    const TypeDeclaration* type = model_.find_type(first_name(f.parent_type));
    if (type && !is_memory_type(model_, member_type(model_, type->name, path.members)))
        return;
    if (depth > deepest || calls_[function].empty() || passed_on_[function]) {
        result.unknown.insert(Path{"this", path.members}.text());
        return;
    }
    for (Index i : calls_[function]) {
        const Call& call = model_.calls[i];
        // An operator's object is one of its operands, of which the text does not say which.
        if (call.function == none || (call.form != CallForm::call && call.receiver.empty()))
            result.unknown.insert(Path{"this", path.members}.text());
        else if (call.receiver.empty())
            trace(call.function, {"this", path.members}, {}, depth + 1, result);
        else
            trace_argument(call.function, call.receiver, {"", path.members}, depth + 1, result);
    }
}

void MemoryTracer::trace_argument(Index function, std::string_view expression, const Path& suffix,
                                  int depth, Search& result) const {
    auto path = as_path(expression);
    if (!path) {
        // An element of an array of buffers still is that array; anything else cannot be followed.
        const std::string name = first_name(expression);
        const auto bracket = expression.find('[');
        if (!name.empty() && bracket == name.size() &&
            (is_element(expression.substr(bracket)) ||
             (expression.find('(') == std::string_view::npos &&
              expression.find('?') == std::string_view::npos)))
            path = Path{name, {}};
    }
    if (!path) {
        result.unknown.insert(std::string(trimmed(expression)));
        return;
    }
    path->members.insert(path->members.end(), suffix.members.begin(), suffix.members.end());
    trace(function, *path, {}, depth + 1, result);
}

} // namespace slimgrad
