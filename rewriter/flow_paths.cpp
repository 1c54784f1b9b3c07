#include "rewriter/flow_reader.h"
#include "rewriter/macro_place.h"
#include "rewriter/macro_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>

namespace slimgrad {

namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_number(std::string_view text) {
    bool found = false;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at++];
        if (std::isalpha(static_cast<unsigned char>(c)) || c == '_')
            return false;
        if (std::isdigit(static_cast<unsigned char>(c))) {
            found = true;
            // "8u", "0x1F", "1e"
            while (at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])))
                ++at;
        } else if (std::string_view("+-*/%<>&|^~(). \t").find(c) == std::string_view::npos) {
            return false;
        }
    }
    return found;
}

} // namespace

FlowReader::Path FlowReader::path_of(SyntaxNode node) {
    Path path;
    SyntaxNode base = node;
    for (;;) {
        const bool follows = base.is("unary_expression") && text(base.field("operator")) == "*";
        if (base.is("member_expression") || base.is("subscript_expression") || follows) {
            path.steps.push_back(base);
            base = base.is("member_expression")      ? base.field("object")
                   : base.is("subscript_expression") ? base.field("base")
                                                     : base.field("argument");
        } else if (base.is("parenthesized_expression") && base.children().size() == 1) {
            base = base.children()[0];
        } else {
            break;
        }
    }
    std::reverse(path.steps.begin(), path.steps.end());
    const std::string_view name = text(base);
    if (!static_members_.empty() && base.is("generic_expression")) // `Box<int>.n`
        find_static_member(text(base.field("name")), path);
    else if (!static_members_.empty() && (base.is("identifier") || base.is("scope_expression")))
        find_static_member(name, path);
    if (path.variable != none)
        return path;
    if (base.is("identifier") && name == "this" && !path.steps.empty() &&
        path.steps[0].is("member_expression") && is_field(text(path.steps[0].field("member")))) {
        path.variable = find_outside(text(path.steps[0].field("member")));
        path.steps.erase(path.steps.begin());
    } else if (base.is("identifier") && (is_variable(name) || !model_.find_macro(name))) {
        path.variable = find(name);
    } else if (base.is("scope_expression")) {
        path.variable = find_outside(name.starts_with("::") ? name.substr(2) : name);
    } else {
        path.base = base;
    }
    return path;
}

/// `hits`, `Tab.hits`, `tab.hits`: takes the members that name it from the path.
void FlowReader::find_static_member(std::string_view name, Path& path) {
    const auto member = static_member(name, path);
    if (!member || !member->is_certain)
        return;
    path.variable = find_static(member->globals[0]);
    path.is_generic = member->is_generic;
    path.steps.erase(path.steps.begin(), path.steps.begin() + std::ptrdiff_t(member->members));
}

std::optional<StaticMember> FlowReader::static_member(std::string_view name,
                                                      const Path& path) const {
    std::vector<std::string> members;
    for (SyntaxNode step : path.steps) {
        if (!step.is("member_expression"))
            break;
        members.emplace_back(text(step.field("member")));
    }
    const auto scope = name.find("::");
    if (scope != std::string_view::npos) { // `Tab::hits`
        std::vector<std::string> parts;
        for (std::size_t at = 0; at != std::string_view::npos;) {
            const auto end = name.find("::", at);
            parts.emplace_back(name.substr(at, end - at));
            at = end == std::string_view::npos ? end : end + 2;
        }
        const std::size_t own = parts.size() - 1;
        parts.insert(parts.end(), members.begin(), members.end());
        auto found = static_members_.find(function_, parts[0], {parts.begin() + 1, parts.end()});
        if (!found || found->members < own)
            return std::nullopt;
        found->members -= own;
        return found;
    }
    const auto inner = std::find_if(names_.rbegin(), names_.rend(),
                                    [&](const auto& entry) { return entry.first == name; });
    const std::string& parent = model_.functions[function_].parent_type;
    if (inner != names_.rend())
        return static_members_.find(flow_.variables[inner->second].type, members);
    if (name == "this")
        return static_members_.find(parent, members);
    if (is_field(name)) {
        members.insert(members.begin(), std::string(name));
        auto found = static_members_.find(parent, members);
        if (found)
            --found->members;
        return found;
    }
    if (const GlobalVariable* global = model_.find_global(name))
        return static_members_.find(global->type, members);
    return static_members_.find(function_, name, members);
}

