#include "rewriter/callee.h"
#include "rewriter/core_module.h"
#include "rewriter/core_result.h"

#include <utility>

namespace slimgrad {

using Kind = Type::Kind;

void BodyResolver::sort_out(Callee& callee, std::vector<Found> found) {
    if (found.empty())
        return;
    if (found[0].declaration->is_overloadable()) {
        std::erase_if(found, [](const Found& one) { return !one.declaration->is_overloadable(); });
        callee.found = std::move(found);
    } else {
        callee.is_value = true;
    }
}

BodyResolver::Callee BodyResolver::named_callee(SyntaxNode node) {
    Callee callee;
    callee.name = source(node);
    if (semantics_.model().is_function_like_macro(callee.name)) {
        callee.is_macro = true;
        return callee;
    }
    const std::string name = semantics_.expand_name(callee.name);
    if (name.empty()) {
        callee.constructed = semantics_.read_type(node, scope());
        if (callee.constructed && callee.constructed->is(Kind::value))
            callee.constructed = nullptr; // a macro that is a number
        callee.is_known = callee.constructed != nullptr;
        return callee;
    }
    callee.name = name;
    std::vector<Found> found = semantics_.find(name, scope());
    callee.core_competes = is_core_function(name);
    if (found.empty()) {
        callee.constructed = semantics_.read_type_name(name, scope());
        return callee;
    }
    const Found first = found[0];
    if (first.declaration->is_type()) {
        callee.constructed = semantics_.read_type_name(name, scope());
        callee.is_known = callee.constructed != nullptr;
        return callee;
    }
    if (!first.declaration->is_overloadable())
        callee.value = found_value(found);
    sort_out(callee, std::move(found));
    return callee;
}

BodyResolver::Callee BodyResolver::member_callee(SyntaxNode node, SyntaxNode outer) {
    Callee callee;
    callee.name = source(node.field("member"));
    if (semantics_.model().is_function_like_macro(callee.name)) {
        callee.is_known = false;
        read(outer);
        return callee;
    }
    const Declaration* space =
        outer ? semantics_.find_namespace(outer, scope()) : &semantics_.declarations().module();
    if (space) {
        std::vector<Found> found = Semantics::find_in(*space, callee.name);
        semantics_.drop_invisible(file_, found);
        callee.is_known = !found.empty() || space == &semantics_.declarations().module();
        callee.core_competes =
            space == &semantics_.declarations().module() && is_core_function(callee.name);
        if (!found.empty() && found[0].declaration->is_type()) {
            callee.constructed =
                found.size() == 1 ? semantics_.type_of_declaration(found[0]) : nullptr;
            callee.is_known = callee.constructed != nullptr;
        } else {
            sort_out(callee, std::move(found));
        }
        return callee;
    }
    const Expression object = read(outer);
    // `f.bwd_diff(..)` is `bwd_diff(f)(..)`.
    if (object.is_function && (callee.name == "bwd_diff" || callee.name == "fwd_diff")) {
        Callee primal = this->callee(outer);
        primal.is_derivative = true;
        primal.is_forward = callee.name == "fwd_diff";
        return primal;
    }
    callee.is_known = false;
    for (TypeRef type = object.type; type; type = semantics_.dereference(type)) {
        std::vector<Found> found = semantics_.members(type, callee.name);
        callee.object = type;
        if (semantics_.is_hidden() && found.empty())
            return callee;
        if (found.empty()) {
            if (!core_member(semantics_, type, callee.name))
                continue;
            callee.is_value = true;
            return callee;
        }
        callee.is_known = true;
        const bool core_type = !type->is(Kind::declared) && !type->is(Kind::this_type);
        callee.core_competes = core_type && is_core_method(callee.name);
        if (found[0].declaration->is_type()) {
            callee.constructed = semantics_.type_of_declaration(found[0]);
            callee.is_known = callee.constructed != nullptr;
        } else {
            if (!found[0].declaration->is_overloadable())
                callee.value = found_value(found);
            sort_out(callee, std::move(found));
        }
        return callee;
    }
    if (object.is_type) {
        callee.constructed = semantics_.member_type(object.type, callee.name);
        if (callee.constructed) {
            callee.is_known = true;
            return callee;
        }
    }
    // A method of the core module, where the module has none of the name for this type.
    callee.is_known = object.type != nullptr && is_core_method(callee.name);
    callee.core_competes = callee.is_known;
    return callee;
}

BodyResolver::Callee BodyResolver::callee(SyntaxNode node) {
    if (node.is("parenthesized_expression") && node.children().size() == 1)
        return callee(node.children()[0]);
    if (node.is("derivative_expression")) {
        Callee result = callee(node.field("function"));
        result.is_derivative = true;
        result.is_forward = source(node.field("operator")).find("fwd") != std::string::npos;
        return result;
    }
    if (node.is("identifier"))
        return named_callee(node);
    if (node.is("member_expression"))
        return member_callee(node, node.field("object"));
    if (node.is("scope_expression"))
        return member_callee(node, node.field("scope"));
    Callee result;
    if (node.is("generic_expression")) {
        const SyntaxNode name = node.field("name");
        if (TypeRef type = semantics_.read_type(node, scope())) {
            result.constructed = type;
            return result;
        }
        result = callee(name);
        if (result.constructed || result.is_value) {
            result.is_known = false;
            result.constructed = nullptr;
        }
        for (SyntaxNode argument : node.field("arguments").children())
            result.generic_arguments.push_back(semantics_.read_type(argument, scope()));
        return result;
    }
    if (node.is("primitive_type") || node.is("array_type")) {
        result.constructed = semantics_.read_type(node, scope());
        result.is_known = result.constructed != nullptr;
        return result;
    }
    if (node.is("call_expression") && source(node.field("function")) == "__dispatch_kernel") {
        const auto arguments = node.field("arguments").children();
        for (std::size_t i = 1; i < arguments.size(); ++i)
            read(arguments[i]);
        if (Call* call = known_call(node))
            call->callee_kind = CalleeKind::builtin;
        return arguments.empty() ? Callee() : callee(arguments[0]);
    }
    result.value = read(node);
    result.is_value = true;
    return result;
}

} // namespace slimgrad
