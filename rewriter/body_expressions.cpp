#include "rewriter/body_reader.h"
#include "rewriter/macro_text.h"
#include "rewriter/macro_type.h"

#include <algorithm>
#include <tuple>

namespace slimgrad {

void BodyReader::lambda(SyntaxNode node) {
    const std::size_t outer_names = names_.mark();
    add_parameters(node.field("parameters"));
    // A return or break in it leaves the lambda alone.
    std::vector<Breakable> outer = std::exchange(breakables_, {});
    visit(node.field("body"));
    breakables_ = std::move(outer);
    names_.leave(outer_names);
}

void BodyReader::assignment(SyntaxNode node) {
    const bool plain = reader_.source(node.field("operator")) == "=";
    access(node.field("left"), plain ? AccessKind::write : AccessKind::read_write);
    visit(node.field("right"));
}

void BodyReader::update(SyntaxNode node) {
    access(node.field("argument"), AccessKind::read_write);
}

void BodyReader::unary(SyntaxNode node) {
    const std::string op = reader_.source(node.field("operator"));
    if (op == "*")
        access(node, AccessKind::read);
    else if (op == "&") // whoever has the address may write
        access(node.field("argument"), AccessKind::read_write);
    else
        visit(node.field("argument"));
}

void BodyReader::read(SyntaxNode node) {
    access(node, AccessKind::read);
}

void BodyReader::value_only(SyntaxNode node) {
    visit(node.field("value"));
}

void BodyReader::no_diff(SyntaxNode node) {
    // `no_diff f(x)`, `no_diff(f(x))`, `no_diff f(x).y`
    SyntaxNode value = node.field("value");
    for (;;) {
        if (value.is("parenthesized_expression") && value.children().size() == 1)
            value = value.children()[0];
        else if (value.is("member_expression"))
            value = value.field("object");
        else if (value.is("subscript_expression"))
            value = value.field("base");
        else
            break;
    }
    if (value.is("call_expression"))
        no_diff_call_ = value.range();
    visit(node.field("value"));
}

/// The derivative as a value: no call, its function no access.
void BodyReader::derivative(SyntaxNode) {}

/// What is called, taken apart: `x.m<T>`, `A::f`, `bwd_diff(f)`, `float3`.
void BodyReader::callee(SyntaxNode node, Call& call, SyntaxNode& receiver) {
    if (node.is("derivative_expression")) {
        if (call.kind == CallKind::plain) {
            const bool forward =
                reader_.source(node.field("operator")).find("fwd") != std::string::npos;
            call.kind = forward ? CallKind::forward_derivative : CallKind::backward_derivative;
        }
        callee(node.field("function"), call, receiver);
    } else if (node.is("parenthesized_expression") && node.children().size() == 1) {
        callee(node.children()[0], call, receiver);
    } else if (node.is("generic_expression")) {
        for (SyntaxNode argument : node.field("arguments").children())
            call.generic_arguments.push_back(reader_.source(argument));
        callee(node.field("name"), call, receiver);
    } else if (node.is("member_expression")) {
        receiver = node.field("object");
        call.receiver = reader_.source(receiver);
        call.receiver_site = reader_.site(receiver);
        call.callee = reader_.source(node.field("member"));
    } else if (node.is("scope_expression")) {
        call.receiver = reader_.source(node.field("scope"));
        call.callee = reader_.source(node.field("member"));
    } else if (node.is("call_expression") || node.is("lambda_expression")) {
        receiver = node; // `f(x)(y)`: the callee has no name
    } else {
        call.callee = name_behind_macros(model_, reader_.source(node));
    }
}

Index BodyReader::add_call(SyntaxNode node, SyntaxNode& receiver) {
    Call call;
    callee(node.field("function"), call, receiver);
    const SyntaxNode list = node.field("arguments");
    for (SyntaxNode argument : list.children())
        call.arguments.push_back(reader_.site(argument));
    call.site = reader_.site(node);
    call.open_parenthesis = reader_.offset(node, list.range().begin);
    call.function = function_;
    call.loop = loop_;
    call.no_diff = no_diff_call_ == node.range();
    model_.calls.push_back(std::move(call));
    return Index(model_.calls.size() - 1);
}

/// `a < b > (c)` of a variable `a` is two comparisons, though it is written like a call with
/// generic arguments.
bool BodyReader::compares(SyntaxNode call) const {
    const SyntaxNode function = call.field("function");
    const SyntaxNode name = function.field("name");
    if (!function.is("generic_expression") || !name.is("identifier"))
        return false;
    const std::string text = reader_.source(name);
    return names_.has(text) || (model_.find_global(text) && model_.find_functions(text).empty());
}

void BodyReader::call(SyntaxNode node) {
    if (compares(node)) {
        access(node.field("function").field("name"), AccessKind::read);
        visit_all(node.field("function").field("arguments"));
        return visit_all(node.field("arguments"));
    }
    SyntaxNode receiver;
    const Index index = add_call(node, receiver);
    if (is_place(receiver))
        receiver_of_ = index;
    visit(receiver);
    const auto arguments = node.field("arguments").children();
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
        if (is_place(arguments[i]))
            argument_of_ = {index, i};
        visit(arguments[i]);
    }
    if (!reader_.expanded && model_.is_function_like_macro(model_.calls[index].callee))
        derivatives_in_macro(node);
}

