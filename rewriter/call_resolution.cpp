#include "rewriter/call_resolution.h"

#include "rewriter/callee.h"
#include "rewriter/core_module.h"
#include "rewriter/core_result.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace slimgrad {

namespace {

using Kind = Type::Kind;

CalleeKind kind_of(const Declaration& declaration) {
    const Declaration* parent = declaration.parent;
    if (parent && parent->is(DeclarationKind::interface))
        return CalleeKind::requirement;
    if (declaration.is(DeclarationKind::constructor))
        return CalleeKind::constructor;
    const bool member = parent && (parent->is(DeclarationKind::structure) ||
                                   parent->is(DeclarationKind::extension) ||
                                   parent->is(DeclarationKind::enumeration));
    if (!member)
        return CalleeKind::function;
    return declaration.is_static ? CalleeKind::static_method : CalleeKind::method;
}

void add_functions(std::vector<Index>& functions, const Declaration& declaration) {
    if (declaration.function != none)
        functions.push_back(declaration.function);
    functions.insert(functions.end(), declaration.accessors.begin(), declaration.accessors.end());
}

/// A value of it is of no other type: what interfaces require is then done by its own members.
bool is_concrete(TypeRef type) {
    if (!type)
        return false;
    if (type->is(Kind::declared))
        return type->declaration->is(DeclarationKind::structure) ||
               type->declaration->is(DeclarationKind::enumeration);
    return type->is(Kind::scalar) || type->is(Kind::vector) || type->is(Kind::matrix);
}

/// Functions of the core module that may be meant, too, are not known any nearer.
std::optional<ConversionCost> core_cost(bool competes) {
    return competes ? std::optional<ConversionCost>(ConversionCost{}) : std::nullopt;
}

} // namespace

// ---- Calls

std::vector<Argument> BodyResolver::read_arguments(const std::vector<SyntaxNode>& nodes) {
    std::vector<Argument> arguments;
    for (SyntaxNode node : nodes)
        arguments.push_back(read(node).argument());
    return arguments;
}

void BodyResolver::read_macro_arguments(const std::vector<SyntaxNode>& nodes,
                                        const std::string& macro) {
    // Where arguments are joined with other text, or stand among declarations, they may mean
    // anything.
    const MacroDefinition* definition = semantics_.model().find_macro(macro);
    const bool hidden = !definition || definition->body.find("##") != std::string::npos ||
                        definition->body.find('{') != std::string::npos;
    in_macro_ += hidden;
    for (SyntaxNode node : nodes)
        read(node, Use::read_write);
    in_macro_ -= hidden;
}

Expression BodyResolver::call(SyntaxNode node, Use) {
    const SyntaxNode list = node.field("arguments");
    Callee callee = this->callee(node.field("function"));
    Call nowhere; // for expressions that are in no body
    Call* known = known_call(node);
    Call& call = known ? *known : nowhere;
    if (callee.is_macro) {
        call.callee_kind = CalleeKind::macro;
        read_macro_arguments(list.children(), callee.name);
        return {};
    }
    std::vector<Argument> arguments = read_arguments(list.children());
    // `(T)(a, b)` is a cast of a tuple.
    if (callee.constructed && arguments.size() > 1 &&
        node.field("function").is("parenthesized_expression"))
        arguments = {Argument()};
    if (callee.is_derivative)
        return differentiate(callee, call, arguments);
    if (callee.constructed)
        return construct(callee.constructed, call, arguments);
    if (callee.is_value)
        return call_value(callee, call, arguments);
    return call_functions(callee, call, arguments);
}