/// What the base of a path is before its members and subscripts.
FlowReader::PathType FlowReader::type_of_base(const Path& path) const {
    if (path.variable == none)
        return {{}, std::string(model_.type_of(site(path.base)))};
    const Variable& variable = flow_.variables[path.variable];
    const Function& function = model_.functions[function_];
    PathType result{{}, variable.type};
    if (result.type == "var" || result.type == "let")
        result.type.clear();
    switch (variable.kind) {
    case VariableKind::parameter:
        if (has(function.parameters[variable.index].modifiers, "no_diff"))
            result.answer = DerivativeAnswer::does_not("no_diff");
        break;
    case VariableKind::field: {
        if (function.has_attribute("NoDiffThis"))
            result.answer = DerivativeAnswer::does_not("NoDiffThis");
        types_.member(function.parent_type, variable.name, result.answer);
        break;
    }
    case VariableKind::object:
        if (function.has_attribute("NoDiffThis"))
            result.answer = DerivativeAnswer::does_not("NoDiffThis");
        break;
    case VariableKind::global:
        // Slang differentiates no memory but what its own types say.
        if (types_.of(variable.type).use != DerivativeUse::unknown)
            result.answer = DerivativeAnswer::does_not("global");
        break;
    case VariableKind::local:
    case VariableKind::other:
        break;
    }
    return result;
}

FlowReader::PathType FlowReader::type_of(const Path& path, SyntaxNode whole) const {
    PathType result = type_of_base(path);
    for (SyntaxNode step : path.steps)
        result = type_of_step(std::move(result), step);
    if (result.type.empty())
        result.type = std::string(model_.type_of(site(whole)));
    result.answer = both(types_.of(result.type), result.answer);
    return result;
}

/// `of.member`, `of[i]`, `*of`: what `of` answers holds for it, too.
FlowReader::PathType FlowReader::type_of_step(PathType of, SyntaxNode step) const {
    if (types_.is_gradient_tensor(of.type))
        return of_tensor(step, of);
    std::string type;
    if (step.is("member_expression") && !step.token("->"))
        type = types_.member(of.type, text(step.field("member")), of.answer);
    else if (step.is("subscript_expression"))
        type = types_.element(of.type);
    if (type.empty()) {
        // A member of a type that is differentiable need not be.
        type = std::string(model_.type_of(site(step)));
        if (step.is("subscript_expression") && types_.is_memory(of.type))
            of.answer = both(DerivativeAnswer::does_not("memory"), of.answer);
        else if (type.empty())
            of.answer = both(of.answer, DerivativeAnswer::unknown(fmt::format(
                                            "the type of '{}' is not known", text(step))));
        else
            of.answer = both(of.answer, DerivativeAnswer::unknown(fmt::format(
                                            "what '{}' gives access to is not known", text(step))));
    }
    of.type = std::move(type);
    return of;
}

/// `w[i]`, `w.primal` of a DiffTensorView.
FlowReader::PathType FlowReader::of_tensor(SyntaxNode step, const PathType& tensor) const {
    if (step.is("subscript_expression")) {
        DerivativeAnswer answer;
        answer.reason = fmt::format("added to {}'s gradient", text(step.field("base")));
        return {answer, types_.element(tensor.type)};
    }
    if (text(step.field("member")) == "primal")
        return {DerivativeAnswer::does_not("memory"),
                fmt::format("TensorView<{}>", types_.element(tensor.type))};
    return {DerivativeAnswer::unknown(fmt::format("what '{}' is is not known", text(step))),
            std::string(model_.type_of(site(step)))};
}

/// The call of a `get` of the module that gives what a step is, with its indices as arguments.
std::optional<Call> FlowReader::getter_of(SyntaxNode step) const {
    const Call* accessor = call_of(step);
    if (!accessor || accessor->kind != CallKind::plain)
        return std::nullopt;
    const auto callees = model_.callees(*accessor);
    const bool reads =
        !callees.empty() && std::all_of(callees.begin(), callees.end(), [&](Index callee) {
            return model_.functions[callee].name == "get";
        });
    if (!reads)
        return std::nullopt;
    Call getter = *accessor;
    if (getter.form == CallForm::subscript && !getter.arguments.empty())
        getter.arguments.erase(getter.arguments.begin()); // the object
    return getter;
}

/// A path some steps of which are calls of `get`: their object is a receiver, their indices are
/// arguments.
void FlowReader::read_getters(const Path& path, SyntaxNode node, DerivativeAnswer wanted) {
    const PathType base = type_of_base(path);
    std::vector<PathType> steps;
    for (SyntaxNode step : path.steps)
        steps.push_back(type_of_step({{}, steps.empty() ? base.type : steps.back().type}, step));
    // From the value that is read back to the variable, as derivatives go.
    std::map<Index, CallDerivative> getters;
    DerivativeAnswer of_base = both(types_.of(base.type), base.answer);
    for (Index i = Index(steps.size()); i-- > 0;) {
        wanted = both(types_.of(steps[i].type), wanted);
        if (const auto getter = getter_of(path.steps[i])) {
            const auto of_call = derivative_of_call(model_, own_, *getter, wanted);
            wanted = getters.emplace(i, of_call).first->second.receiver.derivative;
        } else {
            wanted = both(steps[i].answer, wanted);
        }
        // A tensor's gradients are in memory, whatever holds it.
        if (types_.is_gradient_tensor(i == 0 ? base.type : steps[i - 1].type)) {
            of_base = {};
            break;
        }
    }
    if (path.variable != none)
        use(path.variable, site(node), both(of_base, wanted));
    else
        expression(path.base, wanted);
    read_indices(path, getters);
}