/// A macro in an expression is a call and not looked into, but for the derivatives that it takes:
/// `GRAD(f, p)` with `#define GRAD(fn, ...) bwd_diff(fn)(__VA_ARGS__, 1.0)`.
void BodyReader::derivatives_in_macro(SyntaxNode node) {
    const auto expansion = expand_macros(model_, reader_.source(node));
    if (!expansion || expansion->find("_diff") == std::string::npos)
        return;
    const auto use =
        ExpandedUse::as_expression(reader_.file, node.range(), reader_.source(node), *expansion);
    if (!use)
        return;
    reader_.expanded = &*use;
    std::vector<SyntaxNode> open{use->statement()};
    while (!open.empty()) {
        const SyntaxNode part = open.back();
        open.pop_back();
        SyntaxNode receiver;
        if (part.is("call_expression") && part.field("function").is("derivative_expression"))
            add_call(part, receiver);
        for (SyntaxNode child : part.children())
            open.push_back(child);
    }
    reader_.expanded = nullptr;
}

/// Whether the expression is one variable with members and subscripts, which a callee can
/// write.
bool BodyReader::is_place(SyntaxNode node) const {
    for (;;) {
        if (node.is("parenthesized_expression") && node.children().size() == 1)
            node = node.children()[0];
        else if (node.is("member_expression"))
            node = node.field("object");
        else if (node.is("subscript_expression"))
            node = node.field("base");
        else if (node.is("unary_expression") && reader_.source(node.field("operator")) == "*")
            node = node.field("argument");
        else
            return node.is("identifier") || node.is("scope_expression");
    }
}

/// An occurrence of a variable with all that is applied to it.
void BodyReader::access(SyntaxNode node, AccessKind kind) {
    Access access;
    access.kind = kind;
    access.site = reader_.site(node);
    access.function = function_;
    access.loop = loop_;
    // They speak of this node alone, not of what is inside its brackets.
    std::tie(access.argument_of, access.argument_index) = std::exchange(argument_of_, {none, 0});
    access.receiver_of = std::exchange(receiver_of_, none);
    access.as_argument = access.argument_of != none;
    // A macro may do anything with its argument, but where it is a value of it.
    if (access.as_argument) {
        const Call& call = model_.calls[access.argument_of];
        if (model_.is_function_like_macro(call.callee) &&
            !only_computes(model_, call.callee, call.arguments.size()))
            access.kind = AccessKind::read_write;
    }

    std::vector<SyntaxNode> indices; // like the members, the last one first
    SyntaxNode base = node;
    for (;;) {
        if (base.is("member_expression")) {
            access.members.push_back(reader_.source(base.field("member")));
            base = base.field("object");
        } else if (base.is("subscript_expression")) {
            const auto index = base.fields("index");
            if (!access.subscript) {
                access.subscript = reader_.site({base.token("[").range().begin, base.range().end});
                if (!index.empty())
                    access.subscript_index =
                        reader_.site({index.front().range().begin, index.back().range().end});
            }
            indices.insert(indices.end(), index.rbegin(), index.rend());
            base = base.field("base");
        } else if (base.is("parenthesized_expression") && base.children().size() == 1) {
            base = base.children()[0];
        } else if (base.is("unary_expression") && reader_.source(base.field("operator")) == "*") {
            base = base.field("argument");
        } else {
            break;
        }
    }
    std::reverse(access.members.begin(), access.members.end());
    std::reverse(indices.begin(), indices.end());
    if (base.is("generic_expression"))
        base = base.field("name");
    const bool is_qualified = base.is("scope_expression"); // `::g` is no local variable
    if (is_qualified)
        base = base.field("member");
    if (base.is("identifier")) {
        access.name = reader_.source(base);
        access.local = is_qualified ? none : find_local(access.name);
        mark_counters(access);
        model_.accesses.push_back(std::move(access));
    } else {
        visit(base); // `f(x).d`
        if (kind != AccessKind::read || node.is("unary_expression"))
            model_.accesses.push_back(std::move(access));
    }
    for (SyntaxNode index : indices)
        visit(index);
}

/// What a macro's head writes has no place in the body of a loop around it (mark_writes).
void BodyReader::mark_counters(const Access& access) {
    if (!reader_.expanded || access.kind == AccessKind::read)
        return;
    for (Index index = loop_; index != none; index = model_.loops[index].parent) {
        Loop& loop = model_.loops[index];
        if (loop.counter == access.name && loop.counter_local == access.local &&
            !(index == loop_ && in_update_))
            loop.counter_written_in_body = true;
    }
}

} // namespace slimgrad