Expression BodyResolver::call_functions(const Callee& callee, Call& call,
                                        const std::vector<Argument>& arguments) {
    if (callee.found.empty()) {
        const bool is_core =
            callee.object ? is_core_method(callee.name) : is_core_function(callee.name);
        if (callee.is_known && is_core && !in_macro_ &&
            (callee.object || !semantics_.is_hidden_name(callee.name, scope()))) {
            call.callee_kind = CalleeKind::builtin;
            return {callee.object ? core_method_result(semantics_.types(), callee.object,
                                                       callee.name, callee.generic_arguments)
                                  : core_function_result(semantics_, callee.name, arguments,
                                                         callee.generic_arguments)};
        }
        return {};
    }
    const OverloadChoice choice =
        choose_overload(semantics_, callee.found, arguments, callee.generic_arguments,
                        core_cost(callee.core_competes));
    if (choice.possible.empty() && callee.core_competes && !in_macro_) {
        call.callee_kind = CalleeKind::builtin;
        return {};
    }
    settle(call, choice, callee.found);
    return {result_type(semantics_, choice)};
}

Expression BodyResolver::construct(TypeRef type, Call& call,
                                   const std::vector<Argument>& arguments) {
    std::vector<Found> constructors = semantics_.members(type, "__init");
    std::erase_if(constructors, [](const Found& one) {
        return one.depth > 0 && !one.declaration->parent->is(DeclarationKind::interface);
    });
    // An object from its equal, or from nothing.
    const bool copies = arguments.size() == 1 && arguments[0].type == type && is_complete(type);
    const bool core_competes = !type->is(Kind::declared) && !type->is(Kind::parameter) &&
                               !type->is(Kind::associated) && !type->is(Kind::this_type);
    if (constructors.empty() || copies) {
        call.callee_kind = in_macro_ ? CalleeKind::unresolved : CalleeKind::construction;
        return {type};
    }
    const OverloadChoice choice =
        choose_overload(semantics_, constructors, arguments, {}, core_cost(core_competes));
    const bool may_copy = arguments.size() == 1 && !arguments[0].is_list &&
                          conversion_cost(semantics_, arguments[0], type).low == 0;
    if (choice.possible.empty())
        call.callee_kind = in_macro_ ? CalleeKind::unresolved : CalleeKind::construction;
    else
        settle(call, may_copy ? OverloadChoice{nullptr, {}, choice.possible} : choice,
               constructors);
    return {type};
}

Expression BodyResolver::call_value(const Callee& callee, Call& call,
                                    const std::vector<Argument>& arguments) {
    const TypeRef type = callee.value.type;
    const std::vector<Found> found = semantics_.members(type, "operator()");
    if (!found.empty()) {
        const OverloadChoice choice = choose_overload(semantics_, found, arguments, {}, {});
        settle(call, choice, found);
        return {result_type(semantics_, choice)};
    }
    call.callee_kind = in_macro_ ? CalleeKind::unresolved : CalleeKind::value;
    if (!type && record_)
        call.candidates = record_->functions("operator()");
    if (!call.candidates.empty())
        call.callee_kind = CalleeKind::unresolved;
    return {};
}