void FlowReader::read_indices(const Path& path, const std::map<Index, CallDerivative>& getters) {
    Path inner{path.variable, path.base, {}};
    for (SyntaxNode step : path.steps) {
        const auto getter = getters.find(Index(inner.steps.size()));
        if (step.is("subscript_expression")) {
            // A __subscript is a function: its argument may carry.
            const std::string type = type_of(inner, step.field("base")).type;
            const bool plain = !types_.element(type).empty() || types_.is_memory(type);
            const DerivativeAnswer answer =
                plain ? DerivativeAnswer::does_not("index")
                      : DerivativeAnswer::unknown("an index of what is not known");
            const auto indices = step.fields("index");
            const bool passed =
                getter != getters.end() && getter->second.arguments.size() == indices.size();
            for (std::size_t i = 0; i < indices.size(); ++i)
                expression(indices[i], passed ? getter->second.arguments[i].derivative : answer);
        }
        if (const Call* accessor = call_of(step))
            called(accessor, step);
        inner.steps.push_back(step);
    }
}

void FlowReader::read_path(SyntaxNode node, const DerivativeAnswer& wanted) {
    if (macro_name(node))
        return;
    if (node.is("generic_expression"))
        return; // a function or a type with arguments
    const Path path = path_of(node);
    if (std::any_of(path.steps.begin(), path.steps.end(),
                    [&](SyntaxNode step) { return getter_of(step).has_value(); }))
        return read_getters(path, node, wanted);
    const DerivativeAnswer answer = both(type_of(path, node).answer, wanted);
    if (path.variable != none)
        use(path.variable, site(node), answer);
    else if (path.base.range() != node.range())
        expression(path.base, path.steps.empty() ? wanted
                              : answer.reason.empty() || !answer.carries()
                                  ? answer
                                  : DerivativeAnswer::unknown("its gradients are in memory"));
    read_indices(path);
}

Index FlowReader::write_path(const Path& path, SyntaxNode whole, DefinitionKind kind,
                             bool may_stay) {
    if (path.variable == none) {
        if (path.base && path.base.range() != whole.range())
            expression(path.base, DerivativeAnswer::unknown("a part of it is written"));
        return none;
    }
    const Index definition = define(path.variable, kind, site(whole),
                                    may_stay || path.is_generic || !path.steps.empty());
    const VariableKind of = flow_.variables[path.variable].kind;
    if (of != VariableKind::object && of != VariableKind::field)
        return definition;
    // Fields are parts of the object.
    const ByteRange place = site(whole).range;
    const auto [entry, is_new] =
        called_at_.try_emplace({place.begin, place.end}, Index(calls_.size()));
    if (is_new)
        calls_.push_back({site(whole), loop_, nullptr, false, of == VariableKind::object,
                          of == VariableKind::field});
    graph_.add_call(block_, entry->second);
    return definition;
}

/// A name in scope, of a field or of a global.
bool FlowReader::is_variable(std::string_view name) const {
    return name == "this" ||
           std::any_of(names_.begin(), names_.end(),
                       [&](const auto& entry) { return entry.first == name; }) ||
           is_field(name) || model_.find_global(name) || static_members_.find(function_, name, {});
}

/// A macro without arguments in the place of an expression: a number, or what is not known.
bool FlowReader::macro_name(SyntaxNode node) {
    const std::string_view name = text(node);
    const MacroDefinition* macro = node.is("identifier") ? model_.find_macro(name) : nullptr;
    if (!macro)
        return false;
    // A variable may have the name where the macro does not hold.
    const auto here =
        expanded_ || macro->function_like ? std::nullopt : macro_at(model_, name, site(node));
    if (is_variable(name) && !(here && *here))
        return false;
    const bool is_known =
        std::all_of(model_.macros.begin(), model_.macros.end(), [&](const MacroDefinition& other) {
            return other.name != name ||
                   is_number(expand_macros(model_, other.body).value_or(other.body));
        });
    if (!is_known)
        set_incomplete(fmt::format("what the macro {} does is not known", name));
    return true;
}

} // namespace slimgrad