/// `bwd_diff(f)(..)`: arguments are pairs, and the derivative of the result comes last.
Expression BodyResolver::differentiate(const Callee& callee, Call& call,
                                       const std::vector<Argument>& arguments) {
    call.kind = callee.is_forward ? CallKind::forward_derivative : CallKind::backward_derivative;
    call.callee = callee.name;
    if (callee.found.empty()) {
        if (callee.is_value)
            call.callee_kind = CalleeKind::value;
        else if (callee.is_known && callee.core_competes && !in_macro_)
            call.callee_kind = CalleeKind::builtin;
        return {};
    }
    std::vector<Argument> primal = arguments;
    for (Argument& argument : primal) {
        if (argument.type && argument.type->is(Kind::builtin) &&
            argument.type->name == "DifferentialPair" && !argument.type->arguments.empty())
            argument.type = argument.type->arguments[0];
        else if (argument.type && !is_numeric(argument.type))
            argument.type = nullptr; // a pair of other kind, as custom derivatives have
    }
    std::vector<Found> found;
    std::size_t count = 0;
    for (const Found& one : callee.found) {
        const Declaration& function = *one.declaration;
        const TypeRef result = semantics_.declared_type(*one.declaration);
        const bool has_result = !result || !result->is(Kind::void_type);
        const std::size_t wanted =
            function.parameters.size() + (has_result && !callee.is_forward ? 1 : 0);
        // A result without a derivative has none to give.
        const bool gives_none = has_result && !is_real(result);
        if (arguments.size() == wanted ||
            (gives_none && !callee.is_forward && arguments.size() == function.parameters.size())) {
            found.push_back(one);
            count = function.parameters.size();
        }
    }
    const bool same_count = std::all_of(found.begin(), found.end(), [&](const Found& one) {
        return one.declaration->parameters.size() == count;
    });
    OverloadChoice choice;
    if (callee.found.size() == 1 && !callee.core_competes) {
        choice = {&callee.found[0], callee.found[0].substitution, {&callee.found[0]}};
        primal.resize(std::min(primal.size(), callee.found[0].declaration->parameters.size()));
        const OverloadChoice typed =
            choose_overload(semantics_, callee.found, primal, callee.generic_arguments, {});
        if (typed.chosen)
            choice.substitution = typed.substitution;
    } else if (!found.empty() && same_count) {
        primal.resize(std::min(primal.size(), count));
        choice = choose_overload(semantics_, found, primal, callee.generic_arguments,
                                 core_cost(callee.core_competes));
    }
    settle(call, choice, callee.found);
    if (!callee.is_forward)
        return {choice.chosen ? semantics_.types().void_type() : nullptr};
    const TypeRef result = result_type(semantics_, choice);
    return {result && !result->is(Kind::void_type)
                ? semantics_.types().builtin("DifferentialPair", {result})
                : result};
}

// ---- What is written down

std::vector<const Declaration*> BodyResolver::implementations(const Found& requirement,
                                                              const std::vector<Found>& found) {
    const std::vector<Declaration*>& all = semantics_.implementations(*requirement.declaration);
    if (!is_concrete(requirement.substitution.this_type))
        return {all.begin(), all.end()};
    std::vector<const Declaration*> own;
    for (const Found& one : found) {
        if (one.is_member && one.declaration != requirement.declaration)
            own.push_back(one.declaration);
    }
    return own;
}

void BodyResolver::settle(Call& call, const OverloadChoice& choice,
                          const std::vector<Found>& found) {
    if (choice.chosen && choice.chosen->declaration->function != none && !in_macro_) {
        const Declaration& chosen = *choice.chosen->declaration;
        call.callee_kind = kind_of(chosen);
        call.target = chosen.function;
        if (call.callee_kind != CalleeKind::requirement)
            return;
        const std::vector<const Declaration*> others = implementations(*choice.chosen, found);
        if (chosen.has_body && others.empty() &&
            is_concrete(choice.chosen->substitution.this_type)) {
            // The default is all there is.
            call.callee_kind = chosen.is_static ? CalleeKind::static_method : CalleeKind::method;
            return;
        }
        if (chosen.has_body)
            call.candidates.push_back(chosen.function);
        for (const Declaration* other : others)
            add_functions(call.candidates, *other);
        return;
    }
    call.callee_kind = CalleeKind::unresolved;
    if (choice.possible.empty() || in_macro_) {
        for (const Found& one : found)
            add_functions(call.candidates, *one.declaration);
    } else {
        for (const Found* one : choice.possible)
            add_functions(call.candidates, *one->declaration);
    }
    const bool certain =
        std::all_of(found.begin(), found.end(), [](const Found& one) { return one.certain; });
    if (!certain && record_) {
        for (const Index other : record_->functions(call.callee))
            call.candidates.push_back(other);
    }
    // What an interface requires is done by what implements it.
    const std::vector<Index> direct = call.candidates;
    for (const Index function : direct) {
        const Declaration* declaration = semantics_.declarations().of_function(function);
        if (!declaration || kind_of(*declaration) != CalleeKind::requirement)
            continue;
        for (const Declaration* other : semantics_.implementations(*declaration))
            add_functions(call.candidates, *other);
    }
    std::sort(call.candidates.begin(), call.candidates.end());
    call.candidates.erase(std::unique(call.candidates.begin(), call.candidates.end()),
                          call.candidates.end());
}

Call BodyResolver::implicit_call(CallForm form, std::uint32_t place, SyntaxNode node,
                                 const std::vector<SyntaxNode>& operands, std::string name) const {
    Call call;
    call.callee = std::move(name);
    call.form = form;
    call.site = site(node);
    const ExpandedUse* use = expanded();
    call.open_parenthesis = use ? use->in_file(node.range(), place) : place;
    call.function = function_;
    call.loop = loop_;
    for (SyntaxNode operand : operands)
        call.arguments.push_back(site(operand));
    return call;
}

void BodyResolver::settle_accessors(const OverloadChoice& choice, const std::vector<Found>& found,
                                    CallForm form, std::uint32_t place, SyntaxNode node,
                                    const std::vector<SyntaxNode>& operands, Use use) {
    if (!record_ || function_ == none)
        return;
    const auto add = [&](std::string_view wanted) {
        Call call = implicit_call(form, place, node, operands, found[0].declaration->name);
        const auto accessor = [&](const Declaration& declaration) {
            for (Index function : declaration.accessors) {
                if (semantics_.model().functions[function].name == wanted)
                    return function;
            }
            return none;
        };
        if (choice.chosen && !in_macro_) {
            const Declaration& chosen = *choice.chosen->declaration;
            call.target = accessor(chosen);
            if (call.target == none)
                return false;
            call.callee_kind = kind_of(chosen);
            if (call.callee_kind == CalleeKind::requirement) {
                for (const Declaration* other : implementations(*choice.chosen, found)) {
                    if (accessor(*other) != none)
                        call.candidates.push_back(accessor(*other));
                }
            }
        } else {
            settle(call, {nullptr, {}, choice.possible}, found);
        }
        record_->add_call(std::move(call));
        return true;
    };
    if (!choice.chosen || in_macro_) {
        add("");
        return;
    }
    const bool by_reference = use != Use::read && (add("ref") || add("modify") || add("__ref"));
    if (use != Use::write && !by_reference && !add("get"))
        add("ref");
    if (use != Use::read && !by_reference)
        add("set");
}

void resolve_calls(ModuleModel& model, const std::vector<std::string>& texts) {
    // After the files come the macros that are read as what they stand for.
    std::vector<std::string> all_texts = texts;
    for (const ExpandedUse& use : model.expanded_uses)
        all_texts.push_back(use.text());
    Semantics semantics(model, all_texts);
    semantics.infer_context = &semantics;
    semantics.infer = [](void* context, Declaration& variable) -> TypeRef {
        auto& reader = *static_cast<Semantics*>(context);
        Declaration* outer = reader.set_scope(nullptr);
        const TypeRef type = BodyResolver(reader, nullptr, *variable.parent, variable.file)
                                 .read(variable.value)
                                 .type;
        reader.set_scope(outer);
        return type;
    };
    ResolutionRecord record(model);
    for (Index function = 0; function < model.functions.size(); ++function) {
        Declaration* declaration = semantics.declarations().of_function(function);
        if (!declaration || !model.functions[function].body)
            continue;
        SyntaxNode body = declaration->node.field("body"), accessor;
        for (SyntaxNode child :
             body.is("accessor_list") ? body.children() : std::vector<SyntaxNode>()) {
            if (child.field("kind").range() == model.functions[function].name_site.range)
                accessor = child;
        }
        if (accessor)
            body = accessor.field("body");
        BodyResolver(semantics, &record, *declaration, declaration->file)
            .resolve_function(function, body, accessor);
    }
    record.finish(semantics);
}

} // namespace slimgrad
